import { describe, expect, it } from "vitest";
import { type Found, findCells, findFrom, toCellTest } from "@/lib/features/results/browser/find-rows";
import { ObjectTable, RowTable } from "@/lib/features/results/browser/row-table";

const fields = [
  { name: "place", type: "string" },
  { name: "total", type: "int64" },
  { name: "sent_at", type: "timestamptz" },
];
const look = { digits: "grouped", times: "Europe/Lisbon" } as const;
const all = [0, 1, 2];

function tableOf(rows: [string | null, number | null, string | null][]): RowTable {
  const table = new RowTable(fields);
  for (const [place, total, sent_at] of rows) table.push({ place, total, sent_at });
  return table;
}

async function find(text: string, order: number[] | null, columns = all, only: number | null = null) {
  const shown = { table: tableOf(ROWS), order: order && Uint32Array.from(order) };
  const found = await findCells(shown, { text, columns, only, look }, () => false);
  return [...(found?.rows ?? [])].map((row, i) => [row, found?.places[i] ?? -1]);
}

const ROWS: [string | null, number | null, string | null][] = [
  ["Coast 1284", 7, "2026-07-01T08:30:00Z"],
  ["north", 1284, null],
  [null, null, "2026-01-01T08:30:00Z"],
  ["coast", 12, null],
];

describe("findCells", () => {
  it("finds each cell by its stored or displayed text, row by row", async () => {
    expect(await find("COAST", null)).toEqual([[0, 0], [3, 0]]); // biome-ignore format: cells
    expect(await find("1284", null)).toEqual([[0, 0], [1, 1]]); // biome-ignore format: cells
    expect(await find("1,28", null)).toEqual([[1, 1]]);
    expect(await find("null", null)).toEqual([]);
  });

  it("finds times as they are shown in the user's zone", async () => {
    // Lisbon is an hour ahead of UTC in July.
    expect(await find("09:30", null)).toEqual([[0, 2]]);
    expect(await find("2026-01-01 08:30", null)).toEqual([[2, 2]]);
  });

  it("numbers rows as shown, and skips rows and columns that are not", async () => {
    expect(await find("coast", [3, 1, 0])).toEqual([[0, 0], [2, 0]]); // biome-ignore format: cells
    expect(await find("1284", null, [1, 0])).toEqual([[0, 1], [1, 0]]); // biome-ignore format: cells
    expect(await find("1284", null, [1, 0], 0)).toEqual([[0, 1]]);
  });

  it("finds the same in rows of a response as in loaded columns, over many blocks", async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => ({ place: `Row ${i} end`, total: i, sent_at: null }));
    const columns = new RowTable(fields);
    for (const row of rows) columns.push(row);
    for (const text of ["3999", "end", "endrow"]) {
      const ask = { text, columns: all, only: null, look };
      const found = await findCells({ table: columns, order: null }, ask, () => false);
      expect(found).toEqual(await findCells({ table: new ObjectTable(fields, rows), order: null }, ask, () => false));
      expect([...(found?.rows ?? [])]).toEqual(
        rows.flatMap((row, i) => [row.place, String(row.total)].filter((each) => each.includes(text)).map(() => i)),
      );
    }
  });

  it("stops at the limit of matches, and when it is stale", async () => {
    const shown = { table: tableOf(ROWS), order: null };
    const ask = { text: "1", columns: all, only: null, look };
    const found = await findCells(shown, ask, () => false, 2);
    expect([found?.rows.length, found?.isCut]).toEqual([2, true]);
    const endless = { fields, rowCount: 2 ** 30, at: () => "a" };
    const columns = [0];
    expect(await findCells({ table: endless, order: null }, { ...ask, columns }, () => true)).toBeUndefined();
  });
});

describe("findFrom", () => {
  const found: Found = { rows: Uint32Array.of(2, 2, 7), places: Uint16Array.of(0, 3, 1), isCut: false };

  it.each([
    [0, 0, 0],
    [2, 1, 1],
    [2, 4, 2],
    [7, 1, 2],
    [7, 2, 0],
  ])("returns the first match at or after row %i, place %i, and wraps", (row, place, expected) => {
    expect(findFrom(found, row, place)).toBe(expected);
  });

  it("returns -1 without matches", () => {
    expect(findFrom({ rows: new Uint32Array(), places: new Uint16Array(), isCut: false }, 0, 0)).toBe(-1);
  });
});

it("highlights the cells that the search finds", () => {
  const test = toCellTest({ name: "total", type: "decimal" }, "1,28", look);
  expect([test("1284.50"), test(null), test("128.40")]).toEqual([true, false, false]);
});
