import type { Grain } from "./dates";
import type { Column, Step, Table } from "./schema";
import { type Comparison, singularOf } from "./words";

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

const FIGURES = { sum: "total", avg: "average", min: "lowest", max: "highest" };
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
  /** Whether rows that share the last place belong to the answer too. */
  withTies: boolean;
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
    withTies: false,
    countedAs: null,
  };
}

/** Returns the columns with different aliases; a repeated one counts once. */
export function outputsOf(refs: readonly Ref[]): Output[] {
  const outputs: Output[] = [];
  for (const ref of refs) addOutput(outputs, ref);
  return outputs;
}

/** Returns the alias of a column, which is added if it is missing. */
export function addOutput(outputs: Output[], ref: Ref): string {
  const known = outputs.find(
    (each) => each.kind === "column" && each.ref.table === ref.table && each.ref.column === ref.column,
  );
  if (known) return known.alias;
  const name = nameInUnit(ref.column);
  const isTaken = outputs.some((each) => each.alias === name);
  const alias = freeAlias(isTaken ? `${tableAlias(ref.table, true)}_${name}` : name, outputs);
  outputs.push({ alias, kind: "column", ref });
  return alias;
}

/** Returns the name, with a number behind it if it is taken. */
export function freeAlias(name: string, taken: readonly { alias: string }[]): string {
  let alias = name;
  for (let n = 2; taken.some((each) => each.alias === alias); n++) alias = `${name}_${n}`;
  return alias;
}

/** Returns a table's name as a part of an alias. */
export function tableAlias({ name }: Table, isSingular = false): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "_");
  return isSingular ? singularOf(plain) : plain;
}

/** Returns the alias of a figure: "total_price". The product of two columns, of prices and quantities, is a revenue. */
export function figureAlias(fn: keyof typeof FIGURES, { column }: Ref, times?: Ref): string {
  return `${FIGURES[fn]}_${times ? "revenue" : nameInUnit(column)}`.replace("total_total", "total");
}

/** Returns what a column's values are called in the usual unit: those of `price_cents` are prices. */
function nameInUnit({ name, unit }: Column): string {
  return unit === 1 ? name : name.replace(/_?cents?$/i, "") || "amount";
}
