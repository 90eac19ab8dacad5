import type { EntityColumn } from "../values/fields.ts";
import type { QuestionGrain, QuestionOp, SummaryFunction } from "./question.ts";
import { QUESTION_GRAINS } from "./question.ts";

/** Kind of a column's values: `time` is a local time without a zone, `instant` a moment. */
export type QuestionKind = "number" | "text" | "boolean" | "date" | "time" | "instant" | "other";

// The first match decides. Lengths and wrappers are removed before.
const PATTERNS: [RegExp, QuestionKind][] = [
  [/^(?:enum|set)\b/i, "text"],
  [/timestamptz|with time zone|datetimeoffset/i, "instant"],
  [/^(?:timestamp|datetime)/i, "time"],
  [/^date(?:32)?$/i, "date"],
  [/^bool/i, "boolean"],
  [/^long$/i, "number"],
  [/^(?!point|interval)[a-z ]*(?:int|serial|numeric|decimal|number|float|double|real|year)/i, "number"],
  [/char|text|string|uuid|clob/i, "text"],
];

/**
 * Returns the kind of a column by its database's type.
 * @param instants types without a zone in their name whose values are moments
 */
export function toQuestionKind(
  { type, values }: Pick<EntityColumn, "type" | "values">,
  instants?: RegExp,
): QuestionKind {
  if (values) return "text";
  let plain = type.trim();
  for (let inner = WRAPPED.exec(plain); inner; inner = WRAPPED.exec(plain)) plain = inner[1] ?? "";
  if (instants?.test(plain)) return "instant";
  // MariaDB's JSON is a text type with a note.
  if (/\[\]|^(?:array|map|tuple|struct|row|json)|\/\* json \*\//i.test(plain)) return "other";
  plain = plain.replaceAll(/\([^)]*\)?/g, "");
  // Values of several types have no order.
  if (plain.includes("|")) return "other";
  return PATTERNS.find(([pattern]) => pattern.test(plain))?.[1] ?? "other";
}

/** ClickHouse's wrappers, which do not change the values. */
const WRAPPED = /^(?:Nullable|LowCardinality)\((.*)\)$/s;

export function isTemporal(kind: QuestionKind): kind is "date" | "time" | "instant" {
  return kind === "date" || kind === "time" || kind === "instant";
}

const ALWAYS = ["eq", "ne", "in", "nin", "isNull", "notNull"] as const satisfies QuestionOp[];
const ORDERED = ["lt", "lte", "gt", "gte", "between"] as const satisfies QuestionOp[];
const TEXT = ["contains", "notContains", "startsWith", "endsWith"] as const satisfies QuestionOp[];
const RELATIVE = ["last", "previous", "next"] as const satisfies QuestionOp[];
const OPS: Readonly<Record<QuestionKind, readonly QuestionOp[]>> = {
  number: [...ALWAYS, ...ORDERED],
  text: [...ALWAYS, ...TEXT, ...ORDERED],
  boolean: ALWAYS,
  date: [...RELATIVE, ...ALWAYS, ...ORDERED],
  time: [...RELATIVE, ...ALWAYS, ...ORDERED],
  instant: [...RELATIVE, ...ALWAYS, ...ORDERED],
  other: [...ALWAYS, ...TEXT],
};

/** Returns the operators for a kind, the most usual first. */
export function opsOf(kind: QuestionKind): readonly QuestionOp[] {
  return OPS[kind];
}

/** Returns the number of values that an operator takes. */
export function valueCountOf(op: QuestionOp): { min: number; max: number } {
  if (op === "isNull" || op === "notNull" || op === "last" || op === "previous" || op === "next")
    return { min: 0, max: 0 };
  if (op === "between") return { min: 2, max: 2 };
  return op === "in" || op === "nin" ? { min: 1, max: Number.POSITIVE_INFINITY } : { min: 1, max: 1 };
}

/** Returns the spans of time for a group or a relative date; none for other kinds. */
export function grainsOf(kind: QuestionKind): readonly QuestionGrain[] {
  if (!isTemporal(kind)) return [];
  return kind === "date" ? QUESTION_GRAINS.slice(QUESTION_GRAINS.indexOf("day")) : QUESTION_GRAINS;
}

/** Returns the functions that summarize a column; `count` needs none. */
export function functionsOf(kind: QuestionKind): readonly SummaryFunction[] {
  if (kind === "number") return ["sum", "avg", "min", "max", "distinct"];
  return kind === "text" || isTemporal(kind) ? ["distinct", "min", "max"] : ["distinct"];
}
