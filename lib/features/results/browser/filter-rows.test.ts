import { describe, expect, it } from "vitest";
import { filterRows } from "@/lib/features/results/browser/filter-rows";
import { RowTable } from "@/lib/features/results/browser/row-table";

const fields = [
  { name: "name", type: "string" },
  { name: "sold", type: "int64" },
];

function tableOf(rows: [string | null, number | null][]): RowTable {
  const table = new RowTable(fields);
  for (const [name, sold] of rows) table.push({ name, sold });
  return table;
}

describe("filterRows", () => {
  it("finds the value and the shown text of a cell, ignoring case", () => {
    const table = tableOf([
      ["North", 1284],
      ["south", 7],
      [null, null],
    ]);
    expect(filterRows(table, "NOR", 0, 3)).toEqual([0]);
    expect(filterRows(table, "1,28", 0, 3)).toEqual([0]);
    expect(filterRows(table, "128", 0, 3)).toEqual([0]);
    expect(filterRows(table, "null", 0, 3)).toEqual([]);
  });

  it("finds matches over many blocks, and none across two values", () => {
    const names = Array.from({ length: 60_000 }, (_, i) => (i === 50_000 ? "Äpfel 99" : `Row ${i} end`));
    const table = tableOf(names.map((name) => [name, 1]));
    for (const wanted of ["99", "row 4999", "end", "endrow", "äpfel"]) {
      const expected = names.flatMap((name, i) => (name.toLowerCase().includes(wanted) ? [i] : []));
      expect(filterRows(table, wanted, 0, names.length)).toEqual(expected);
    }
  });
});
