import type { FoundDate } from "../link";
import type { ColumnName, TableName, ValueName } from "./names";

/** The parts of a question as its words say them, before columns and joins are chosen. */

export type Operator = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type Aggregate = "avg" | "min" | "max" | "sum";
export type Entity = { table: TableName } | { column: ColumnName };

export type Item =
  | { kind: "column"; column: ColumnName; isDistinct: boolean }
  | { kind: "aggregate"; fn: Aggregate; column: ColumnName }
  | { kind: "count"; entity: Entity | null; isDistinct: boolean }
  | { kind: "rows"; table: TableName };

export type Condition =
  | { kind: "compare"; column: ColumnName | null; adjective?: Adjective; op: Operator; value: number }
  | { kind: "numbers"; column: ColumnName; values: number[]; isNegated: boolean }
  | { kind: "between"; column: ColumnName; low: number; high: number }
  | { kind: "values"; column: ColumnName | null; values: ValueName[]; isNegated: boolean }
  | { kind: "text"; column: ColumnName; text: string; where: "anywhere" | "start" | "end"; isNegated: boolean }
  | { kind: "empty"; column: ColumnName; isNegated: boolean }
  | { kind: "date"; column: ColumnName | null; date: FoundDate };

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
  | { kind: "order"; by: Item | null; isDescending: boolean | null }
  | { kind: "extreme"; column: ColumnName | null; adjective: Adjective | null; isDescending: boolean; limit: number }
  | { kind: "most"; table: TableName; isDescending: boolean; limit: number }
  | { kind: "having"; table: TableName; op: Operator; value: number }
  | { kind: "exists"; table: TableName; isNegated: boolean };

export type Question = { items: Item[]; modifiers: Modifier[]; isDistinct: boolean };
