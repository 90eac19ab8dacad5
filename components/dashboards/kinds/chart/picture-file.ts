import { savePicture } from "@/components/chart/save-picture";
import { readTheme } from "@/components/chart/use-chart-theme";
import { toChartData } from "@/lib/base/charts/data";
import { zoneOf } from "@/lib/base/charts/moments";
import { toTable } from "@/lib/base/charts/rows-fields";
import { toWidgetPicture } from "@/lib/base/charts/widget-picture";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { Widget, WidgetData } from "@/lib/features/dashboards/schema";

const NONE_HIDDEN: ReadonlySet<number> = new Set();

/** Saves the chart of a widget as a file. @returns false for a widget without a chart that we draw */
export async function savePictureOf(
  { title, spec }: Pick<Widget, "title" | "spec">,
  { fields, rows }: WidgetData,
  look: CellLook,
): Promise<boolean> {
  const picture = toWidgetPicture(spec, fields);
  if (picture?.kind !== "settings") return false;
  const { settings } = picture;
  const data = toChartData(toTable(fields, rows as ResultRow[]), null, settings, zoneOf(look));
  const name = title || "chart";
  await savePicture({ data, settings, look, hidden: NONE_HIDDEN, theme: readTheme(), name }, "png");
  return true;
}
