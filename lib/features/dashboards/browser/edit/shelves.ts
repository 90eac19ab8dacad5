import { type ChartSettings, isTimeField } from "@/lib/base/charts/settings";
import { isIdentifierField, isNumericField } from "@/lib/base/values/cell-text";
import { findJsonFault } from "@/lib/base/values/json-place";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { WidgetKind } from "./draft";

/*
 * The parts of a widget's specification that are edited as column names, and their notation. Everything else stays
 * unchanged.
 */

export const OPERATIONS = ["sum", "count", "countDistinct", "avg", "median", "min", "max"] as const;
export type Operation = (typeof OPERATIONS)[number];
export const UNITS = ["year", "quarter", "month", "week", "day", "hour"] as const;
export type Unit = (typeof UNITS)[number];
export const OPERATION_WORDS: Record<Operation, string> = { sum: "Sum of", count: "Count of", countDistinct: "Distinct count of", avg: "Average of", median: "Median of", min: "Minimum of", max: "Maximum of" }; // biome-ignore format: one look
export const UNIT_WORDS: Record<Unit, string> = { year: "by year", quarter: "by quarter", month: "by month", week: "by week", day: "by day", hour: "by hour" }; // biome-ignore format: one look

export type Dimension = { field: string; timeUnit: Unit | null; as: string | null };
/** Counts rows without a field. */
export type Measure = { field: string | null; op: Operation; as: string | null };
export type Sort = { by: string; order: "asc" | "desc" };
export type Shelves = { dimensions: Dimension[]; measures: Measure[]; sort: Sort | null; limit: number | null };

/** Looks of a widget, in the order of the gallery. */
export const LOOKS = ["kpi", "line", "bar", "stacked", "area", "scatter", "pie", "table", "text"] as const;
export type Look = (typeof LOOKS)[number];
export const LOOK_WORDS: Record<Look, string> = { kpi: "Number", line: "Line", bar: "Bar", stacked: "Stacked", area: "Area", scatter: "Scatter", pie: "Pie", table: "Table", text: "Text" }; // biome-ignore format: one look

type Spec = Readonly<Record<string, unknown>>;
/** Properties that the server computes; a change of any other only affects the drawing. */
const COMPUTED = ["dimensions", "measures", "sort", "limit", "timeUnit", "trend"] as const;
/** Properties of a chart in plain Vega-Lite; selecting a look replaces them. */
const GIVEN = ["encoding", "usermeta", "layer", "facet", "hconcat", "vconcat", "concat", "repeat", "spec", "transform", "$schema", "data", "params", "config"]; // biome-ignore format: one look

export function toComputed(spec: Spec): Record<string, unknown> {
  return Object.fromEntries(COMPUTED.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

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
      measures: measures.map(({ field, op, as }) => ({ ...(field !== null && { field }), op, ...(as && { as }) })),
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
export function toColumnName({ field, op, as }: Measure): string {
  return as ?? (field === null ? "count" : `${op}_${field}`);
}

/** Returns the current look of a widget; "own" for a chart in plain Vega-Lite. */
export function lookOf(kind: WidgetKind, spec: Spec): Look | "own" {
  if (kind !== "chart") return kind;
  if (GIVEN.some((name) => spec[name] !== undefined)) return "own";
  const mark = String(
    typeof spec.mark === "object" && spec.mark !== null && "type" in spec.mark ? spec.mark.type : spec.mark,
  );
  if (mark === "bar") return spec.stack === "apart" ? "bar" : hasColour(spec) ? "stacked" : "bar";
  if (mark === "point" || mark === "circle") return "scatter";
  if (mark === "arc") return "pie";
  return LOOKS.find((look) => look === mark) ?? "line";
}

/** Changes the look of a widget and keeps its computed properties. */
export function withLook(spec: Spec, look: Look): { kind: WidgetKind; spec: Record<string, unknown> } {
  const rest = Object.fromEntries(Object.entries(spec).filter(([name]) => !GIVEN.includes(name)));
  const { mark: _, stack: __, ...plain } = rest;
  if (look === "kpi" || look === "table" || look === "text") return { kind: look, spec: plain };
  const mark = look === "stacked" ? "bar" : look;
  const stack = look === "stacked" ? "stacked" : look === "bar" ? "apart" : null;
  return { kind: "chart", spec: { ...plain, mark, ...(stack && { stack }) } };
}

/** Suggests initial shelves for a source: an amount over time, else by a column with few values. */
export function guessShelves(look: Look, fields: readonly ResultField[]): Shelves {
  const none: Shelves = { dimensions: [], measures: [], sort: null, limit: null };
  if (look === "table" || look === "text") return none;
  const numbers = fields.filter((field) => isNumericField(field) && !isIdentifierField(field));
  const amount = numbers.find(({ type }) => type === "decimal" || type === "float64") ?? numbers[0];
  const measures: Measure[] = [
    amount ? { field: amount.name, op: "sum", as: null } : { field: null, op: "count", as: null },
  ];
  if (look === "kpi") return { ...none, measures };
  const time = fields.find(isTimeField);
  const word = fields.find((field) => !isTimeField(field) && !isNumericField(field) && !isIdentifierField(field));
  const across = look === "pie" ? (word ?? time) : (time ?? word);
  const other = look === "stacked" && word !== across ? word : undefined;
  const dimensions = [across ?? fields[0], other].flatMap((field) => (field ? [toFirstDimension(field)] : []));
  return { ...none, dimensions, measures };
}

export function toFirstDimension(field: ResultField): Dimension {
  return { field: field.name, timeUnit: isTimeField(field) ? "month" : null, as: null };
}

/** Returns the operations that a column supports. */
export function operationsFor(field: ResultField | undefined): readonly Operation[] {
  if (field === undefined || isNumericField(field)) return OPERATIONS;
  return isTimeField(field) ? ["count", "countDistinct", "min", "max"] : ["count", "countDistinct", "min", "max"];
}

/**
 * Converts a console's chart to a widget. The server computes its groups from all rows, where the console aggregates
 * the rows that it has read. A chart of individual rows stays unchanged.
 */
export function fromChart(settings: ChartSettings, kept: Spec): { kind: WidgetKind; spec: Record<string, unknown> } {
  const { kind, across, up, colour, stack, sort, top } = settings;
  const isEach = up.some(({ of }) => of === "each");
  if (isEach || kind === "scatter" || kind === "histogram") return { kind: "chart", spec: { ...kept } };
  const measures = up.map(
    ({ of, column }): Measure => ({ field: of === "count" ? null : column, op: OPERATION_OF[of], as: null }),
  );
  const first = measures[0];
  const dimensions = [across, colour].flatMap((field) => (field === null ? [] : [{ field, timeUnit: null, as: null }]));
  const isRanked = colour === null && first !== undefined && (top !== null || kind === "pie") && sort === "value";
  const shelves: Shelves = {
    dimensions,
    measures,
    sort: isRanked ? { by: toColumnName(first), order: "desc" } : null,
    limit: isRanked ? top : null,
  };
  if (kind === "kpi") return { kind: "kpi", spec: writeShelves({}, shelves) };
  return { kind: "chart", spec: writeShelves({ mark: kind, ...(kind === "bar" && { stack }) }, shelves) };
}

const OPERATION_OF = { sum: "sum", average: "avg", min: "min", max: "max", count: "count", each: "sum" } as const;

function hasColour(spec: Spec): boolean {
  const count = (value: unknown) => (Array.isArray(value) ? value.length : 0);
  return count(spec.dimensions) > 1 || count(spec.measures) > 1;
}

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
  const { field, op: asked, as, ...more } = toRecord(value);
  const op = OPERATIONS.find((each) => each === asked);
  if (op === undefined || Object.keys(more).length > 0 || (field === undefined && op !== "count")) return null;
  if (field !== undefined && typeof field !== "string") return null;
  return { field: field ?? null, op, as: typeof as === "string" ? as : null };
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

/** Parses a typed specification. @returns the reason why it is invalid, with the line of a syntax error */
export function parseSpec(text: string): { spec: Record<string, unknown> } | { problem: string } {
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
  const problem = findProblem(spec);
  return problem === null ? { spec } : { problem };
}

/** Returns the first problem that the server would reject, with its place. */
function findProblem(spec: Spec): string | null {
  for (const [name, what] of [
    ["dimensions", readAnyDimension],
    ["measures", readMeasure],
    ["sort", readSort],
  ] as const) {
    const list = spec[name];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return `${name}: expected a list.`;
    const at = list.findIndex((item) => what(item) === null);
    if (at >= 0) return `${name}.${at}: ${EXAMPLES[name]}`;
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
  measures: '{ "field": "amount", "op": "sum" }; op is one of sum, count, countDistinct, avg, median, min, max.',
  sort: '{ "by": "sum_amount", "order": "desc" }.',
};
/** Same limit as on the server (docs/develop/api.md, Dashboards). */
export const LIMIT_MAX = 50_000;

function readAnyDimension(value: unknown): Dimension | null {
  const { timeUnit } = toRecord(value);
  return timeUnit !== undefined && toUnit(timeUnit) === null ? null : readDimension(value, null);
}

function toProblem(text: string): string {
  const before = text.slice(0, findJsonFault(text) ?? 0).split("\n");
  return `Invalid JSON at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`;
}
