import { toChange } from "@/lib/base/charts/widget-change";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

type Spec = Readonly<Record<string, unknown>>;

/** Returns sums by column for additive measures: counts and sums. An average of averages would be wrong. */
export function toTotals(
  spec: Spec,
  fields: readonly ResultField[],
  rows: readonly ResultRow[],
): (string | undefined)[] {
  const measures = Array.isArray(spec.measures) ? spec.measures : [];
  const dimensions = dimensionCount(spec);
  return fields.map((field, column) => {
    const op = (measures[column - dimensions] as { op?: unknown } | undefined)?.op;
    if (op !== "sum" && op !== "count") return undefined;
    const sum = new ExactSum();
    for (const row of rows) sum.add(row[field.name] ?? null);
    return sum.result()?.sum;
  });
}

/** A cell's value in the earlier period. `change` is null if that value allows no comparison. */
export type EarlierCell = { value: CellValue; change: number | null };

/**
 * Returns a function that finds a measure's cell in the earlier period.
 * @param before rows of the same groups; undefined without a comparison
 * @returns null for a column that is not a measure; a value of null for a new group
 */
export function toEarlierCells(
  spec: Spec,
  fields: readonly ResultField[],
  before: readonly ResultRow[] | undefined,
): (row: ResultRow, column: number) => EarlierCell | null {
  if (before === undefined) return () => null;
  const groups = fields.slice(0, dimensionCount(spec));
  const keyOf = (row: ResultRow) => JSON.stringify(groups.map(({ name }) => row[name] ?? null));
  const byKey = new Map(before.map((row) => [keyOf(row), row]));
  return (row, column) => {
    const field = fields[column];
    if (field === undefined || column < groups.length) return null;
    const value = byKey.get(keyOf(row))?.[field.name] ?? null;
    return { value, change: toChange(numberOf(row[field.name]), numberOf(value)) };
  };
}

function dimensionCount(spec: Spec): number {
  return Array.isArray(spec.dimensions) ? spec.dimensions.length : 0;
}

function numberOf(value: CellValue | undefined): number | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const number = Number(value);
  return value === "" || !Number.isFinite(number) ? null : number;
}
