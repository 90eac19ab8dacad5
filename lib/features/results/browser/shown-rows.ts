import type { CellTable } from "@/lib/features/results/browser/row-table";

/** Shown rows: a table and the order of its rows, null for all in their original order. */
export type ShownRows = { table: CellTable; order: Uint32Array | null };

export function countShown({ table, order }: ShownRows): number {
  return order === null ? table.rowCount : order.length;
}

export function toTableRow({ order }: ShownRows, row: number): number {
  return order === null ? row : (order[row] ?? -1);
}
