import { isTimeField } from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import { jsonErrorPlace } from "@/lib/base/values/json-error";
import type { ResultField } from "@/lib/base/values/json-rows";

/*
 * The parts of a widget's specification that are edited as column names, and their notation. Everything else stays
 * unchanged.
 */

export const OPERATIONS = [
  "sum",
  "count",
  "countDistinct",
  "avg",
  "median",
  "q1",
  "q3",
  "min",
  "max",
  "ratio",
] as const;
export type Operation = (typeof OPERATIONS)[number];
export const UNITS = ["year", "quarter", "month", "week", "day", "hour"] as const;
export type Unit = (typeof UNITS)[number];
export const OPERATION_WORDS: Record<Operation, string> = { sum: "Sum of", count: "Count of", countDistinct: "Distinct count of", avg: "Average of", median: "Median of", q1: "Lower quartile of", q3: "Upper quartile of", min: "Minimum of", max: "Maximum of", ratio: "Ratio of" }; // biome-ignore format: one look
export const UNIT_WORDS: Record<Unit, string> = { year: "by year", quarter: "by quarter", month: "by month", week: "by week", day: "by day", hour: "by hour" }; // biome-ignore format: one look

export type Dimension = { field: string; timeUnit: Unit | null; as: string | null };
/** Counts rows without a field. A ratio divides the sum of `field` by the sum of `by`. */
export type Measure = { field: string | null; op: Operation; as: string | null; by?: string };
export type Sort = { by: string; order: "asc" | "desc" };
export type Shelves = { dimensions: Dimension[]; measures: Measure[]; sort: Sort | null; limit: number | null };

type Spec = Readonly<Record<string, unknown>>;
/** Returns the shelves of a specification; null for one that they cannot express, which is edited as text. */
export function readShelves(spec: Spec): Shelves | null {
  const dimensions = readList(spec.dimensions, (value) => readDimension(value, toUnit(spec.timeUnit)));
  const measures = readList(spec.measures, readMeasure);
  const sorts = readList(spec.sort, readSort);
  if (!dimensions || !measures || !sorts || sorts.length > 1) return null;
  const limit = spec.limit === undefined ? null : spec.limit;
  if (limit !== null && (typeof limit !== "number" || !Number.isInteger(limit))) return null;
  return { dimensions, measures, sort: sorts[0] ?? null, limit };
}

/** Returns the specification with these shelves. A sort by a removed column is dropped. */
export function writeShelves(spec: Spec, { dimensions, measures, sort, limit }: Shelves): Record<string, unknown> {
  const { dimensions: _, measures: __, sort: ___, limit: ____, timeUnit: _____, ...rest } = spec;
  const columns = columnsOf({ dimensions, measures });
  const isSorted = sort !== null && (columns.length === 0 || columns.includes(sort.by));
  return {
    ...rest,
    ...(dimensions.length > 0 && { dimensions: dimensions.map(toDimension) }),
    ...(measures.length > 0 && {
      measures: measures.map(({ field, op, as, by }) => ({
        ...(field !== null && { field }),
        op,
        ...(by && { by }),
        ...(as && { as }),
      })),
    }),
    ...(isSorted && { sort: [sort] }),
    ...(limit !== null && { limit }),
  };
}

/** Returns the names of the result's columns, dimensions first; empty where rows are not aggregated. */
export function columnsOf({ dimensions, measures }: Pick<Shelves, "dimensions" | "measures">): string[] {
  return [...dimensions.map(({ field, as }) => as ?? field), ...measures.map(toColumnName)];
}

/** Returns the server's name for the column. */
export function toColumnName({ field, op, as, by }: Measure): string {
  if (by !== undefined) return as ?? `${field}_per_${by}`;
  return as ?? (field === null ? "count" : `${op}_${field}`);
}

/** Returns a dimension of a column: times are grouped by month. */
export function toFirstDimension(field: ResultField): Dimension {
  return { field: field.name, timeUnit: isTimeField(field) ? "month" : null, as: null };
}

/** Returns the operations that a column supports. */
export function operationsFor(
  field: ResultField | undefined,
  among: readonly Operation[] = OPERATIONS,
): readonly Operation[] {
  const all: readonly Operation[] = field === undefined || isNumericField(field) ? OPERATIONS : OF_ANY;
  return all.filter((op) => among.includes(op));
}
/** Operations on columns without arithmetic. */
const OF_ANY: readonly Operation[] = ["count", "countDistinct", "min", "max"];

function toDimension({ field, timeUnit, as }: Dimension): unknown {
  return timeUnit === null && as === null ? field : { field, ...(timeUnit && { timeUnit }), ...(as && { as }) };
}

/** @returns null when one of the items is invalid */
function readList<T>(value: unknown, read: (item: unknown) => T | null): T[] | null {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return null;
  const items = value.map(read);
  return items.every((item) => item !== null) ? items : null;
}

function readDimension(value: unknown, unit: Unit | null): Dimension | null {
  if (typeof value === "string") return { field: value, timeUnit: unit, as: null };
  const { field, timeUnit, as, ...more } = toRecord(value);
  if (typeof field !== "string" || Object.keys(more).length > 0) return null;
  return { field, timeUnit: toUnit(timeUnit) ?? unit, as: typeof as === "string" ? as : null };
}

function readMeasure(value: unknown): Measure | null {
  const { field, op: asked, as, by, ...more } = toRecord(value);
  const op = OPERATIONS.find((each) => each === asked);
  if (op === undefined || Object.keys(more).length > 0 || (field === undefined && op !== "count")) return null;
  if (field !== undefined && typeof field !== "string") return null;
  if ((op === "ratio") !== (typeof by === "string")) return null;
  return { field: field ?? null, op, as: typeof as === "string" ? as : null, ...(typeof by === "string" && { by }) };
}

function readSort(value: unknown): Sort | null {
  const { by, order = "asc" } = toRecord(value);
  return typeof by === "string" && (order === "asc" || order === "desc") ? { by, order } : null;
}

function toUnit(value: unknown): Unit | null {
  return UNITS.find((each) => each === value) ?? null;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/**
 * Parses a typed specification.
 * @param lists properties that are lists of dimensions
 * @returns the reason why it is invalid, with the line of a syntax error
 */
export function parseSpec(
  text: string,
  lists: readonly string[] = ["dimensions"],
): { spec: Record<string, unknown> } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: toProblem(text) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: 'The specification must be an object: { "mark": "bar", ... }.' };
  }
  const spec = value as Record<string, unknown>;
  const problem = findProblem(spec, lists);
  return problem === null ? { spec } : { problem };
}

/** Returns the first problem that the server would reject, with its place. */
function findProblem(spec: Spec, lists: readonly string[]): string | null {
  for (const [name, what, example] of [
    ...lists.map((list) => [list, readAnyDimension, EXAMPLES.dimensions] as const),
    ["measures", readMeasure, EXAMPLES.measures] as const,
    ["sort", readSort, EXAMPLES.sort] as const,
  ]) {
    const list = spec[name];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return `${name}: expected a list.`;
    const at = list.findIndex((item) => what(item) === null);
    if (at >= 0) return `${name}.${at}: ${example}`;
  }
  const { limit, timeUnit } = spec;
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= LIMIT_MAX)) {
    return `limit: expected a whole number from 1 to ${LIMIT_MAX}.`;
  }
  if (timeUnit !== undefined && toUnit(timeUnit) === null) return `timeUnit: expected one of ${UNITS.join(", ")}.`;
  return null;
}

const EXAMPLES = {
  dimensions: 'expected a column or { "field": "placed_at", "timeUnit": "month" }.',
  measures:
    '{ "field": "amount", "op": "sum" }; op is one of sum, count, countDistinct, avg, median, q1, q3, min, max, ratio.',
  sort: '{ "by": "sum_amount", "order": "desc" }.',
};
/** Same limit as on the server (docs/develop/api.md, Dashboards). */
export const LIMIT_MAX = 50_000;

function readAnyDimension(value: unknown): Dimension | null {
  const { timeUnit } = toRecord(value);
  return timeUnit !== undefined && toUnit(timeUnit) === null ? null : readDimension(value, null);
}

function toProblem(text: string): string {
  const { line, column } = jsonErrorPlace(text) ?? { line: 1, column: 1 };
  return `Invalid JSON at line ${line}, column ${column}.`;
}
