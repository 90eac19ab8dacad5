import { type StatsColumn, toBarsQuery, toStatsQuery, toTopQuery } from "@/lib/base/sql/column-stats";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { api } from "@/lib/features/query/browser/api";
import { type ExecuteTarget, toExecuteRequest } from "@/lib/features/query/browser/execute";
import { toPlainText } from "@/lib/features/results/browser/cell-text";
import { toConditionKind } from "@/lib/features/results/browser/column-filter";
import { BARS, type ColumnStats, TOP_MAX, toStatsBars } from "@/lib/features/results/browser/column-stats";
import { newId } from "@/lib/platform/browser/new-id";

export type StatsStatement = { target: ExecuteTarget; text: string; dialect: SqlDialect };
/** Runs a query that only reads, and returns its rows. */
export type ReadRows = (query: string) => Promise<ResultRow[]>;

/** Returns a function that runs queries on the connection of a statement, with its variables, read-only. */
export function toReader({ target }: StatsStatement, signal: AbortSignal): ReadRows {
  return async (query) => {
    const options = { executionId: newId(), limit: BARS + 1, keep: false, readOnly: true } as const;
    const answer = await api.execute(toExecuteRequest(target, query, options), signal);
    return answer.rows;
  };
}

/**
 * Computes the statistics of a column over all rows of a statement, in its database.
 * @throws ApiError when the database refuses: the statement is no subquery there, or lacks a function
 */
export async function readColumnStats(
  { text, dialect }: Pick<StatsStatement, "text" | "dialect">,
  field: ResultField,
  read: ReadRows,
): Promise<ColumnStats> {
  const column: StatsColumn = { name: field.name, kind: toConditionKind(field) };
  const [row = {}] = await read(toStatsQuery(text, column, dialect));
  const rows = Number(row.total);
  const min = toTextOrNull(row.least);
  const max = toTextOrNull(row.most);
  const stats: ColumnStats = {
    rows,
    nulls: rows - Number(row.filled),
    distinct: Number(row.different),
    min,
    max,
    average: toTextOrNull(row.average),
    sum: toTextOrNull(row.total_sum),
    bars: [],
    top: [],
  };
  const least = Number(min);
  const most = Number(max);
  const isWide = column.kind === "number" && stats.distinct !== null && stats.distinct > TOP_MAX && least < most;
  if (isWide && Number.isFinite(most - least)) {
    const counts = new Array<number>(BARS).fill(0);
    for (const { bar, occurrences } of await read(
      toBarsQuery(text, field.name, { least, most, bars: BARS }, dialect),
    )) {
      // The greatest value begins a further bar.
      const at = Math.max(0, Math.min(BARS - 1, Number(bar)));
      counts[at] = (counts[at] ?? 0) + Number(occurrences);
    }
    return { ...stats, bars: toStatsBars(least, most, counts) };
  }
  // Each value occurs once: none is more frequent.
  if (stats.distinct === rows - stats.nulls && rows > TOP_MAX) return stats;
  const top = await read(toTopQuery(text, column, dialect, TOP_MAX));
  return {
    ...stats,
    top: top.map(({ value, occurrences }) => ({ value: toPlainText(value), count: Number(occurrences) })),
  };
}

function toTextOrNull(value: CellValue | undefined): string | null {
  return value === null || value === undefined ? null : toPlainText(value);
}
