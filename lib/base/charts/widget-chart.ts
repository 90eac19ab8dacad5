import { type ChartData, type ChartSeries, toChartData } from "@/lib/base/charts/data";
import { zoneOf } from "@/lib/base/charts/moments";
import { toTable } from "@/lib/base/charts/rows-fields";
import type { ChartSettings } from "@/lib/base/charts/settings";
import {
  BEFORE_NAME,
  canShowBefore,
  mergeBefore,
  toOwnWeeks,
  toYearBefore,
  YEAR_BEFORE_NAME,
} from "@/lib/base/charts/widget-period";
import { toWidgetPicture, type WidgetPicture } from "@/lib/base/charts/widget-picture";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

/** A widget's chart, ready to be drawn; `settings` are those of its data, `picture` those of the widget. */
export type WidgetChartData = { settings: ChartSettings; picture: ChartSettings; data: ChartData };

type Rows = {
  fields: readonly ResultField[];
  rows: ResultRow[];
  /** Rows of the earlier period, with times shifted onto this one. */
  before?: ResultRow[] | undefined;
  /** Comparison of the page; a chart without it may have one with the year before. */
  compare?: "previous" | "year" | undefined;
};

/** Returns the chart of a widget: null if no column can be drawn, a specification if only Vega-Lite can draw it. */
export function toWidgetChart(
  spec: Readonly<Record<string, unknown>>,
  rows: Rows,
  look: CellLook,
): WidgetChartData | Extract<WidgetPicture, { kind: "vega" }> | null {
  const found = toWidgetPicture(spec, rows.fields);
  if (found === null || found.kind === "vega") return found;
  const picture = found.settings;
  const now = toNamed(picture, rows.fields, rows.rows, look);
  const before = rows.before ? toOwnWeeks(rows.before, rows) : toYearBefore(spec, rows);
  const hasNone = before === undefined || (before.length === 0 && rows.compare === undefined);
  if (hasNone || !canShowBefore(picture, now)) return { settings: picture, picture, data: now };
  const then = toNamed(picture, rows.fields, before, look);
  if (then.step !== null) return { settings: picture, picture, data: now };
  const data = mergeBefore(now, then, rows.compare === "previous" ? BEFORE_NAME : YEAR_BEFORE_NAME);
  return { settings: { ...picture, stack: "apart" }, picture, data };
}

function toNamed(
  settings: ChartSettings,
  fields: readonly ResultField[],
  rows: ResultRow[],
  look: CellLook,
): ChartData {
  const drawn = toChartData(toTable(fields, rows), null, settings, zoneOf(look));
  // Groups already have the names of their measures; "average of an average" means nothing.
  const isByMeasure = settings.kind !== "pie" && (settings.colour === null || settings.up.length > 1);
  if (!isByMeasure || drawn.series.length !== settings.up.length) return drawn;
  const series = settings.up.map(
    ({ column }, at): ChartSeries => ({ name: column ?? drawn.series[at]?.name ?? "", isRest: false }),
  );
  return { ...drawn, series };
}
