import { describe, expect, it } from "vitest";
import { diffRows } from "./row-diff";

const side = (names: string[], ...rows: unknown[][]) => ({
  fields: names.map((name) => ({ name, type: "int64" })),
  rows: rows.map((values) => Object.fromEntries(names.map((name, index) => [name, values[index]]))),
  truncated: false,
  error: null,
});

describe("diffRows", () => {
  it("pairs rows by a first column that identifies them", () => {
    const diff = diffRows(side(["id", "n"], [1, 10], [2, 20], [3, 30]), side(["id", "n"], [3, 30], [2, 21], [4, 40]));
    expect(diff).toMatchObject({ key: "id", addedCount: 1, removedCount: 1, changedCount: 1 });
    expect(diff.added).toEqual([{ id: 4, n: 40 }]);
    expect(diff.removed).toEqual([{ id: 1, n: 10 }]);
    expect(diff.changed).toEqual([{ before: { id: 2, n: 20 }, after: { id: 2, n: 21 } }]);
  });

  it.each([
    ["the first column repeats", side(["a", "n"], [1, 1], [1, 2], [1, 2]), side(["a", "n"], [1, 2], [1, 3])],
    ["the first column has another name", side(["a", "n"], [1, 1], [2, 2]), side(["b", "n"], [1, 1])],
  ])("compares whole rows when %s, each as often as it occurs", (_, before, after) => {
    const { key, addedCount, removedCount, changedCount } = diffRows(before, after);
    expect([key, changedCount]).toEqual([null, 0]);
    expect([addedCount, removedCount]).toEqual([1, 2]);
  });

  it("keeps 1 and '1' apart, and counts a missing column as a change", () => {
    expect(diffRows(side(["id"], [1]), side(["id"], ["1"]))).toMatchObject({ addedCount: 1, removedCount: 1 });
    expect(diffRows(side(["id", "n"], [1, 1]), side(["id"], [1]))).toMatchObject({ changedCount: 1 });
  });

  it("has one side for a new and for a deleted file, and no rows for a failed query", () => {
    expect(diffRows(null, side(["id"], [1]))).toMatchObject({ before: null, addedCount: 1 });
    expect(diffRows(side(["id"], [1]), null)).toMatchObject({ after: null, removedCount: 1 });
    const failed = { ...side([]), error: "syntax error" };
    expect(diffRows(side(["id"], [1]), failed)).toMatchObject({ removedCount: 0, after: { error: "syntax error" } });
  });

  it("shows 100 rows of each kind and counts all", () => {
    const rows = Array.from({ length: 150 }, (_, n) => [n]);
    const diff = diffRows(side(["id"]), side(["id"], ...rows));
    expect([diff.addedCount, diff.added.length]).toEqual([150, 100]);
  });
});
