import type { ResultField } from "@/lib/base/values/json-rows";
import { naturalKey } from "@/lib/base/values/natural-key";
import { isNumericField, toPlainText } from "@/lib/features/results/browser/cell-text";
import { WordColumn } from "@/lib/features/results/browser/columns";
import { orderOf } from "@/lib/features/results/browser/float-order";
import { type CellTable, RowTable } from "@/lib/features/results/browser/row-table";
import { compareNumberText } from "@/lib/platform/browser/exact-number";

export type SortBy = { column: number; isDescending: boolean };

/** Significant digits that a double always keeps. */
const FLOAT_DIGITS = 15;
const BY_TIME = new Set(["date", "time", "timestamp", "timestamptz"]);

/**
 * Sorts rows by one column. Nulls come last in both directions, and the sort is stable.
 * @param rows row numbers, in ascending order; not modified
 */
export function sortRows(table: CellTable, { column, isDescending }: SortBy, rows: Uint32Array): Uint32Array {
  const field = table.fields[column];
  if (field === undefined) return rows;
  const sign = isDescending ? -1 : 1;
  const words = table instanceof RowTable ? table.column(column) : null;
  if (words instanceof WordColumn) {
    const ranks = rankWords(words.words, field);
    return byNumber(rows, { of: (row) => ranks[words.numberAt(row)] ?? Number.NaN, tie: null }, sign);
  }
  if (isNumericField(field)) return byNumber(rows, toNumberKeys(table, column), sign);
  if (field.type === "boolean") {
    return byNumber(rows, { of: (row) => toFlag(table.at(row, column)), tie: null }, sign);
  }
  return byText(rows, (row) => toTextKey(table.at(row, column), field), sign);
}

/** Sort keys of rows, NaN for null. `tie` compares rows whose keys are equal only through rounding. */
type NumberKeys = { of: (row: number) => number; tie: (() => ((a: number, b: number) => number) | null) | null };

function byNumber(rows: Uint32Array, { of, tie }: NumberKeys, sign: number): Uint32Array {
  const keys = new Float64Array(rows.length);
  const held = new Uint32Array(rows.length);
  const last: number[] = [];
  let count = 0;
  for (const row of rows) {
    const key = of(row);
    if (Number.isNaN(key)) last.push(row);
    else {
      keys[count] = sign * key;
      held[count] = row;
      count += 1;
    }
  }
  const order = orderOf(keys.subarray(0, count));
  const sorted = new Uint32Array(rows.length);
  for (let i = 0; i < count; i += 1) sorted[i] = held[order[i] ?? 0] ?? 0;
  const compare = tie?.() ?? null;
  if (compare !== null) {
    for (let from = 0; from < count; ) {
      let to = from + 1;
      while (to < count && keys[order[to] ?? 0] === keys[order[from] ?? 0]) to += 1;
      if (to - from > 1) sorted.subarray(from, to).sort((a, b) => sign * compare(a, b));
      from = to;
    }
  }
  sorted.set(last, count);
  return sorted;
}

function byText(rows: Uint32Array, keyOf: (row: number) => string | null, sign: number): Uint32Array {
  const keys = Array.from(rows, keyOf);
  const held: number[] = [];
  const last: number[] = [];
  for (const [i, key] of keys.entries()) (key === null ? last : held).push(i);
  held.sort((a, b) => {
    const x = keys[a] ?? "";
    const y = keys[b] ?? "";
    return x < y ? -sign : x > y ? sign : 0;
  });
  return Uint32Array.from([...chain(held, last)], (i) => rows[i] ?? 0);
}

function* chain(...lists: number[][]): Generator<number> {
  for (const list of lists) yield* list;
}

/** Numbers with more digits than a double keeps can have equal keys: their texts break the tie. */
function toNumberKeys(table: CellTable, column: number): NumberKeys {
  let isLong = false;
  const textOf = (row: number) => toPlainText(table.at(row, column));
  return {
    of: (row) => {
      const value = table.at(row, column);
      isLong ||= typeof value === "string" && value.length > FLOAT_DIGITS;
      return toNumber(value);
    },
    tie: () => (isLong ? (a, b) => compareNumberText(textOf(a), textOf(b)) : null),
  };
}

/** Returns the rank of each word, by its number from 1; null, number 0, has none. Equal words share a rank. */
function rankWords(words: readonly string[], field: ResultField): Float64Array {
  const isNumeric = isNumericField(field);
  const keyed = words.map((word, i) => ({ number: i + 1, word, key: toTextKey(word, field) ?? "" }));
  const compare = (a: (typeof keyed)[number], b: (typeof keyed)[number]) =>
    isNumeric ? compareNumberText(a.word, b.word) : a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
  keyed.sort(compare);
  const ranks = new Float64Array(words.length + 1);
  ranks[0] = Number.NaN;
  let rank = 0;
  for (const [i, each] of keyed.entries()) {
    const before = keyed[i - 1];
    if (before !== undefined && compare(before, each) !== 0) rank += 1;
    ranks[each.number] = rank;
  }
  return ranks;
}

function toTextKey(value: ReturnType<CellTable["at"]>, field: ResultField): string | null {
  if (value === null) return null;
  const text = toPlainText(value);
  // ISO times of one column sort as text; a Z would sort after fractions of a second.
  return BY_TIME.has(field.type) ? text.replace(/Z$/, "") : naturalKey(text);
}

function toNumber(value: ReturnType<CellTable["at"]>): number {
  if (value === null) return Number.NaN;
  if (typeof value === "number") return value;
  const number = Number(value);
  // A database sorts the value NaN after all others; here NaN means null.
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}

function toFlag(value: ReturnType<CellTable["at"]>): number {
  return value === null ? Number.NaN : Number(value === true);
}
