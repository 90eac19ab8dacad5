import { type ColumnFilter, toRowTest } from "@/lib/features/results/browser/column-filter";
import { filterRows } from "@/lib/features/results/browser/filter-rows";
import type { CellTable } from "@/lib/features/results/browser/row-table";
import { type SortBy, sortRows } from "@/lib/features/results/browser/sort-rows";

/** Which rows are shown, and in which order: those that hold the text and that every filter of a column lets through. */
export type Arrangement = { sort: SortBy | null; filter: string; columns: ColumnFilter[] };

export const PLAIN: Arrangement = { sort: null, filter: "", columns: [] };

export function isPlain(arrangement: Arrangement): boolean {
  return arrangement.sort === null && isWhole(arrangement);
}

/** Whether all rows are shown. */
function isWhole({ filter, columns }: Arrangement): boolean {
  return filter === "" && columns.length === 0;
}

/** Rows that are looked through before somebody else may have a turn. */
const SLICE_ROWS = 16_384;

/** @returns row numbers; null for all rows as they came */
export function arrangeNow(table: CellTable, arrangement: Arrangement): Uint32Array | null {
  if (isPlain(arrangement)) return null;
  const { sort } = arrangement;
  const rows = isWhole(arrangement)
    ? allRows(table)
    : Uint32Array.from(findRows(table, arrangement, 0, table.rowCount));
  return sort === null ? rows : sortRows(table, sort, rows);
}

/**
 * The same, in turns with other work.
 * @param isStale asked between the turns: true when nobody waits for the answer any more
 * @returns undefined when it went stale
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

/** Which of the rows from..to are shown. */
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

/** Lets messages in; a timer of the browser would wait four milliseconds each time. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}
