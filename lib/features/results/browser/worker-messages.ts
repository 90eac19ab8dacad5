import type { ChartData } from "@/lib/base/charts/data";
import type { ChartSettings } from "@/lib/base/charts/settings";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { Summed } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { RereadRequest } from "@/lib/features/query/browser/execute";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import type { ColumnStats } from "@/lib/features/results/browser/column-stats";
import type { CopyText } from "@/lib/features/results/browser/copy-rows";
import type { FindAsk, Found } from "@/lib/features/results/browser/find-rows";
import type { PivotAsk, PivotRows } from "@/lib/features/results/browser/pivot-rows";

/** Requests to the worker that holds a result, and its responses. Rows are numbered as shown. */
export type Asked = {
  /** Runs a query and reads all of its rows. */
  load: { ask: { request: RereadRequest; fields: ResultField[] }; answer: LoadEnd };
  /** Takes over the rows of a result that the page has loaded. */
  adopt: { ask: { fields: ResultField[]; rows: ResultRow[] }; answer: null };
  /** `order` is null when all rows are shown in their original order, and when it was not requested. */
  arrange: {
    ask: { arrangement: Arrangement; isOrderWanted: boolean };
    answer: { count: number; order: Uint32Array | null } | "stale";
  };
  rows: { ask: { from: number; to: number }; answer: CellValue[][] };
  copy: { ask: CopyAsk; answer: string };
  sum: { ask: { columns: number[]; from: number; to: number }; answer: Summed | null };
  chart: { ask: ChartAsk; answer: ChartData };
  stats: { ask: { column: number }; answer: ColumnStats };
  pivot: { ask: PivotAsk; answer: PivotRows };
  find: { ask: FindAsk; answer: Found | "stale" };
};
/** `zone` is the reader's time zone, which determines days; null for UTC. */
export type ChartAsk = { settings: ChartSettings; zone: string | null };
export type CopyAsk = {
  format: CopyText;
  columns: number[];
  from: number;
  to: number;
  withHead: boolean;
  /** Table name of INSERT statements, as written there, and the SQL dialect. */
  insert?: { table: string; dialect: SqlDialect };
};
export type LoadProgress = { rows: number; bytes: number };
/** `isCut` when the rows exceeded the browser's limits. */
export type LoadEnd = LoadProgress & { isCut: boolean; ms: number };

export type Ask = { [K in keyof Asked]: { id: number; type: K } & Asked[K]["ask"] }[keyof Asked];
export type Reply =
  | { id: number; status: "done"; answer: unknown }
  | { id: number; status: "progress"; progress: LoadProgress }
  | { id: number; status: "failed"; message: string; code: string };
