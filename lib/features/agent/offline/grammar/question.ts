import type { Grain } from "../dates";
import type { FoundDate } from "../link";
import type { Comparison } from "../words";
import type { ColumnName, TableName, ValueName } from "./names";

/** The parts of a question as its words say them, before columns and joins are chosen. */

export type Operator = Comparison | "<>";
export type Aggregate = "avg" | "min" | "max" | "sum";
export type Thing = { table: TableName } | { column: ColumnName };
export type Entity =
  | Thing
  /** Null is the only time of the counted rows. */
  | { grain: Grain; column: ColumnName | null };

export type Item =
  /** The owner is the table that the words name: "names of clubs". */
  | { kind: "column"; column: ColumnName; isDistinct: boolean; owner?: TableName }
  /** The name of rows beside other columns: "players and their clubs". */
  | { kind: "display"; table: TableName }
  | { kind: "share" }
  /** The time of the first or last row. */
  | { kind: "moment"; table: TableName; isLast: boolean }
  /** The average number of rows that one row of another table has. */
  | { kind: "ratio"; table: TableName; per: TableName }
  | { kind: "aggregate"; fn: Aggregate; column: ColumnName }
  /** "Total refunds" may be their number, or what they add up to. */
  | { kind: "count"; entity: Thing | null; isDistinct: boolean; isTotal?: boolean }
  | { kind: "rows"; table: TableName };

export type Condition =
  | { kind: "compare"; column: ColumnName | null; adjective?: Adjective; op: Operator; value: number }
  | { kind: "numbers"; column: ColumnName; values: number[]; isNegated: boolean }
  | { kind: "between"; column: ColumnName; low: number; high: number }
  /** A bare one follows its rows without a word between: "orders shipped". */
  | { kind: "values"; column: ColumnName | null; values: ValueName[]; isNegated: boolean; isBare?: boolean }
  | { kind: "flag"; column: ColumnName; isSet: boolean }
  | { kind: "text"; column: ColumnName; text: string; where: "anywhere" | "start" | "end"; isNegated: boolean }
  | { kind: "empty"; column: ColumnName; isNegated: boolean }
  /** A bare one follows its rows with a column and without a word between: "invoices due next week". */
  | { kind: "date"; column: ColumnName | null; date: FoundDate; isBare?: true }
  | { kind: "years"; column: ColumnName | null; values: number[] }
  /** One of some values of one column. */
  | { kind: "either"; conditions: Condition[] };

/** An adjective that compares: the names that its column may have. */
export type Adjective = {
  columns: readonly string[];
  /** A word of a column whose values run the other way, as dates of birth to ages. */
  opposite?: string;
  isDescending: boolean;
};

export type Modifier =
  | { kind: "scope"; table: TableName }
  | { kind: "conditions"; conditions: Condition[] }
  | { kind: "groups"; entities: Entity[] }
  /** "Highest first" sorts by the figure. */
  | { kind: "order"; by: Item | "figure" | null; isDescending: boolean | null }
  /**
   * The number of rows that the superlative or rank beside it selects. "Best selling" tells which figures may rank them,
   * and "" that only the words beside it do.
   */
  | { kind: "top"; limit: number; isDescending: boolean; said: string; isSelling?: boolean }
  | { kind: "rank"; by: Item }
  | { kind: "extreme"; column: ColumnName | null; adjective: Adjective | null; isDescending: boolean; limit: number }
  | { kind: "most"; of: Counted; isDescending: boolean; limit: number }
  | { kind: "having"; of: Counted; op: Operator; value: number }
  | { kind: "exists"; table: TableName; isNegated: boolean };

export type ModifierOf<K extends Modifier["kind"]> = Extract<Modifier, { kind: K }>;

/** The figure that a superlative over related rows compares: their number, or one of a column. */
export type Counted = { table: TableName } | { fn: Aggregate; column: ColumnName };

export type Question = { items: Item[]; modifiers: Modifier[]; isDistinct: boolean };
