/*
 * A question to one connection: a table, its joins, filters, summaries and groups. The browser edits it, the server
 * renders it as a statement.
 */

/** Spans of time that a group can have, from the shortest. */
export const QUESTION_GRAINS = ["minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type QuestionGrain = (typeof QUESTION_GRAINS)[number];

/** `last` and `next` include the current unit of time, `previous` does not. */
// biome-ignore format: one look at the whole list
export const QUESTION_OPS = [
  "eq", "ne", "lt", "lte", "gt", "gte", "between", "in", "nin",
  "contains", "notContains", "startsWith", "endsWith", "isNull", "notNull", "last", "previous", "next",
] as const;
export type QuestionOp = (typeof QUESTION_OPS)[number];

export const SUMMARY_FUNCTIONS = ["count", "distinct", "sum", "avg", "min", "max"] as const;
export type SummaryFunction = (typeof SUMMARY_FUNCTIONS)[number];

export const FORMULA_SIGNS = ["+", "-", "*", "/"] as const;

/** A column: of the joined table `table`, or without it of the first table or a formula. */
export type ColumnRef = { table?: string | undefined; column: string };
export type QuestionTable = { name: string; schema?: string | undefined };
export type QuestionJoin = {
  table: QuestionTable;
  /** Unique name of the table in the question. Default: its own. */
  as?: string | undefined;
  kind: "left" | "inner";
  /** Each column of the joined table equals one of an earlier table. */
  on: { from: ColumnRef; column: string }[];
};
export type QuestionValue = string | number | boolean | null;
export type QuestionFilter = {
  column: ColumnRef;
  op: QuestionOp;
  /** None, one, or several, as the operator takes. */
  values: QuestionValue[];
  /** Number of units of a relative date. */
  count?: number | undefined;
  unit?: QuestionGrain | undefined;
};
/** A number that a double would round is a text. */
export type FormulaPart = { column?: ColumnRef | undefined; number?: number | string | undefined };
export type QuestionFormula = {
  name: string;
  left: FormulaPart;
  sign: (typeof FORMULA_SIGNS)[number];
  right: FormulaPart;
};
export type QuestionSummary = {
  function: SummaryFunction;
  /** Absent for a count. */
  column?: ColumnRef | undefined;
  /** Table whose rows a count counts; absent: the rows after joining. */
  table?: string | undefined;
  name?: string | undefined;
};
export type QuestionGroup = {
  column: ColumnRef;
  grain?: QuestionGrain | undefined;
  /** Width of a range of numbers. */
  bin?: number | undefined;
};
export type QuestionSort = { by: string; order: "asc" | "desc" };
export type Question = {
  table: QuestionTable;
  joins: QuestionJoin[];
  formulas: QuestionFormula[];
  filters: QuestionFilter[];
  summaries: QuestionSummary[];
  groups: QuestionGroup[];
  /** Columns of a question without summaries and groups. Empty: all. */
  columns: ColumnRef[];
  sorts: QuestionSort[];
  limit?: number | undefined;
  /** Zone of days and of times without an offset. */
  timezone: string;
};

/** Limits of a question: each part is a clause that a person chose. */
export const QUESTION_LIMITS = {
  joins: 10,
  /** Columns of a key. */
  pairs: 8,
  parts: 50,
  values: 1_000,
  columns: 500,
  /** Columns of the result, which may be all of its tables. More are more than a grid shows. */
  outputs: 5_000,
  /** Columns and numbers of a formula, with those of the formulas that it uses: each use repeats the expression. */
  terms: 200,
  nameChars: 500,
  valueChars: 10_000,
  /** Units of a relative date: three years of days. */
  units: 1_100,
  /** Rows that a statement returns; the result itself has the limits of its format. */
  rows: 1_000_000,
} as const;

/** Rows of a new question: a preview. */
export const NEW_QUESTION_ROWS = 1_000;

export const NEW_QUESTION: Omit<Question, "table" | "timezone"> = {
  joins: [],
  formulas: [],
  filters: [],
  summaries: [],
  groups: [],
  columns: [],
  sorts: [],
};

/** Returns the name of a table of a list, for a question. */
export function toQuestionTable({ name, schema }: QuestionTable): QuestionTable {
  return { name, ...(schema !== undefined && { schema }) };
}

/** Returns a question as the fragment of an address, which no server limits. */
export function toFragment(question: Question): string {
  return `#${encodeURIComponent(JSON.stringify(question))}`;
}

/** Returns the unique name of a joined table. */
export function joinName({ as, table }: QuestionJoin): string {
  return as ?? table.name;
}

/** Whether a question returns groups instead of single rows. */
export function isSummarized({ summaries, groups }: Pick<Question, "summaries" | "groups">): boolean {
  return summaries.length > 0 || groups.length > 0;
}
