import type { Grain } from "./dates";
import type { Column, Step, Table } from "./schema";

/** A question in the terms of relational algebra, before it is written in the language of a database. */

/** A column of one of the joined tables. */
export type Ref = { table: Table; column: Column };

export type Predicate =
  | { kind: "compare"; ref: Ref; op: "=" | "<>" | "<" | "<=" | ">" | ">="; value: string | number | boolean }
  | { kind: "in"; ref: Ref; values: (string | number)[]; isNegated: boolean }
  | { kind: "null"; ref: Ref; isNegated: boolean }
  | { kind: "contains"; ref: Ref; text: string; where: "anywhere" | "start" | "end"; isNegated: boolean }
  /** Days from start up to end, without it; on a column of years the same in years. */
  | { kind: "span"; ref: Ref; start: string | null; end: string | null; isNegated: boolean }
  /** Rows that have rows (or none) at the end of the way, which begins downwards. */
  | { kind: "exists"; table: Table; steps: Step[]; where: Predicate[]; isNegated: boolean };

export type Measure = { alias: string } & (
  | { fn: "count" }
  | { fn: "countDistinct"; ref: Ref }
  | { fn: "sum" | "avg" | "min" | "max"; ref: Ref; times?: Ref }
  /** Percent of rows that hold; without a condition, of all rows of the answer. */
  | { fn: "share"; where: Predicate[] | null; of?: { ref: Ref; times?: Ref | undefined } }
  | { fn: "ratio"; of: Ref }
);

export type Output =
  | { alias: string; kind: "column"; ref: Ref }
  | { alias: string; kind: "time"; ref: Ref; grain: Grain };

export type Plan = {
  from: Table;
  joins: Step[];
  where: Predicate[];
  /** What rows are told apart by but not shown. */
  hiddenKeys: Ref[];
  outputs: Output[];
  measures: Measure[];
  /** Each combination of the outputs once. */
  isDistinct: boolean;
  having: { measure: number; op: "<" | "<=" | ">" | ">=" | "="; value: number }[];
  order: { alias: string; isDescending: boolean }[];
  limit: number | null;
  /** Not the groups are asked for but how many there are, by this name. */
  countedAs: string | null;
};
