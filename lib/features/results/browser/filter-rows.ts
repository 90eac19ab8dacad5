import { toColumnTest } from "@/lib/features/results/browser/find-rows";
import type { CellTable } from "@/lib/features/results/browser/row-table";

/**
 * Returns which of the rows from..to contain a text in any cell, in its stored form or with grouped digits, ignoring
 * case.
 * @param needle not empty
 */
export function filterRows(table: CellTable, needle: string, from: number, to: number): number[] {
  const wanted = needle.toLowerCase();
  const tests = table.fields
    .map((_, column) => toColumnTest(table, column, wanted, null))
    .filter((test) => test !== null);
  const found: number[] = [];
  for (let row = from; row < to; row += 1) if (tests.some((holds) => holds(row))) found.push(row);
  return found;
}
