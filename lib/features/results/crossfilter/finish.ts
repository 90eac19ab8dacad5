import { divide, toWhole } from "@/lib/base/cubes/quotient";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import type { Finish, Statement } from "./statement";

export type Answer = { fields: Field[]; rows: WireValue[][]; isMore: boolean };

/** Returns the answer of a statement: its selected rows, up to the limit. */
export function toAnswer({ fields, finish, limit }: Statement, selected: Batch): Answer {
  const { columns } = finishBatch(selected, finish);
  const rowCount = Math.min(selected.rowCount, limit);
  const rows = Array.from({ length: rowCount }, (_, row) => columns.map((column) => column[row] ?? null));
  return { fields, rows, isMore: selected.rowCount > limit };
}

/** Converts selected columns to those of the answer; averages are divided here, exactly. */
export function finishBatch({ rowCount, columns }: Batch, finish: readonly Finish[]): Batch {
  const at = (index: number) => columns[index] ?? [];
  return {
    rowCount,
    columns: finish.map((each): WireValue[] => {
      if (each.kind === "as-is") return at(each.at);
      if (each.kind === "whole") return at(each.at).map(toWhole);
      const counts = at(each.count);
      return at(each.sum).map((sum, row) => divide(sum, Number(counts[row] ?? 0), each.isDecimal));
    }),
  };
}
