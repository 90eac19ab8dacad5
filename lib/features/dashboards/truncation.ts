import { formatCount } from "@/lib/base/values/amounts";
import { ACCEPT_LABEL } from "@/lib/base/values/cut-rows";
import type { AggregateSpec } from "@/lib/features/results/crossfilter/spec";
import { AppError } from "@/lib/platform/http/errors";

/* Notices of a dashboard about a truncated dataset (docs/develop/api.md, Dashboards). */

/**
 * Returns whether a widget aggregates. Sums, counts and means over a part of the rows are wrong, and so is a list of
 * groups.
 */
export function isAggregated({ dimensions, measures }: AggregateSpec): boolean {
  return dimensions.length + measures.length > 0;
}

/** Returns whether a Vega-Lite specification aggregates rows itself. */
export function aggregatesItself(spec: Readonly<Record<string, unknown>>): boolean {
  return addsUp(spec, "");
}

/** Transforms and channel properties whose result depends on other rows than the one being drawn. */
const ADDING_KEYS = new Set([
  ...["aggregate", "joinaggregate", "bin", "window", "density", "regression", "loess", "quantile", "pivot", "extent"],
]);
/** Marks that draw quartiles, means and deviations, counts, or shares of a whole. */
const ADDING_MARKS = new Set(["boxplot", "errorband", "errorbar", "histogram", "pie", "arc"]);
/** Ways to fill a gap from other rows; by `value` it is filled with a constant. */
const ADDING_IMPUTES = new Set(["mean", "median", "min", "max"]);
/** Stack offsets that add values: all but the layered one. */
const STACKS = new Set<unknown>(["zero", "normalize", "center", true]);
/** Properties with separate data or texts, which draw none of the rows. */
const WITHOUT_ROWS = new Set(["data", "datasets", "usermeta", "config", "title", "description", "name"]);

function addsUp(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((each) => addsUp(each, key));
  if (typeof value === "string") return key === "mark" && ADDING_MARKS.has(value);
  if (typeof value !== "object" || value === null) return false;
  const entries = Object.entries(value);
  const { type, impute, method } = value as Record<string, unknown>;
  if (key === "mark" && ADDING_MARKS.has(String(type))) return true;
  if ((key === "impute" || impute !== undefined) && ADDING_IMPUTES.has(String(method))) return true;
  return entries.some(([name, each]) => {
    if (WITHOUT_ROWS.has(name)) return false;
    return isAdding(name, each, key) || addsUp(each, name);
  });
}

/** @param parent property name of the containing object */
function isAdding(name: string, value: unknown, parent: string): boolean {
  // A bin computed by the query is a value of its row.
  if (name === "bin") return value !== null && value !== false && value !== "binned" && !isBinned(value);
  // In a boxplot or a bin it is a setting; as a transform it names a field.
  if (name === "extent") return parent === "transform";
  // A sort names its operation in `op`; sorting by a field aggregates the field's values.
  if (name === "stack") return parent === "transform" || STACKS.has(value);
  if (name === "sort") return isSortOfGroups(value);
  if (name === "type") return parent === "scale" && value === "quantile";
  return ADDING_KEYS.has(name) && value !== undefined && value !== null;
}

function isBinned(value: unknown): boolean {
  return typeof value === "object" && value !== null && "binned" in value && value.binned === true;
}

/** Returns whether a channel is sorted by another field, of which each group of rows has several values. */
function isSortOfGroups(value: unknown): boolean {
  return typeof value === "object" && value !== null && "op" in value;
}

/** @param rowCount number of stored rows */
export function refusedTotals(rowCount: number): AppError {
  return new AppError(
    "invalid_request",
    `This dataset contains only the first ${formatCount(rowCount)} rows, so its totals would be wrong. Aggregate or filter in the query, or turn on “${ACCEPT_LABEL}” for the dataset.`,
    { details: { truncated: true, firstRows: rowCount } },
  );
}
