import { describe, expect, it } from "vitest";
import type { CellValue } from "@/lib/base/values/json-rows";
import { RowTable, toRow } from "@/lib/features/results/browser/row-table";

/** Returns a table of one column with the given values. */
function tableOf(type: string, values: CellValue[]): RowTable {
  const table = new RowTable([{ name: "x", type }]);
  for (const value of values) table.push({ x: value });
  return table;
}

function readAll(table: RowTable): CellValue[] {
  return Array.from({ length: table.rowCount }, (_, row) => table.at(row, 0));
}

describe("RowTable", () => {
  it("returns every kind of value unchanged", () => {
    for (const values of [
      [1, null, -0.5, 9007199254740991],
      [true, null, false],
      ["a", null, "", "ü", "\u{1f6b2}"],
      [{ a: [1, null] }, null, [1, "x"]],
      [null, null],
    ] satisfies CellValue[][]) {
      expect(readAll(tableOf("other", values))).toEqual(values);
    }
  });

  it("keeps a number too large for a float exact beside smaller ones", () => {
    const values = [1, "9223372036854775807", null, -2];
    expect(readAll(tableOf("int64", values))).toEqual(values);
  });

  it("keeps texts over several blocks, with other scripts and nulls", () => {
    const values = Array.from({ length: 40_000 }, (_, i) => (i % 7 === 0 ? null : i < 20_000 ? `a${i}` : `ß${i}`));
    expect(readAll(tableOf("string", values))).toEqual(values);
  });

  it("takes a fraction of the bytes for repeated texts", () => {
    const values = Array.from({ length: 100_000 }, (_, i) => `region number ${i % 5}`);
    expect(tableOf("string", values).bytes).toBeLessThan(100_000 * 4);
  });

  it("turns a row into an object, also with a column named __proto__", () => {
    const table = new RowTable([{ name: "__proto__", type: "int32" }]);
    table.push(JSON.parse('{"__proto__":5}'));
    expect(JSON.stringify(toRow(table, 0, [0]))).toBe('{"__proto__":5}');
  });
});
