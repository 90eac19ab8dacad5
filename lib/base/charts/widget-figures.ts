import { type ChartData, toChartData } from "@/lib/base/charts/data";
import { zoneOf } from "@/lib/base/charts/moments";
import { isCell } from "@/lib/base/charts/picture";
import { toTable } from "@/lib/base/charts/rows-fields";
import { toChange } from "@/lib/base/charts/widget-change";
import { formatFigure, toWidgetPicture } from "@/lib/base/charts/widget-picture";
import { type Figure, formatPlace, toFigures } from "@/lib/base/charts/words";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

type Spec = Readonly<Record<string, unknown>>;
type Rows = readonly Record<string, unknown>[];
type FigureData = {
  fields: readonly ResultField[];
  rows: Rows;
  trend?: Rows | undefined;
  before?: { from: string; to: string; rows: Rows } | undefined;
};

/** Comparison of a figure: with another place of its series, or with an earlier period. */
export type Against = {
  /** Formatted value; null without a value. */
  text: string | null;
  change: number | null;
  /** Name of the previous position; null for the page's earlier period. */
  place: string | null;
};
/** A figure formatted for display at a distance. */
export type WidgetFigureWords = {
  series: number;
  /** Null if it is the only one of its widget. */
  name: string | null;
  /** All its digits; null without a value. */
  exact: string | null;
  shown: string;
  against: Against | null;
  /** Trend of the figure, with `line` as its values. */
  figure: Figure;
};

/** Returns the figures of a widget, with `prefix` and `suffix` as their unit; null if it has none. */
export function toWidgetFigures(
  spec: Spec,
  { fields, rows, trend, before }: FigureData,
  look: CellLook,
): WidgetFigureWords[] | null {
  const found = toWidgetPicture({ ...spec, mark: "kpi", encoding: undefined, usermeta: undefined }, fields);
  if (found?.kind !== "settings") return null;
  const { settings } = found;
  const toData = (of: Rows) =>
    toChartData(toTable(fields, of as ResultRow[]), null, { ...settings, colour: null }, zoneOf(look));
  const data = toData(rows);
  const earlier = before && toData(before.rows);
  const write = (text: string) => `${toUnit(spec.prefix)}${formatFigure(text)}${toUnit(spec.suffix)}`;
  return toFigures(data).map((figure, at): WidgetFigureWords => {
    const column = settings.up[at]?.column ?? "";
    return {
      series: figure.series,
      name: data.cells.length > 1 ? column : null,
      exact: figure.text,
      shown: figure.text === null ? "No value" : write(figure.text),
      against: earlier ? toEarlier(figure, data, earlier, write) : toPlaceBefore(figure, data, look),
      figure: figure.line.length > 1 ? figure : { ...figure, line: toLine(trend, column) },
    };
  });
}

/**
 * Returns the same figure of the earlier period: over times, that of the same position, since its times are shifted
 * onto these.
 */
function toEarlier(figure: Figure, data: ChartData, earlier: ChartData, write: (text: string) => string): Against {
  const at = data.places[figure.place]?.at;
  const place = data.scale === "none" ? 0 : earlier.places.findIndex((each) => each.at === at);
  const then = earlier.cells[figure.series]?.[place];
  const now = data.cells[figure.series]?.[figure.place];
  if (!isCell(then)) return { text: null, change: null, place: null };
  return { text: write(then.text), change: toChange(isCell(now) ? now.value : null, then.value), place: null };
}

function toPlaceBefore(figure: Figure, data: ChartData, look: CellLook): Against | null {
  if (figure.before === null || data.scale === "none") return null;
  return { text: null, change: figure.change, place: formatPlace(data, figure.before.place, look) };
}

function toLine(trend: Rows | undefined, column: string): (number | null)[] {
  return (trend ?? []).map((row) => {
    const value = row[column];
    return value === null || value === undefined ? null : Number(value);
  });
}

function toUnit(unit: unknown): string {
  return typeof unit === "string" ? unit : "";
}
