import type { CellTable, CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import { isTurnDue, turn } from "@/lib/features/results/browser/turn";
import { compareNumberText } from "@/lib/platform/browser/exact-number";

export const CHANGES = ["added", "removed", "changed"] as const;
export type Change = (typeof CHANGES)[number];
/** A row that differs. `was` has the earlier values of its changed columns, by name. */
export type ComparedRow = { change: Change; row: ResultRow; was: ResultRow };
/** Differences of two results, in the order of the later one, with the removed rows at the end. */
export type Comparison = {
  /** Columns of the later result, then those that only the earlier one has. */
  fields: ResultField[];
  rows: ComparedRow[];
  counts: Record<Change | "same", number>;
  /** Rows beyond the first with the same key, in both results: they are compared in their order. */
  repeatedKeys: number;
};

/** Returns the columns that both results have, in the order of the later one. */
export function toSharedColumns(before: CellTable, after: CellTable): string[] {
  const names = new Set(before.fields.map(({ name }) => name));
  return after.fields.map(({ name }) => name).filter((name) => names.has(name));
}

const IDENTIFIER = /(^|_)id$/i;

/** Returns columns that identify a row in both results: one with unique values, identifiers first; else all. */
export function guessKey(before: CellTable, after: CellTable): string[] {
  const shared = toSharedColumns(before, after);
  const ordered = [
    ...shared.filter((name) => IDENTIFIER.test(name)),
    ...shared.filter((name) => !IDENTIFIER.test(name)),
  ];
  const unique = ordered.find((name) => isUnique(before, name) && isUnique(after, name));
  return unique === undefined ? shared : [unique];
}

function isUnique(table: CellTable, name: string): boolean {
  const column = table.fields.findIndex((field) => field.name === name);
  const seen = new Set<string>();
  for (let row = 0; row < table.rowCount; row += 1) {
    const value = table.at(row, column);
    if (value === null) return false;
    const text = toPlainText(value);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

/** Rows between two looks at the clock. */
const SLICE_ROWS = 1024;

/**
 * Compares two results row by row. Yields to other work.
 * @param key columns of both results that identify a row
 */
export async function compareRows(before: CellTable, after: CellTable, key: readonly string[]): Promise<Comparison> {
  const fields = [
    ...after.fields,
    ...before.fields.filter(({ name }) => !after.fields.some((each) => each.name === name)),
  ];
  const shared = toSharedColumns(before, after);
  const compared = shared
    .filter((name) => !key.includes(name))
    .map((name) => ({ name, isSame: toIsSame(after, name) }));
  const places = { before: toPlaces(before), after: toPlaces(after) };
  const keyOf = (table: CellTable, of: ReadonlyMap<string, number>, row: number) =>
    JSON.stringify(key.map((name) => table.at(row, of.get(name) ?? -1)));
  const counts = { added: 0, removed: 0, changed: 0, same: 0 };
  const rows: ComparedRow[] = [];
  let repeatedKeys = 0;
  let since = performance.now();
  const breathe = async (row: number) => {
    if (row % SLICE_ROWS !== 0 || !isTurnDue(since)) return;
    await turn();
    since = performance.now();
  };

  const waiting = new Map<string, number[]>();
  for (let row = 0; row < before.rowCount; row += 1) {
    const id = keyOf(before, places.before, row);
    const same = waiting.get(id);
    if (same === undefined) waiting.set(id, [row]);
    else {
      same.push(row);
      repeatedKeys += 1;
    }
    await breathe(row);
  }
  const seen = new Set<string>();
  for (let row = 0; row < after.rowCount; row += 1) {
    const id = keyOf(after, places.after, row);
    if (seen.has(id)) repeatedKeys += 1;
    seen.add(id);
    const earlier = waiting.get(id)?.shift();
    if (earlier === undefined) {
      rows.push({ change: "added", row: toObject(after, row), was: {} });
      counts.added += 1;
    } else {
      const was: [string, CellValue][] = [];
      for (const { name, isSame } of compared) {
        const old = before.at(earlier, places.before.get(name) ?? -1);
        if (!isSame(old, after.at(row, places.after.get(name) ?? -1))) was.push([name, old]);
      }
      if (was.length > 0) rows.push({ change: "changed", row: toObject(after, row), was: Object.fromEntries(was) });
      counts[was.length > 0 ? "changed" : "same"] += 1;
    }
    await breathe(row);
  }
  const removed = [...waiting.values()].flat().sort((a, b) => a - b);
  for (const row of removed) rows.push({ change: "removed", row: toObject(before, row), was: {} });
  counts.removed = removed.length;
  return { fields, rows, counts, repeatedKeys };
}

function toPlaces(table: CellTable): ReadonlyMap<string, number> {
  return new Map(table.fields.map(({ name }, at) => [name, at]));
}

function toObject(table: CellTable, row: number): ResultRow {
  return Object.fromEntries(table.fields.map(({ name }, column): [string, CellValue] => [name, table.at(row, column)]));
}

/** Numbers are compared by value: one database writes 1.50, another 1.5. */
function toIsSame(table: CellTable, name: string): (a: CellValue, b: CellValue) => boolean {
  const field = table.fields.find((each) => each.name === name);
  const isNumeric = field !== undefined && isNumericField(field);
  return (a, b) => {
    if (a === null || b === null) return a === b;
    const [x, y] = [toPlainText(a), toPlainText(b)];
    return x === y || (isNumeric && compareNumberText(x, y) === 0);
  };
}
