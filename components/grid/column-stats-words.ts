import type { ShownStats, ToStats } from "@/components/grid/column-stats-card";
import type { ResultField } from "@/lib/base/values/json-rows";
import { readColumnStats, type StatsStatement, toReader } from "@/lib/features/results/browser/engine-stats";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Returns the statistics of the rows that a grid shows. @param isAll whether the result has no other rows */
export function toLoadedStats(source: RowsSource, isAll = false): ToStats {
  return async (column) => {
    const since = performance.now();
    const stats = await source.stats(column);
    const kind = source.count < source.total ? "filtered" : isAll ? "all" : "first";
    const of =
      kind === "filtered"
        ? `${formatCountOf(stats.rows, "filtered row")}`
        : `${kind} ${formatCountOf(stats.rows, "row")}`;
    return { stats, of, ms: performance.now() - since, note: null };
  };
}

/** Returns the statistics of all rows, computed by the database; those of the loaded rows where it refuses. */
export async function toEngineStats(
  statement: StatsStatement,
  field: ResultField,
  toLoaded: () => Promise<ShownStats>,
  signal: AbortSignal,
): Promise<ShownStats> {
  const since = performance.now();
  try {
    const stats = await readColumnStats(statement, field, toReader(statement, signal));
    return { stats, of: `all ${formatCountOf(stats.rows, "row")}`, ms: performance.now() - since, note: null };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...(await toLoaded()), note: "The database can't compute statistics of this statement." };
  }
}
