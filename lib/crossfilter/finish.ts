import { divide, toWhole } from "@/lib/cubes/quotient";
import type { Batch, WireValue } from "@/lib/tabular/fields";
import type { Finish } from "./statement";

/** Makes the columns of an answer of what the statement has selected; averages are divided here, exactly. */
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
