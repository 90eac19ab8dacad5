// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CellValue } from "@/lib/base/values/json-rows";
import { orderOf } from "@/lib/features/results/browser/float-order";
import { ObjectTable, RowTable } from "@/lib/features/results/browser/row-table";
import { sortRows } from "@/lib/features/results/browser/sort-rows";
import { compareNumberText } from "@/lib/platform/browser/exact-number";

function sorted(type: string, values: CellValue[], isDescending = false): CellValue[] {
  const fields = [{ name: "x", type }];
  const objects = new ObjectTable(
    fields,
    values.map((x) => ({ x })),
  );
  const stored = new RowTable(fields);
  for (const x of values) stored.push({ x });
  const rows = Uint32Array.from(values.keys());
  const [a, b] = [objects, stored].map((table) =>
    Array.from(sortRows(table, { column: 0, isDescending }, rows), (row) => table.at(row, 0)),
  );
  // The order must not depend on the column's representation.
  expect(b).toEqual(a);
  return a ?? [];
}

describe("sortRows", () => {
  it("sorts nulls last in both directions", () => {
    expect(sorted("int32", [2, null, 10, 1])).toEqual([1, 2, 10, null]);
    expect(sorted("int32", [2, null, 10, 1], true)).toEqual([10, 2, 1, null]);
    expect(sorted("string", ["b", null, "a"], true)).toEqual(["b", "a", null]);
    expect(sorted("boolean", [true, null, false])).toEqual([false, true, null]);
  });

  it("distinguishes numbers that are equal as floats", () => {
    const values = ["9223372036854775807", "9223372036854775805", "9223372036854775806"];
    expect(sorted("int64", values)).toEqual(values.toSorted(compareNumberText));
    expect(sorted("decimal", ["0.10000000000000000002", "0.10000000000000000001"])).toEqual([
      "0.10000000000000000001",
      "0.10000000000000000002",
    ]);
  });

  it("sorts texts naturally: ignoring case and accents, numbers by value", () => {
    expect(sorted("string", ["item 10", "Zebra", "item 9", "Éclair", "apple", "ITEM 1"])).toEqual([
      "apple",
      "Éclair",
      "ITEM 1",
      "item 9",
      "item 10",
      "Zebra",
    ]);
  });

  it("sorts times by fractions of a second too", () => {
    const values = ["2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.25Z"];
    expect(sorted("timestamptz", values)).toEqual([values[1], values[2], values[0]]);
  });

  it("sorts non-numbers after numbers, and before null", () => {
    expect(sorted("float64", ["NaN", 1, null, "-Infinity"])).toEqual(["-Infinity", 1, "NaN", null]);
  });
});

describe("orderOf", () => {
  it("sorts many numbers as by comparison, equal ones stable", () => {
    const few = fc.double({ noNaN: true });
    fc.assert(
      fc.property(fc.array(few, { minLength: 1, maxLength: 40 }), (numbers) => {
        const keys = Float64Array.from({ length: 25_000 }, (_, i) => numbers[(i * 7) % numbers.length] ?? 0);
        const expected = Array.from(keys.keys()).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
        const isInfinite = numbers.some((number) => !Number.isFinite(number));
        const values = (order: Iterable<number>) => Array.from(order, (i) => keys[i]);
        // Infinity minus Infinity is NaN, so only the values are compared then.
        if (isInfinite) expect(values(orderOf(keys))).toEqual(values(expected.map((i) => i)).toSorted(byValue));
        else expect([...orderOf(keys)]).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});

function byValue(a: number | undefined, b: number | undefined): number {
  return (a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0;
}
