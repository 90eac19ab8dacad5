import { isSameJson } from "@/lib/base/values/same-json";
import type { RowDiff } from "./schema";

type Row = Record<string, unknown>;
/** One version's result; `error` is null if the query succeeded. */
export type ResultSide = {
  fields: { name: string; type: string }[];
  rows: Row[];
  truncated: boolean;
  error: string | null;
};

/** Maximum number of rows of each kind in a response; the counts are of all. */
const ROWS_SHOWN_MAX = 100;

/**
 * Compares two results. Rows belong together by the first column if it identifies the rows of both results, else only
 * if they are equal.
 * @param before null for a new file; `after` null for a deleted one
 */
export function diffRows(before: ResultSide | null, after: ResultSide | null): RowDiff {
  const [a, b] = [before?.rows ?? [], after?.rows ?? []];
  const sides = { before: toSide(before), after: toSide(after) };
  const isFailed = before?.error != null || after?.error != null;
  const key = isFailed ? null : keyOf(before, after);
  const { added, removed, changed } = isFailed
    ? { added: [], removed: [], changed: [] }
    : key === null
      ? diffWhole(a, b)
      : diffByKey(a, b, key);
  return {
    ...sides,
    key,
    addedCount: added.length,
    removedCount: removed.length,
    changedCount: changed.length,
    added: added.slice(0, ROWS_SHOWN_MAX),
    removed: removed.slice(0, ROWS_SHOWN_MAX),
    changed: changed.slice(0, ROWS_SHOWN_MAX),
  };
}

function toSide(side: ResultSide | null): RowDiff["before"] {
  if (!side) return null;
  const { fields, rows, truncated, error } = side;
  return { fields: fields.map(({ name, type }) => ({ name, type })), rowCount: rows.length, truncated, error };
}

/** Returns the first column if both results have it there and it identifies their rows. */
function keyOf(before: ResultSide | null, after: ResultSide | null): string | null {
  const names = [before, after].flatMap((side) => (side ? [side.fields[0]?.name ?? null] : []));
  const [name = null] = names;
  if (name === null || names.some((other) => other !== name)) return null;
  for (const side of [before, after]) {
    if (side && new Set(side.rows.map((row) => textOf(row[name]))).size < side.rows.length) return null;
  }
  return name;
}

function diffByKey(before: Row[], after: Row[], key: string) {
  const old = new Map(before.map((row) => [textOf(row[key]), row]));
  const added: Row[] = [];
  const changed: { before: Row; after: Row }[] = [];
  for (const row of after) {
    const id = textOf(row[key]);
    const previous = old.get(id);
    if (!previous) added.push(row);
    else if (!isSameJson(previous, row)) changed.push({ before: previous, after: row });
    old.delete(id);
  }
  return { added, removed: [...old.values()], changed };
}

function diffWhole(before: Row[], after: Row[]) {
  const left = new Map<string, Row[]>();
  for (const row of before) left.set(textOf(row), [...(left.get(textOf(row)) ?? []), row]);
  const added = after.filter((row) => !left.get(textOf(row))?.pop());
  return { added, removed: [...left.values()].flat(), changed: [] };
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
