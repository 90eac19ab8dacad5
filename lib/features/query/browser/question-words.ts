import type {
  ColumnRef,
  QuestionFilter,
  QuestionGroup,
  QuestionJoin,
  QuestionOp,
  QuestionSummary,
  SummaryFunction,
} from "@/lib/base/questions/question";
import { joinName } from "@/lib/base/questions/question";

const OP_WORDS: Readonly<Record<QuestionOp, string>> = {
  eq: "is",
  ne: "is not",
  lt: "less than",
  lte: "at most",
  gt: "greater than",
  gte: "at least",
  between: "between",
  in: "is one of",
  nin: "is none of",
  contains: "contains",
  notContains: "does not contain",
  startsWith: "starts with",
  endsWith: "ends with",
  isNull: "is null",
  notNull: "is not null",
  last: "in the last",
  previous: "in the previous",
  next: "in the next",
};
const TIME_WORDS: Partial<Record<QuestionOp, string>> = { lt: "before", lte: "until", gt: "after", gte: "from" };

export const FUNCTION_WORDS: Readonly<Record<SummaryFunction, string>> = {
  count: "Count of rows",
  distinct: "Distinct values",
  sum: "Sum",
  avg: "Average",
  min: "Minimum",
  max: "Maximum",
};

/** Returns an operator in words. @param isTime whether the values are dates or times */
export function toOpWord(op: QuestionOp, isTime: boolean): string {
  return (isTime && TIME_WORDS[op]) || OP_WORDS[op];
}

export function toColumnText({ table, column }: ColumnRef): string {
  return table === undefined ? column : `${table}.${column}`;
}

/** Values that a pill lists; further ones are counted. */
const LISTED_VALUES = 2;

/** Returns operator and values of a filter. */
export function toFilterWords({ op, values, count, unit }: QuestionFilter, isTime: boolean): string {
  const word = toOpWord(op, isTime);
  if (op === "isNull" || op === "notNull") return word;
  if (op === "last" || op === "previous" || op === "next") return `${word} ${count} ${unit}${count === 1 ? "" : "s"}`;
  const shown = values.map((value) => String(value));
  if (op === "between") return `${word} ${shown.join(" and ")}`;
  const rest = shown.length - LISTED_VALUES;
  return `${word} ${shown.slice(0, LISTED_VALUES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns a summary in words. */
export function toSummaryWords({ function: name, column, table }: QuestionSummary): string {
  if (column) return `${FUNCTION_WORDS[name]} of ${toColumnText(column)}`;
  return table === undefined ? FUNCTION_WORDS[name] : `Count of ${table}`;
}

export function toGroupWords({ column, grain, bin }: QuestionGroup): string {
  const by = grain ? ` by ${grain}` : bin ? ` by ${bin}` : "";
  return toColumnText(column) + by;
}

export function toJoinWords(join: QuestionJoin): string {
  return join.on.map(({ from, column }) => `${toColumnText(from)} = ${joinName(join)}.${column}`).join(" and ");
}
