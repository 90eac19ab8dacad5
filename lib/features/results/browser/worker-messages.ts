import type { ChartData } from "@/lib/base/charts/data";
import type { ChartSettings } from "@/lib/base/charts/settings";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import type { Summed } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import type { CopyText } from "@/lib/features/results/browser/copy-rows";

/** What can be asked of the worker that holds a result, and what it answers. Rows are counted as they are shown. */
export type Asked = {
  /** Runs a query and reads all of its rows. */
  load: { ask: { url: string; body: unknown; fields: ResultField[] }; answer: LoadEnd };
  /** Takes the rows of a result that the page has already. */
  adopt: { ask: { fields: ResultField[]; rows: ResultRow[] }; answer: null };
  /** `order` is null when all rows are shown as they came, and when it was not asked for. */
  arrange: {
    ask: { arrangement: Arrangement; isOrderWanted: boolean };
    answer: { count: number; order: Uint32Array | null } | "stale";
  };
  rows: { ask: { from: number; to: number }; answer: CellValue[][] };
  copy: { ask: CopyAsk; answer: string };
  sum: { ask: { columns: number[]; from: number; to: number }; answer: Summed | null };
  chart: { ask: ChartAsk; answer: ChartData };
};
/** `zone` is the reader's, by which days are cut; null for UTC. */
export type ChartAsk = { settings: ChartSettings; zone: string | null };
export type CopyAsk = {
  format: CopyText;
  columns: number[];
  from: number;
  to: number;
  withHead: boolean;
  /** For INSERT statements: the table as it is written there, and who reads them. */
  insert?: { table: string; dialect: SqlDialect };
};
export type LoadProgress = { rows: number; bytes: number };
/** `isCut` when the browser could hold no more. */
export type LoadEnd = LoadProgress & { isCut: boolean; ms: number };

export type Ask = { [K in keyof Asked]: { id: number; type: K } & Asked[K]["ask"] }[keyof Asked];
export type Reply =
  | { id: number; status: "done"; answer: unknown }
  | { id: number; status: "progress"; progress: LoadProgress }
  | { id: number; status: "failed"; message: string; code: string };
