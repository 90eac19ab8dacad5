import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText, toPlainText } from "@/lib/features/results/browser/cell-text";
import { TextColumn, WordColumn } from "@/lib/features/results/browser/columns";
import { type CellTable, RowTable } from "@/lib/features/results/browser/row-table";
import { countShown, type ShownRows, toTableRow } from "@/lib/features/results/browser/shown-rows";
import { isTurnDue, turn } from "@/lib/features/results/browser/turn";

/** A search in the shown rows, in this order of columns or in one of them. `text` is not empty. */
export type FindAsk = { text: string; columns: number[]; only: number | null; look: CellLook };
/**
 * The matching cells, row by row: the row as shown, and the place of its column in `columns`. `isCut` when there are
 * more than the limit.
 */
export type Found = { rows: Uint32Array; places: Uint16Array; isCut: boolean };

/** More matches than a person steps through; the page receives six bytes for each. */
const FOUND_MAX = 1_000_000;
/** Rows per slice: the rows that a text column searches at once. */
const SLICE_ROWS = 16_384;
/** Text that occurs in no number; displayed digits are grouped by commas. */
const NO_NUMBER = /[^0-9.,+\-eainfty]/;
const BY_ZONE = new Set(["timestamp", "timestamptz"]);
/** Text that may occur in a displayed time. */
const IN_TIME = /^[\d\-: .]+$/;

/**
 * Finds the cells that contain a text, in stored or displayed form, ignoring case. Yields to other work.
 * @param isStale checked at each yield: true when the result is no longer needed
 * @returns undefined when it became stale
 */
export async function findCells(
  shown: ShownRows,
  { text, columns, only, look }: FindAsk,
  isStale: () => boolean,
  max = FOUND_MAX,
): Promise<Found | undefined> {
  const { table } = shown;
  const wanted = text.toLowerCase();
  const marked: { place: number; bits: Uint8Array }[] = [];
  let since = performance.now();
  // By column in stored order, since text is searched a block at a time.
  for (const [place, column] of columns.entries()) {
    const test = only === null || only === column ? toColumnTest(table, column, wanted, look) : null;
    if (test === null) continue;
    const bits = new Uint8Array(Math.ceil(table.rowCount / 8));
    let isFound = false;
    for (let from = 0; from < table.rowCount; from += SLICE_ROWS) {
      const to = Math.min(table.rowCount, from + SLICE_ROWS);
      for (let row = from; row < to; row += 1) {
        if (!test(row)) continue;
        bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
        isFound = true;
      }
      if (!isTurnDue(since)) continue;
      await turn();
      if (isStale()) return undefined;
      since = performance.now();
    }
    if (isFound) marked.push({ place, bits });
  }
  return collect(shown, marked, max);
}

function collect(shown: ShownRows, marked: { place: number; bits: Uint8Array }[], max: number): Found {
  const rows: number[] = [];
  const places: number[] = [];
  const count = marked.length === 0 ? 0 : countShown(shown);
  for (let row = 0; row < count; row += 1) {
    const at = toTableRow(shown, row);
    for (const { place, bits } of marked) {
      if (((bits[at >> 3] ?? 0) & (1 << (at & 7))) === 0) continue;
      if (rows.length === max) return toFound(rows, places, true);
      rows.push(row);
      places.push(place);
    }
  }
  return toFound(rows, places, false);
}

function toFound(rows: number[], places: number[], isCut: boolean): Found {
  return { rows: Uint32Array.from(rows), places: Uint16Array.from(places), isCut };
}

/** Returns the number of the first match at or after a cell, the first one after the last row; -1 without matches. */
export function findFrom({ rows, places }: Found, row: number, place: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = rows[middle] ?? 0;
    if (at < row || (at === row && (places[middle] ?? 0) < place)) low = middle + 1;
    else high = middle;
  }
  if (rows.length === 0) return -1;
  return low === rows.length ? 0 : low;
}

/** Returns a test of one cell, for its highlight. @param wanted in lower case, not empty */
export function toCellTest(field: ResultField, wanted: string, look: CellLook): (value: CellValue) => boolean {
  return (value) =>
    value !== null &&
    (toPlainText(value).toLowerCase().includes(wanted) ||
      toShownText(value, field, look).toLowerCase().includes(wanted));
}

/**
 * Returns a test of one column's rows, for rows in ascending order.
 * @param wanted in lower case, not empty
 * @param look display of times; null searches them as stored
 * @returns null for a column that cannot contain the text
 */
export function toColumnTest(
  table: CellTable,
  column: number,
  wanted: string,
  look: CellLook | null,
): ((row: number) => boolean) | null {
  const field = table.fields[column];
  if (field === undefined) return null;
  const isNumeric = isNumericField(field);
  if (isNumeric && NO_NUMBER.test(wanted)) return null;
  const stored = table instanceof RowTable ? table.column(column) : null;
  if (table instanceof RowTable && stored === null) return null;
  const isTime = look !== null && look.times !== "raw" && BY_ZONE.has(field.type) && IN_TIME.test(wanted);
  const isShifted = isTime && field.type === "timestamptz" && look.times !== "utc";
  const isGrouped = isNumeric && wanted.includes(",");
  const inStored = isTime ? wanted.replace(" ", "t") : wanted;
  // Numbers are the slowest to search: none is turned to lower case for a text without letters.
  const isLower = isNumeric && !/[a-z]/.test(wanted);
  // Grouping digits takes ten times as long as the search, so only numbers with the same digits are grouped.
  const digits = wanted.replaceAll(",", "");
  const isIn = (value: CellValue) => {
    if (value === null) return false;
    const text = toPlainText(value);
    if (!isGrouped) return (isLower ? text : text.toLowerCase()).includes(inStored);
    return text.includes(digits) && toCellText(value, field).includes(wanted);
  };
  const holds = isShifted && look !== null ? toCellTest(field, wanted, look) : isIn;
  if (field.type === "boolean" && !holds(true) && !holds(false)) return null;
  if (stored instanceof WordColumn) {
    const hits = Uint8Array.from(stored.words, (word) => Number(holds(word)));
    return hits.includes(1) ? (row) => hits[stored.numberAt(row) - 1] === 1 : null;
  }
  if (stored instanceof TextColumn && !isShifted && !isGrouped) return stored.searchFor(inStored);
  return (row) => holds(table.at(row, column));
}
