import type { Grain } from "./dates";
import type { Column, Step, Table } from "./schema";
import type { Comparison } from "./words";

/** A question in relational algebra, before it is rendered in the database's language. */

/** A column of one of the joined tables. */
export type Ref = { table: Table; column: Column };

export type Predicate =
  | { kind: "compare"; ref: Ref; op: Comparison | "<>"; value: string | number | boolean }
  | { kind: "in"; ref: Ref; values: (string | number)[]; isNegated: boolean }
  | { kind: "null"; ref: Ref; isNegated: boolean }
  | { kind: "contains"; ref: Ref; text: string; where: "anywhere" | "start" | "end"; isNegated: boolean }
  /** Days from start to end, which is exclusive; for a column of years, the same in years. */
  | { kind: "span"; ref: Ref; start: string | null; end: string | null; isNegated: boolean }
  /** Rows that have rows (or none) at the end of the path, whose first step goes down. */
  | { kind: "exists"; table: Table; steps: Step[]; where: Predicate[]; isNegated: boolean };

export type Measure = { alias: string } & (
  | { fn: "count" }
  | { fn: "countDistinct"; ref: Ref }
  | { fn: "sum" | "avg" | "min" | "max"; ref: Ref; times?: Ref }
  /** Percent of rows that match; without a condition, of all rows of the answer. */
  | { fn: "share"; where: Predicate[] | null; of?: { ref: Ref; times?: Ref | undefined } }
  | { fn: "ratio"; of: Ref }
);

export type Output =
  | { alias: string; kind: "column"; ref: Ref }
  | { alias: string; kind: "time"; ref: Ref; grain: Grain };

/** Names of figures before the names of their columns. */
export const FIGURE_NAMES = { sum: "total", avg: "average", min: "lowest", max: "highest" };
/** Maximum rows of a list if the question names no number. */
export const ROWS_MAX = 1000;

export type Plan = {
  from: Table;
  joins: Step[];
  where: Predicate[];
  /** Keys that tell rows apart but are not shown. */
  hiddenKeys: Ref[];
  outputs: Output[];
  measures: Measure[];
  /** Whether each combination of the outputs appears once. */
  isDistinct: boolean;
  having: { measure: number; op: Comparison; value: number }[];
  order: { alias: string; isDescending: boolean }[];
  limit: number | null;
  /** Name of the column that counts the groups, if the question asks for their number. */
  countedAs: string | null;
};

/** Returns a plan that reads a table and shows nothing yet. */
export function emptyPlan(from: Table): Plan {
  return {
    from,
    joins: [],
    where: [],
    hiddenKeys: [],
    outputs: [],
    measures: [],
    isDistinct: false,
    having: [],
    order: [],
    limit: null,
    countedAs: null,
  };
}
