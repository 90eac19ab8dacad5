import type { Grain } from "./dates";
import type { Predicate, Ref } from "./plan";
import type { Table } from "./schema";

/** What a question asks for, before it is decided how tables are joined for it. */

export type MeasureAsk = {
  fn: "count" | "sum" | "avg" | "min" | "max";
  isDistinct: boolean;
  /** What is counted; null counts what the question is about. */
  table: Table | null;
  /** What is added up, the likeliest first; which one is right shows with the tables that it is grouped by. */
  refs: MeasureRef[];
  /** "items per order". */
  per: Table | null;
};
export type MeasureRef = { ref: Ref; times?: Ref; fit: number };

export type DimAsk =
  | { kind: "column"; ref: Ref }
  | { kind: "entity"; table: Table }
  /** Null takes the main date of what is counted. */
  | { kind: "time"; grain: Grain; ref: Ref | null };

export type DateAsk = { start: string | null; end: string | null; ref: Ref | null; isNegated: boolean };
export type HavingAsk = { measure: MeasureAsk; op: "<" | "<=" | ">" | ">=" | "="; value: number };
export type ExistsAsk = { table: Table; isNegated: boolean };

export type Frame = {
  /** What is listed or counted. */
  target: Table | null;
  measures: MeasureAsk[];
  dims: DimAsk[];
  filters: Predicate[];
  dates: DateAsk[];
  exists: ExistsAsk[];
  having: HavingAsk[];
  /** Percent of all; `where` are the conditions whose part is asked for. */
  share: { where: Predicate[] | null } | null;
  /** By a column of the target, or by the first measure. */
  order: { ref: Ref | null; isDescending: boolean } | null;
  limit: number | null;
  /** Columns that are asked for by name. */
  shown: Ref[];
  isDistinctList: boolean;
  /** Words that the answer leaves out of account. */
  ignored: string[];
  /** Stems of the whole question, which choose between two ways of joining. */
  hints: Set<string>;
};
