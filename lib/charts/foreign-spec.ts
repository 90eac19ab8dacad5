import type { TopLevelSpec } from "vega-lite";
import type { ChartSize, ChartTheme } from "@/lib/charts/spec";
import type { ResultRow } from "@/lib/tabular/json-rows";

/**
 * A specification that says more than our settings, over rows and in the page's colours. Data of its own were refused by the
 * server; they are taken out here, too (T65).
 */
export function toForeignSpec(
  { data: _, datasets: __, width: ___, height: ____, ...spec }: Record<string, unknown>,
  rows: readonly ResultRow[],
  theme: ChartTheme,
  size: ChartSize,
): TopLevelSpec {
  const axis = { gridColor: theme.grid, labelColor: theme.axis, titleColor: theme.text, domain: false, ticks: false };
  return {
    ...spec,
    data: { values: rows },
    ...size,
    autosize: { type: "fit", contains: "padding" },
    background: "transparent",
    config: {
      font: theme.font,
      axis,
      view: { stroke: null },
      legend: { labelColor: theme.text, titleColor: theme.text },
      title: { color: theme.text },
      range: { category: theme.series },
      mark: { color: theme.series[0] },
    },
  } as unknown as TopLevelSpec;
}
