import type { ChartSettings } from "@/lib/base/charts/settings";
import { type Measure, type Shelves, toColumnName } from "../../browser/edit/shelves";

/**
 * Returns the shelves of a console's chart: the server computes its groups from all rows, where the console aggregates
 * the rows that it has read. Null for a chart of individual rows.
 */
export function readChartShelves({ kind, across, up, colour, sort, top }: ChartSettings): Shelves | null {
  const isEach = up.some(({ of }) => of === "each");
  if (isEach || kind === "scatter" || kind === "histogram") return null;
  const measures = up.map(
    ({ of, column }): Measure => ({ field: of === "count" ? null : column, op: OPERATION_OF[of], as: null }),
  );
  const first = measures[0];
  const dimensions = [across, colour].flatMap((field) => (field === null ? [] : [{ field, timeUnit: null, as: null }]));
  const isRanked = colour === null && first !== undefined && (top !== null || kind === "pie") && sort === "value";
  return {
    dimensions,
    measures,
    sort: isRanked ? { by: toColumnName(first), order: "desc" } : null,
    limit: isRanked ? top : null,
  };
}

const OPERATION_OF = { sum: "sum", average: "avg", min: "min", max: "max", count: "count", each: "sum" } as const;
