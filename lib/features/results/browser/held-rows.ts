import { type ChartData, toChartData } from "@/lib/base/charts/data";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue } from "@/lib/base/values/json-rows";
import { toCopyText } from "@/lib/features/results/browser/copy-rows";
import { toRow } from "@/lib/features/results/browser/row-table";
import { countShown, type ShownRows, toTableRow } from "@/lib/features/results/browser/shown-rows";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";

/** Returns the rows from..to, excluding `to`, as lists of cells. */
export function readCells(shown: ShownRows, from: number, to: number): CellValue[][] {
  const end = Math.min(to, countShown(shown));
  const cells: CellValue[][] = [];
  for (let row = from; row < end; row += 1) {
    const at = toTableRow(shown, row);
    cells.push(shown.table.fields.map((_, column) => shown.table.at(at, column)));
  }
  return cells;
}

/** Formats the rows from..to, excluding `to`, for the clipboard. */
export function copyRows(shown: ShownRows, { format, columns, from, to, withHead, insert }: CopyAsk): string {
  const fields = columns.flatMap((column) => shown.table.fields[column] ?? []);
  const rows = [];
  for (let row = from; row < Math.min(to, countShown(shown)); row += 1) {
    rows.push(toRow(shown.table, toTableRow(shown, row), columns));
  }
  return toCopyText(format, fields, rows, withHead, insert);
}

/** Sums the given columns over the rows from..to, excluding `to`. */
export function sumRows(shown: ShownRows, columns: number[], from: number, to: number) {
  const total = new ExactSum();
  for (let row = from; row < Math.min(to, countShown(shown)); row += 1) {
    const at = toTableRow(shown, row);
    for (const column of columns) total.add(shown.table.at(at, column));
  }
  return total.result();
}

export function chartRows({ table, order }: ShownRows, { settings, zone }: ChartAsk): ChartData {
  return toChartData(table, order, settings, zone);
}
