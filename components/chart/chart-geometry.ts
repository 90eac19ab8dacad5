import type { DrawnChart } from "@/components/chart/draw-chart";
import type { Picture, Stop } from "@/lib/base/charts/picture";
import { isLying, PIE_HOLE, toPieRadius } from "@/lib/base/charts/spec";

/** First and last stop of the range being brushed, in either order. */
export type Brush = { from: number; to: number };
/** Position of the crosshair: a stop and one of its rows. */
export type Cursor = { stop: number; row: number };
/** A point, in pixels of the chart. */
export type Spot = { x: number; y: number };

/** Maximum distance between the pointer and a dot that counts as hovering it. */
const NEAR_PX = 32;
const PAGE = 10;
/** Height of a row of disabled series names below the line ends. */
const END_ROW_PX = 17;

/** Returns whether a stop is in the range being brushed. */
export function isBrushed(brush: Brush | null, at: number): boolean {
  return brush !== null && at >= Math.min(brush.from, brush.to) && at <= Math.max(brush.from, brush.to);
}

/** Returns bands behind the selected stops. Each extends half-way to its neighbours. */
export function toBands(picture: Picture, chart: DrawnChart, isIn: (at: number, stop: Stop) => boolean) {
  const { stops, kind } = picture;
  const { left, top, width, height } = chart;
  const lying = isLying(picture);
  const [start, length] = lying ? [top, height] : [left, width];
  const middle = (stop: Stop | undefined) =>
    stop === undefined || kind === "pie" ? null : chart.toPx(lying ? "y" : "x", toAcross(picture, stop));
  return stops.flatMap((stop, at) => {
    if (!isIn(at, stop)) return [];
    if (kind === "pie") {
      const [spot] = toSpots(picture, chart, stop);
      return spot ? [{ at, box: { x: spot.x - 5, y: spot.y - 5, width: 10, height: 10, rx: 5 } }] : [];
    }
    const here = middle(stop);
    if (here === null) return [];
    const ends = [middle(stops[at - 1]), middle(stops[at + 1])].map((each) => each ?? null);
    const gaps = ends.flatMap((each) => (each === null ? [] : [Math.abs(each - here) / 2]));
    const half = chart.toBand(lying ? "y" : "x") / 2 || Math.min(...gaps, length / 2);
    const low = start + Math.max(0, here - half);
    const size = Math.min(length, here + half) - Math.max(0, here - half);
    const box = lying ? { x: left, width, y: low, height: size } : { x: low, width: size, y: top, height };
    return [{ at, box }];
  });
}

/** Returns the positions of a stop's rows, in pixels of the chart; null for rows without a value. */
export function toSpots(picture: Picture, chart: DrawnChart, stop: Stop): (Spot | null)[] {
  const { kind } = picture;
  if (kind === "pie") {
    const angle = Number(stop.across) * 2 * Math.PI;
    const radius = (toPieRadius(chart) * (1 + PIE_HOLE)) / 2;
    const [x, y] = [chart.left + chart.width / 2, chart.top + chart.height / 2];
    return [{ x: x + radius * Math.sin(angle), y: y - radius * Math.cos(angle) }];
  }
  const lying = isLying(picture);
  const at = toAcross(picture, stop);
  return stop.rows.map((row) => {
    const across = chart.toPx(lying ? "y" : "x", at);
    const up = chart.toPx(lying ? "x" : "y", row.at ?? Math.max(0, picture.up.low));
    if (across === null || up === null || (row.at === null && stop.rows.length > 1)) return null;
    return lying ? { x: chart.left + up, y: chart.top + across } : { x: chart.left + across, y: chart.top + up };
  });
}

/** Returns the stop nearest to the pointer, and its nearest row. */
export function findCursor(picture: Picture, chart: DrawnChart, at: Spot): Cursor | null {
  const { kind, stops } = picture;
  const lying = isLying(picture);
  if (kind === "pie") {
    const [dx, dy] = [at.x - chart.left - chart.width / 2, at.y - chart.top - chart.height / 2];
    const radius = toPieRadius(chart);
    const distance = Math.hypot(dx, dy);
    if (distance > radius + 4 || distance < radius * PIE_HOLE - 4) return null;
    const part = (Math.atan2(dx, -dy) / (2 * Math.PI) + 1) % 1;
    const stop = picture.marks.findIndex(({ low, high }) => part >= low && part < high);
    return stop < 0 ? null : { stop, row: 0 };
  }
  let best: Cursor | null = null;
  let least = Number.POSITIVE_INFINITY;
  const judge = (stop: number) => {
    for (const [row, spot] of toSpots(picture, chart, stops[stop] as Stop).entries()) {
      if (spot === null) continue;
      const up = Math.abs(lying ? at.x - spot.x : at.y - spot.y);
      const distance = kind === "scatter" ? Math.hypot(at.x - spot.x, up) : up;
      if (distance >= least) continue;
      least = distance;
      best = { stop, row };
    }
  };
  if (kind === "scatter") {
    for (const i of stops.keys()) judge(i);
    return least > NEAR_PX ? null : best;
  }
  // Find the nearest stop along the axis first, then compare rows of that stop only: there may be thousands.
  const axis = lying ? "y" : "x";
  const px = lying ? at.y - chart.top : at.x - chart.left;
  let nearest = -1;
  let gap = Number.POSITIVE_INFINITY;
  for (const [i, stop] of stops.entries()) {
    const place = chart.toPx(axis, toAcross(picture, stop));
    if (place === null || Math.abs(place - px) >= gap) continue;
    gap = Math.abs(place - px);
    nearest = i;
  }
  if (nearest >= 0) judge(nearest);
  return best;
}

/** Returns a stop's axis value: the middle of a bin, or the name of a category. */
function toAcross({ kind, data }: Picture, { across }: Stop): number | string {
  if (typeof across === "string") return across;
  if (kind === "scatter" && data.scale === "category") return data.places[across]?.at ?? "";
  return kind === "histogram" ? across + (data.step?.size ?? 0) / 2 : across;
}

/** Moves along the axis from stop to stop, and across it from series to series. */
export function moveCursor(key: string, cursor: Cursor | null, picture: Picture): Cursor | null {
  const { stops } = picture;
  const lying = isLying(picture);
  const last = stops.length - 1;
  if (last < 0) return null;
  const [before, after, less, more] = lying ? ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] : ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"]; // biome-ignore format: one choice
  const steps: Record<string, number> = { [before]: -1, [after]: 1, PageUp: -PAGE, PageDown: PAGE };
  const step = steps[key];
  if (key === "Home") return { stop: 0, row: cursor?.row ?? 0 };
  if (key === "End") return { stop: last, row: cursor?.row ?? 0 };
  if (step !== undefined) {
    if (cursor === null) return { stop: step > 0 ? 0 : last, row: 0 };
    return { ...cursor, stop: Math.max(0, Math.min(last, cursor.stop + step)) };
  }
  if (key !== less && key !== more) return null;
  if (cursor === null) return { stop: 0, row: 0 };
  const rows = stops[cursor.stop]?.rows ?? [];
  const row = cursor.row + (key === more ? -1 : 1);
  return { ...cursor, row: Math.max(0, Math.min(rows.length - 1, row)) };
}

/** Returns the positions of series names: at the ends of their lines, hidden ones below. */
export function toEnds({ data, stops }: Picture, chart: DrawnChart, hidden: ReadonlySet<number>) {
  const last = stops.at(-1);
  let off = 0;
  const tops = data.series.map((_, series) => {
    const at = last?.rows.find((row) => row.series === series)?.at;
    if (at !== undefined && at !== null && !hidden.has(series)) return chart.top + (chart.toPx("y", at) ?? 0);
    const top = chart.top + chart.height - off * END_ROW_PX;
    off += 1;
    return top;
  });
  return { x: chart.left + chart.width + 6, tops };
}
