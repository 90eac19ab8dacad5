import { isNumericField, toCellText, toPlainText } from "@/lib/features/results/browser/cell-text";
import { TextColumn, WordColumn } from "@/lib/features/results/browser/columns";
import { type CellTable, RowTable } from "@/lib/features/results/browser/row-table";

/** Text that occurs in no number; displayed digits are grouped by commas. */
const NO_NUMBER = /[^0-9.,+\-eainfty]/;

/**
 * Returns which of the rows from..to contain a text in any cell, in its stored or displayed form, ignoring case.
 * @param needle not empty
 */
export function filterRows(table: CellTable, needle: string, from: number, to: number): number[] {
  const wanted = needle.toLowerCase();
  const tests = table.fields.map((_, column) => testFor(table, column, wanted)).filter((test) => test !== null);
  const found: number[] = [];
  for (let row = from; row < to; row += 1) if (tests.some((holds) => holds(row))) found.push(row);
  return found;
}

/** @returns null for a column that cannot contain it */
function testFor(table: CellTable, column: number, wanted: string): ((row: number) => boolean) | null {
  const field = table.fields[column];
  if (field === undefined) return null;
  const isNumeric = isNumericField(field);
  if (isNumeric && NO_NUMBER.test(wanted)) return null;
  const isGrouped = isNumeric && wanted.includes(",");
  const stored = table instanceof RowTable ? table.column(column) : null;
  if (stored instanceof WordColumn && !isNumeric) {
    const hits = Uint8Array.from(stored.words, (word) => Number(word.toLowerCase().includes(wanted)));
    return hits.includes(1) ? (row) => hits[stored.numberAt(row) - 1] === 1 : null;
  }
  if (stored instanceof TextColumn && !isNumeric) return stored.searchFor(wanted);
  return (row) => {
    const value = table.at(row, column);
    if (value === null) return false;
    return (
      toPlainText(value).toLowerCase().includes(wanted) || (isGrouped && toCellText(value, field).includes(wanted))
    );
  };
}
