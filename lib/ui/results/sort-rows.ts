import { isNumericField, type ResultField, toPlainText } from "@/lib/ui/cell-text";
import { compareNumberText } from "@/lib/ui/exact-number";
import { WordColumn } from "@/lib/ui/results/columns";
import { naturalKey } from "@/lib/ui/results/natural-key";
import { type CellTable, RowTable } from "@/lib/ui/results/row-table";

export type SortBy = { column: number; isDescending: boolean };

const BY_TIME = new Set(["date", "time", "timestamp", "timestamptz"]);

/**
 * Puts rows into the order of one column. Nulls stand last both ways, equal rows stay as they were.
 * @param rows row numbers, in ascending order; they are left as they are
 */
export function sortRows(table: CellTable, { column, isDescending }: SortBy, rows: Uint32Array): Uint32Array {
  const field = table.fields[column];
  if (field === undefined) return rows;
  const sign = isDescending ? -1 : 1;
  const words = table instanceof RowTable ? table.column(column) : null;
  if (words instanceof WordColumn) {
    const ranks = rankWords(words.words, field);
    return byNumber(rows, (row) => ranks[words.numberAt(row)] ?? Number.NaN, sign);
  }
  if (isNumericField(field)) {
    return byNumber(
      rows,
      (row) => toNumber(table.at(row, column)),
      sign,
      (a, b) =>
        // Two numbers of more digits than a float keeps can look the same as floats.
        compareNumberText(toPlainText(table.at(a, column)), toPlainText(table.at(b, column))),
    );
  }
  if (field.type === "boolean") return byNumber(rows, (row) => toFlag(table.at(row, column)), sign);
  return byText(rows, (row) => toTextKey(table.at(row, column), field), sign);
}

function byNumber(
  rows: Uint32Array,
  keyOf: (row: number) => number,
  sign: number,
  tie: ((a: number, b: number) => number) | null = null,
): Uint32Array {
  const keys = new Float64Array(rows.length);
  const order = new Uint32Array(rows.length);
  let held = 0;
  const last: number[] = [];
  for (const [i, row] of rows.entries()) {
    const key = keyOf(row);
    keys[i] = key;
    if (Number.isNaN(key)) last.push(row);
    else {
      order[held] = i;
      held += 1;
    }
  }
  order.subarray(0, held).sort((a, b) => {
    const x = keys[a] ?? 0;
    const y = keys[b] ?? 0;
    if (x !== y) return x < y ? -sign : sign;
    return tie === null || Number.isSafeInteger(x) ? 0 : sign * tie(rows[a] ?? 0, rows[b] ?? 0);
  });
  for (let i = 0; i < held; i += 1) order[i] = rows[order[i] ?? 0] ?? 0;
  order.set(last, held);
  return order;
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

/** The place of each word among all, by its number from 1; null, number 0, has none. Equal words share a place. */
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
  // ISO times of one column stand in order as they are; a Z would come behind the fractions of a second.
  return BY_TIME.has(field.type) ? text.replace(/Z$/, "") : naturalKey(text);
}

function toNumber(value: ReturnType<CellTable["at"]>): number {
  if (value === null) return Number.NaN;
  if (typeof value === "number") return value;
  const number = Number(value);
  // NaN is a value to a database, and stands behind all others; here it means null.
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}

function toFlag(value: ReturnType<CellTable["at"]>): number {
  return value === null ? Number.NaN : Number(value === true);
}
