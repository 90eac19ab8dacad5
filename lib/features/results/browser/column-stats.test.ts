import { describe, expect, it } from "vitest";
import type { CellValue } from "@/lib/base/values/json-rows";
import { toColumnStats } from "@/lib/features/results/browser/column-stats";
import { ObjectTable } from "@/lib/features/results/browser/row-table";

function statsOf(type: string, values: CellValue[], order: number[] | null = null) {
  const table = new ObjectTable(
    [{ name: "a", type }],
    values.map((a) => ({ a })),
  );
  return toColumnStats({ table, order: order && Uint32Array.from(order) }, 0);
}

describe("toColumnStats", () => {
  it("computes numbers exactly, whatever their length", async () => {
    const stats = await statsOf("decimal", ["9007199254740993.10", "0.20", null, "0.20"]);
    expect(stats).toMatchObject({ rows: 4, nulls: 1, distinct: 2, min: "0.20", max: "9007199254740993.10" });
    expect(stats).toMatchObject({ sum: "9007199254740993.50", average: "3002399751580331.17" });
    expect(stats.top).toEqual([
      { value: "0.20", count: 2 },
      { value: "9007199254740993.10", count: 1 },
    ]);
  });

  it("counts many numbers in sixteen bars, with the greatest in the last", async () => {
    const { bars, top } = await statsOf("int32", [...Array(161).keys(), null]);
    expect(bars.map(({ count }) => count)).toEqual([...Array(15).fill(10), 11]);
    expect([bars[0]?.from, bars.at(-1)?.to]).toEqual([0, 160]);
    expect(top).toEqual([]);
  });

  it("orders times and texts, and computes no average of them", async () => {
    const days = Array.from({ length: 20 }, (_, i) => `2026-01-${String(i + 1).padStart(2, "0")}`);
    const times = await statsOf("date", days);
    expect(times).toMatchObject({ min: "2026-01-01", max: "2026-01-20", average: null, sum: null });
    expect(times.bars.reduce((sum, { count }) => sum + count, 0)).toBe(20);
    const texts = await statsOf("string", ["b", "a", "b"]);
    expect(texts).toMatchObject({
      min: "a",
      max: "b",
      distinct: 2,
      bars: [],
      top: [{ value: "b", count: 2 }, { value: "a" }],
    });
  });

  it("reads only the shown rows, and none of an empty result", async () => {
    expect(await statsOf("int32", [1, 2, 3], [2, 0])).toMatchObject({ rows: 2, min: "1", max: "3", sum: "4" });
    expect(await statsOf("int32", [])).toMatchObject({ rows: 0, nulls: 0, distinct: 0, min: null, bars: [], top: [] });
    expect(await statsOf("other", [{ b: 1 }, null])).toMatchObject({
      distinct: 1,
      min: null,
      top: [{ value: '{"b":1}' }],
    });
  });

  it("leaves infinite numbers out of the bars", async () => {
    const { bars, sum } = await statsOf("float64", ["NaN", "Infinity", ...Array(20).keys()]);
    expect(bars.reduce((all, { count }) => all + count, 0)).toBe(20);
    expect(sum).toBeNull();
  });
});
