import type { TopLevelSpec } from "vega-lite";
import type { ChartSize, ChartTheme } from "@/lib/base/charts/spec";
import type { ResultRow } from "@/lib/base/values/json-rows";

/**
 * Returns a specification that uses more than our settings, over rows and in the page's colours. Its inline data is
 * removed at every level, in layers as well: an address, or a generator of a billion points (T65).
 */
export function toForeignSpec(
  { width: _, height: __, ...own }: Record<string, unknown>,
  rows: readonly ResultRow[],
  theme: ChartTheme,
  size: ChartSize,
): TopLevelSpec {
  const spec = withoutData(own) as Record<string, unknown>;
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

/** Vega-Lite has no other properties with these names. */
function withoutData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutData);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "data" && name !== "datasets");
  return Object.fromEntries(
    kept.map(([name, each]) => [name, name === "tickCount" ? toDrawnTicks(each) : withoutData(each)]),
  );
}

/** Vega-Lite documents the interval `hour`, but Vega only knows `hours` (its TimeInterval, 6.2). */
function toDrawnTicks(count: unknown): unknown {
  if (typeof count === "string") return count.replace(/^(?:hour|minute|second|millisecond)$/, "$&s");
  if (typeof count !== "object" || count === null) return count;
  return "interval" in count ? { ...count, interval: toDrawnTicks(count.interval) } : count;
}
