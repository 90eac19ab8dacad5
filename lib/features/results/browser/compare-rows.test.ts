import { describe, expect, it } from "vitest";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { compareRows, guessKey } from "@/lib/features/results/browser/compare-rows";
import { ObjectTable } from "@/lib/features/results/browser/row-table";

const fields = [
  { name: "region", type: "string" },
  { name: "id", type: "int64" },
  { name: "total", type: "decimal" },
];
const tableOf = (rows: ResultRow[], of = fields) => new ObjectTable(of, rows);
const row = (id: number | null, region: string, total: string | null = "1.50"): ResultRow => ({ id, region, total });

describe("compareRows", () => {
  it("lists added, changed and removed rows, with the old values of changed cells", async () => {
    const before = tableOf([row(1, "north"), row(2, "coast", "3"), row(3, "south")]);
    const after = tableOf([row(4, "islands"), row(2, "coast", null), row(1, "north", "1.5")]);
    const { rows, counts, repeatedKeys } = await compareRows(before, after, ["id"]);
    expect(rows).toEqual([
      { change: "added", row: row(4, "islands"), was: {} },
      { change: "changed", row: row(2, "coast", null), was: { total: "3" } },
      { change: "removed", row: row(3, "south"), was: {} },
    ]);
    expect(counts).toEqual({ added: 1, removed: 1, changed: 1, same: 1 });
    expect(repeatedKeys).toBe(0);
  });

  it("compares only columns that both have, and keeps the others", async () => {
    const before = tableOf([{ id: 1, old: "x" }], [{ name: "id", type: "int32" }, { name: "old", type: "string" }]); // biome-ignore format: short
    const after = tableOf([{ id: 1, fresh: "y" }], [{ name: "id", type: "int32" }, { name: "fresh", type: "string" }]); // biome-ignore format: short
    const { fields: all, counts } = await compareRows(before, after, ["id"]);
    expect(all.map(({ name }) => name)).toEqual(["id", "fresh", "old"]);
    expect(counts).toEqual({ added: 0, removed: 0, changed: 0, same: 1 });
  });

  it("pairs repeated keys in their order, and counts them", async () => {
    const before = tableOf([row(1, "a"), row(1, "b"), row(1, "c")]);
    const after = tableOf([row(1, "a"), row(1, "x")]);
    const { rows, repeatedKeys } = await compareRows(before, after, ["id"]);
    expect(rows).toEqual([
      { change: "changed", row: row(1, "x"), was: { region: "b" } },
      { change: "removed", row: row(1, "c"), was: {} },
    ]);
    expect(repeatedKeys).toBe(3);
  });

  it("tells a number from its text, and columns of a key from each other", async () => {
    const of = [{ name: "a", type: "other" }, { name: "b", type: "other" }]; // biome-ignore format: short
    const before = tableOf([{ a: "1", b: "" }, { a: "x", b: "yz" }], of); // biome-ignore format: short
    const after = tableOf([{ a: 1, b: "" }, { a: "xy", b: "z" }], of); // biome-ignore format: short
    expect((await compareRows(before, after, ["a", "b"])).counts).toMatchObject({ added: 2, removed: 2, same: 0 });
  });
});

describe("guessKey", () => {
  it("prefers a unique identifier, then another unique column, then all shared columns", () => {
    expect(guessKey(tableOf([row(1, "a"), row(2, "b")]), tableOf([row(1, "c")]))).toEqual(["id"]);
    expect(guessKey(tableOf([row(1, "a"), row(1, "b")]), tableOf([row(1, "c")]))).toEqual(["region"]);
    expect(guessKey(tableOf([row(1, "a"), row(1, "a")]), tableOf([row(null, "c")]))).toEqual(["region", "id", "total"]);
  });
});
