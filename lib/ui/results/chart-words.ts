import type { ChartData, ChartPoint } from "@/lib/ui/results/chart-data";
import { type ChartShelves, toMeasureName } from "@/lib/ui/results/chart-shelves";

const NUMBER = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const MINUTE = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});
const DAY_MS = 86_400_000;
const KIND_NAMES = { line: "Line chart", bar: "Bar chart", area: "Area chart", dots: "Dots" };

export function formatUp(up: number): string {
  return NUMBER.format(up);
}

/** A place across, in words. */
export function formatAcross(across: ChartPoint["across"], scale: ChartData["scale"]): string {
  if (typeof across === "string") return across;
  if (scale !== "time") return formatUp(across);
  return across % DAY_MS === 0 ? DAY.format(across) : MINUTE.format(across);
}

/** What a chart shows, for those who cannot see it: its shelves, its series, its highest and lowest point. */
export function describeChart(data: ChartData, shelves: ChartShelves): string {
  const { points, series, scale } = data;
  const named = `${KIND_NAMES[shelves.kind]} of ${toMeasureName(shelves.up)} by ${shelves.across}`;
  const [first] = points;
  if (first === undefined) return `${named}, without points`;
  const high = points.reduce((most, point) => (point.up > most.up ? point : most), first);
  const low = points.reduce((least, point) => (point.up < least.up ? point : least), first);
  const at = ({ across, up, colour }: ChartPoint) =>
    `${formatUp(up)} at ${formatAcross(across, scale)}${colour === null ? "" : ` (${colour})`}`;
  const lines = series.length > 0 ? `, one colour a ${shelves.colour}: ${series.join(", ")}` : "";
  return `${named}${lines}. Highest ${at(high)}, lowest ${at(low)}.`;
}

/** What a chart leaves out or puts together, in one sentence each; empty when it shows everything as it is. */
export function describeCuts(data: ChartData, shelves: ChartShelves): string[] {
  const cuts: string[] = [];
  const shownCategories = new Set(data.points.map(({ across }) => across)).size;
  if (data.step !== null) cuts.push(`Put together by ${data.step.name}.`);
  if (data.categoryCount > shownCategories) {
    cuts.push(`The ${shownCategories} greatest of ${formatUp(data.categoryCount)} ${shelves.across}.`);
  }
  if (data.seriesCount > data.series.length) {
    cuts.push(`The ${data.series.length} greatest of ${formatUp(data.seriesCount)} ${shelves.colour}.`);
  }
  if (data.everyNth > 1) cuts.push(`One of every ${formatUp(data.everyNth)} rows.`);
  if (data.skipped > 0) cuts.push(`${formatUp(data.skipped)} rows without a value are left out.`);
  return cuts;
}
