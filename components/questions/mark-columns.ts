import type { ChartMark } from "@/components/results/chart-view";
import type { Step } from "@/lib/base/charts/steps";
import type { CellValue, ResultRow } from "@/lib/base/values/json-rows";
import { toLabelled } from "@/lib/features/dashboards/browser/widget-click";

/** A column at a mark: its value, or the span of local times in ms that the mark sums. */
export type MarkColumn = { value: CellValue } | { from: number; to: number };

/**
 * Returns the columns that tell a mark of a chart from the others.
 * @param rows the rows that the chart draws
 * @returns null for a mark that is not one value of its columns: the rest of many, or a range of numbers
 */
export function toMarkColumns(mark: ChartMark, rows: readonly ResultRow[]): Map<string, MarkColumn> | null {
  const { data, settings, stop, row } = mark;
  const { kind, across, colour } = settings;
  if (kind === "scatter" || kind === "histogram" || across === null) return null;
  const series = data.series[row.series];
  const labelOf = (column: string, name: string): MarkColumn | null => {
    const value = toLabelled(rows, column, name);
    return value === undefined ? null : { value };
  };
  if (series?.isRest) return null;
  const own = kind === "pie" ? labelOf(across, series?.name ?? "") : toPlace(mark, across, labelOf);
  const other = kind === "pie" || colour === null ? undefined : labelOf(colour, series?.name ?? "");
  if (own === null || other === null || stop === undefined) return null;
  return new Map([[across, own], ...(other && colour !== null ? [[colour, other] as const] : [])]);
}

function toPlace(
  { data, stop }: ChartMark,
  across: string,
  labelOf: (column: string, name: string) => MarkColumn | null,
): MarkColumn | null {
  const place = data.places[stop.place];
  if (place === undefined || (data.restPlaces > 0 && stop.place === data.places.length - 1)) return null;
  if (data.scale === "category") return labelOf(across, String(place.at));
  if (data.step === null) return place.text === null ? null : { value: place.text };
  if (data.scale !== "time" || typeof place.at !== "number") return null;
  return { from: place.at, to: endOfStep(place.at, data.step) };
}

function endOfStep(start: number, { size, isUneven, name }: Step): number {
  const date = new Date(start);
  return isUneven ? date.setUTCMonth(date.getUTCMonth() + (name === "year" ? 12 : 1)) : start + size;
}
