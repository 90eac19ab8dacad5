import { filterRows } from "@/lib/ui/results/filter-rows";
import type { CellTable } from "@/lib/ui/results/row-table";
import { type SortBy, sortRows } from "@/lib/ui/results/sort-rows";

/** Which rows are shown, and in which order. */
export type Arrangement = { sort: SortBy | null; filter: string };

export const PLAIN: Arrangement = { sort: null, filter: "" };

export function isPlain({ sort, filter }: Arrangement): boolean {
  return sort === null && filter === "";
}

/** Rows that are looked through before somebody else may have a turn. */
const SLICE_ROWS = 16_384;

/** @returns row numbers; null for all rows as they came */
export function arrangeNow(table: CellTable, { sort, filter }: Arrangement): Uint32Array | null {
  if (isPlain({ sort, filter })) return null;
  const rows = filter === "" ? allRows(table) : Uint32Array.from(filterRows(table, filter, 0, table.rowCount));
  return sort === null ? rows : sortRows(table, sort, rows);
}

/**
 * The same, in turns with other work.
 * @param isStale asked between the turns: true when nobody waits for the answer any more
 * @returns undefined when it went stale
 */
export async function arrangeInTurns(
  table: CellTable,
  { sort, filter }: Arrangement,
  isStale: () => boolean,
): Promise<Uint32Array | null | undefined> {
  if (isPlain({ sort, filter })) return null;
  let rows: Uint32Array;
  if (filter === "") rows = allRows(table);
  else {
    const found: number[] = [];
    for (let from = 0; from < table.rowCount; from += SLICE_ROWS) {
      for (const row of filterRows(table, filter, from, Math.min(table.rowCount, from + SLICE_ROWS))) found.push(row);
      await turn();
      if (isStale()) return undefined;
    }
    rows = Uint32Array.from(found);
  }
  return sort === null ? rows : sortRows(table, sort, rows);
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
