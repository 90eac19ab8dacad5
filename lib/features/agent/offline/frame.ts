import type { Grain } from "./dates";
import type { Predicate, Ref } from "./plan";
import type { Table } from "./schema";
import type { Comparison } from "./words";

/** The content of a question, before the joins between its tables are chosen. */

export type MeasureAsk = {
  fn: "count" | "sum" | "avg" | "min" | "max";
  isDistinct: boolean;
  /** The counted table; null counts the question's target. */
  table: Table | null;
  /** Columns to sum, the likeliest first. The tables of the grouping decide which one is right. */
  refs: MeasureRef[];
  /** "items per order". */
  per: Table | null;
};
export type MeasureRef = { ref: Ref; times?: Ref; fit: number };

/** Returns the number of a table's rows; of the question's target without a table. */
export function countOf(table: Table | null, isDistinct = false): MeasureAsk {
  return { fn: "count", isDistinct, table, refs: [], per: null };
}

/** Returns a figure of one of some columns, the likeliest first. */
export function figureOf(fn: MeasureAsk["fn"], refs: MeasureRef[]): MeasureAsk {
  return { fn, isDistinct: false, table: null, refs, per: null };
}

export type DimAsk =
  | { kind: "column"; ref: Ref }
  | { kind: "entity"; table: Table }
  /** Null uses the main date of the counted rows. */
  | { kind: "time"; grain: Grain; ref: Ref | null };

export type DateAsk = { start: string | null; end: string | null; ref: Ref | null; isNegated: boolean };
export type HavingAsk = { measure: MeasureAsk; op: Comparison; value: number };
export type ExistsAsk = { table: Table; isNegated: boolean };

export type Frame = {
  /** The table that is listed or counted. */
  target: Table | null;
  measures: MeasureAsk[];
  dims: DimAsk[];
  filters: Predicate[];
  dates: DateAsk[];
  exists: ExistsAsk[];
  having: HavingAsk[];
  /** Percent of all; `where` selects the numerator. */
  share: { where: Predicate[] | null } | null;
  /** The column of the target to sort by; null for the first measure. */
  order: { ref: Ref | null; isDescending: boolean } | null;
  limit: number | null;
  /** Columns that the question names. */
  shown: Ref[];
  isDistinctList: boolean;
  /** Words that the answer ignores. */
  ignored: string[];
  /** Stems of the whole question, which choose between two join paths. */
  hints: Set<string>;
};
