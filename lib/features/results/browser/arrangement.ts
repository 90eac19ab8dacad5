import { type ColumnFilter, toRowTest } from "@/lib/features/results/browser/column-filter";
import { filterRows } from "@/lib/features/results/browser/filter-rows";
import type { CellTable } from "@/lib/features/results/browser/row-table";
import { type SortBy, sortRows } from "@/lib/features/results/browser/sort-rows";
import { turn } from "@/lib/features/results/browser/turn";

/** Filter and order of the shown rows: a row must contain the text and match every column filter. */
export type Arrangement = { sort: SortBy | null; filter: string; columns: ColumnFilter[] };

export const PLAIN: Arrangement = { sort: null, filter: "", columns: [] };

export function isPlain(arrangement: Arrangement): boolean {
  return arrangement.sort === null && isWhole(arrangement);
}

/** Returns whether all rows are shown. */
function isWhole({ filter, columns }: Arrangement): boolean {
  return filter === "" && columns.length === 0;
}

/** Number of rows processed before yielding to other work. */
const SLICE_ROWS = 16_384;

/** @returns row numbers; null for all rows in their original order */
export function arrangeNow(table: CellTable, arrangement: Arrangement): Uint32Array | null {
  if (isPlain(arrangement)) return null;
  const { sort } = arrangement;
  const rows = isWhole(arrangement)
    ? allRows(table)
    : Uint32Array.from(findRows(table, arrangement, 0, table.rowCount));
  return sort === null ? rows : sortRows(table, sort, rows);
}

/**
 * Does the same while yielding to other work.
 * @param isStale checked at each yield: true when the result is no longer needed
 * @returns undefined when it became stale
 */
export async function arrangeInTurns(
  table: CellTable,
  arrangement: Arrangement,
  isStale: () => boolean,
): Promise<Uint32Array | null | undefined> {
  if (isPlain(arrangement)) return null;
  const { sort } = arrangement;
  let rows: Uint32Array;
  if (isWhole(arrangement)) rows = allRows(table);
  else {
    const found: number[] = [];
    for (let from = 0; from < table.rowCount; from += SLICE_ROWS) {
      const to = Math.min(table.rowCount, from + SLICE_ROWS);
      for (const row of findRows(table, arrangement, from, to)) found.push(row);
      await turn();
      if (isStale()) return undefined;
    }
    rows = Uint32Array.from(found);
  }
  return sort === null ? rows : sortRows(table, sort, rows);
}

/** Returns which of the rows from..to are shown. */
function findRows(table: CellTable, { filter, columns }: Arrangement, from: number, to: number): number[] {
  const tests = columns.map((each) => toRowTest(table, each));
  const isThrough = (row: number) => tests.every((holds) => holds(row));
  if (filter !== "") return filterRows(table, filter, from, to).filter(isThrough);
  const found: number[] = [];
  for (let row = from; row < to; row += 1) if (isThrough(row)) found.push(row);
  return found;
}

function allRows({ rowCount }: CellTable): Uint32Array {
  const rows = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) rows[row] = row;
  return rows;
}
