import { describe, expect, it } from "vitest";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { type PivotAsk, toPivotRows } from "@/lib/features/results/browser/pivot-rows";
import { ObjectTable } from "@/lib/features/results/browser/row-table";

const fields = [
  { name: "region", type: "string" },
  { name: "sold_at", type: "timestamptz" },
  { name: "total", type: "decimal" },
];
const ROWS: ResultRow[] = [
  { region: "north", sold_at: "2026-01-31T23:30:00Z", total: "0.10" },
  { region: "north", sold_at: "2026-02-10T08:00:00Z", total: "0.20" },
  { region: "coast", sold_at: "2026-01-02T08:00:00Z", total: "5" },
  { region: null, sold_at: "2026-01-02T08:00:00Z", total: null },
];
const REGION = { column: 0, unit: null };
const MONTH = { column: 1, unit: "month" } as const;

async function pivot(ask: Partial<PivotAsk>, rows = ROWS, cellsMax?: number) {
  const usual: PivotAsk = {
    rows: [REGION],
    columns: [],
    value: 2,
    op: "sum",
    zone: null,
    rowsMax: 100,
    columnsMax: 50,
  };
  const made = await toPivotRows({ table: new ObjectTable(fields, rows), order: null }, { ...usual, ...ask }, cellsMax);
  return { ...made, lines: made.rows.map((row) => Object.values(row).join(" ")) };
}

describe("toPivotRows", () => {
  it("sums exactly by row and column groups, with totals from the rows, nulls last", async () => {
    const { lines, pivot: shape, fields: all } = await pivot({ columns: [MONTH] });
    expect(lines).toEqual([
      ...["coast 2026-01-01 5", "coast 5", "north 2026-01-01 0.10", "north 2026-02-01 0.20", "north 0.30"],
      ...[" 2026-01-01 ", " ", "2026-01-01 5.10", "2026-02-01 0.20", "5.30"],
    ]);
    expect(shape.levels.slice(0, 3)).toEqual([[1, 1], [1, 0], [1, 1]]); // biome-ignore format: short
    expect(shape).toMatchObject({ rows: 1, columns: 1, rowGroups: 3, columnGroups: 2 });
    expect(all).toEqual([fields[0], { name: "sold_at", type: "date" }, { name: "Sum of total", type: "decimal" }]);
  });

  it("cuts periods in the reader's zone", async () => {
    // Half past eleven at night in UTC is the first of February in Berlin.
    const { lines } = await pivot({ rows: [MONTH], zone: "Europe/Berlin" });
    expect(lines).toEqual(["2026-01-01 5", "2026-02-01 0.30", "5.30"]);
  });

  it.each([
    ["count", ["coast 1", "north 2", " 0", "3"]],
    ["average", ["coast 5.00", "north 0.15", " ", "1.77"]],
    ["min", ["coast 5", "north 0.10", " ", "0.10"]],
    ["max", ["coast 5", "north 0.20", " ", "5"]],
    ["distinct", ["coast 1", "north 2", " 0", "3"]],
  ] as const)("computes the %s of a value without nulls", async (op, expected) => {
    expect((await pivot({ op })).lines).toEqual(expected);
  });

  it("counts rows without a value, and puts a group before its subgroups", async () => {
    const { lines } = await pivot({ rows: [REGION, MONTH], value: null, op: "count" });
    expect(lines.slice(0, 5)).toEqual([
      "coast 1",
      "coast 2026-01-01 1",
      "north 2",
      "north 2026-01-01 1",
      "north 2026-02-01 1",
    ]);
    expect(lines.at(-1)).toBe("4");
  });

  it("shows the first groups of many, with totals of all", async () => {
    const { lines, pivot: shape } = await pivot({ rowsMax: 1 });
    expect(lines).toEqual(["coast 5", "5.30"]);
    expect(shape.rowGroups).toBe(3);
  });

  it("sorts numbers by value and refuses more cells than it can hold", async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ region: null, sold_at: null, total: i }));
    const by = { rows: [{ column: 2, unit: null }], value: null, op: "count" as const };
    expect((await pivot(by, rows(12))).lines.slice(8, 12)).toEqual(["8 1", "9 1", "10 1", "11 1"]);
    await expect(pivot(by, rows(12), 12)).rejects.toThrow("Too many groups");
  });
});
