import { describe, expect, it } from "vitest";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { WidgetData } from "../../schema";
import {
  toCutWords,
  toGroupText,
  toHeadCells,
  toHeadText,
  toHeat,
  toPivotLayout,
  toPivotLines,
  toUnits,
} from "./layout";
import { pivotTraits } from "./traits";

const LOOK: CellLook = { digits: "grouped", times: "utc" };
const STRING = { type: "string" as const, dbType: "VARCHAR" };
const FIELDS: WidgetData["fields"] = [
  { name: "region", ...STRING },
  { name: "year", type: "date", dbType: "DATE" },
  { name: "kind", ...STRING },
  { name: "sum", type: "int64", dbType: "BIGINT" },
];
const SPEC = { rows: ["region"], columns: [{ field: "year", timeUnit: "year" }, "kind"], measures: [{ field: "n", op: "sum" }] }; // biome-ignore format: one look

/** Data as the server answers it: in each line the values, and the levels of row and column. */
function dataOf(lines: [unknown[], number, number][]): WidgetData {
  const names = FIELDS.map(({ name }) => name);
  return {
    ...{ id: "p", fields: FIELDS, cachedAt: null, ageMs: null, truncated: false },
    rows: lines.map(([values]) => Object.fromEntries(values.map((value, at) => [names[at], value]))),
    pivot: {
      rows: 1,
      columns: 2,
      levels: lines.map(([, row, column]) => [row, column]),
      rowGroups: 2,
      columnGroups: 4,
    },
  };
}
const DATA = dataOf([
  [["north", "2025-01-01", null, 10], 1, 1],
  [["north", "2025-01-01", "a", 10], 1, 2],
  [["north", null, null, 10], 1, 0],
  [[null, "2025-01-01", null, -5], 1, 1],
  [[null, "2025-01-01", "b", -8], 1, 2],
  [[null, "2025-01-01", null, 3], 1, 2],
  [[null, "2026-01-01", null, 20], 1, 1],
  [[null, "2026-01-01", "a", "20"], 1, 2],
  [[null, null, null, 15], 1, 0],
  [[null, "2025-01-01", null, 5], 0, 1],
  [[null, "2025-01-01", "a", 10], 0, 2],
  [[null, "2025-01-01", "b", -8], 0, 2],
  [[null, "2025-01-01", null, 3], 0, 2],
  [[null, "2026-01-01", null, 20], 0, 1],
  [[null, "2026-01-01", "a", 20], 0, 2],
  [[null, null, null, 25], 0, 0],
]);
const layoutOf = (spec: Record<string, unknown> = SPEC, data = DATA) => {
  const layout = toPivotLayout(spec, data);
  if (layout === null) throw new Error("This data has a layout.");
  return layout;
};

describe("the layout of a pivot table", () => {
  it("distinguishes a null group from a total, and has subtotals behind their columns", () => {
    const { rows, columns, cellOf, measures } = layoutOf();
    expect(rows.map(({ values, isTotal }) => [values, isTotal])).toEqual([
      [["north"], false],
      [[null], false],
      [[], true],
    ]);
    expect(columns.map(({ values }) => values)).toEqual([
      ["2025-01-01", "a"],
      ["2025-01-01", "b"],
      ["2025-01-01", null],
      ["2025-01-01"],
      ["2026-01-01", "a"],
      ["2026-01-01"],
      [],
    ]);
    const [sum] = measures;
    const cells = rows.map((row) => columns.map((column) => sum && cellOf(row, column, sum)));
    expect(cells[1]).toEqual([undefined, -8, 3, -5, "20", 20, 15]);
    expect(cells[2]).toEqual([10, -8, 3, 5, 20, 20, 25]);
  });

  it("spans a group's columns in the header", () => {
    const [years, kinds] = [toHeadCells(layoutOf(), 0), toHeadCells(layoutOf(), 1)];
    expect(years.map(({ at, span, lines, isTotal }) => [at, span, lines, isTotal])).toEqual([
      [0, 4, 1, false],
      [4, 2, 1, false],
      [6, 1, 2, true],
    ]);
    expect(kinds.map(({ at, isTotal }) => [at, isTotal])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, true],
      [4, false],
      [5, true],
    ]);
  });

  it("hides totals and subtotals that are off", () => {
    const { rows, columns } = layoutOf({ ...SPEC, totals: false, subtotals: false });
    expect(rows.map(({ values }) => values)).toEqual([["north"], [null]]);
    expect(columns.map(({ values }) => values.length)).toEqual([2, 2, 2, 2]);
  });

  it("shades cells by their share of the maximum, at most 40 %, except totals and negatives", () => {
    const layout = layoutOf();
    const { of, mostOf } = toHeat(layout);
    const [sum] = layout.measures;
    if (!sum) throw new Error("It has a measure.");
    expect(mostOf(sum)).toBe("20");
    expect(layout.rows.map((row) => layout.columns.map((column) => of(row, column, sum)))).toEqual([
      [20, 0, 0, 0, 0, 0, 0],
      [0, 0, 6, 0, 40, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
    ]);
  });

  it("is exported with headers and exact values", () => {
    expect(toPivotLines(layoutOf())).toEqual([
      ["year", "2025-01-01", "2025-01-01", "2025-01-01", "2025-01-01", "2026-01-01", "2026-01-01", "Total"],
      ["kind", "a", "b", "null", "Total", "a", "Total", ""],
      ["region", "sum", "sum", "sum", "sum", "sum", "sum", "sum"],
      ["north", "10", "", "", "10", "", "", "10"],
      ["null", "", "-8", "3", "-5", "20", "20", "15"],
      ["Total", "10", "-8", "3", "5", "20", "20", "25"],
    ]);
  });

  it("says what is hidden", () => {
    expect(toCutWords(layoutOf().shown)).toBeNull();
    expect(toCutWords(layoutOf(SPEC, { ...DATA, pivot: { ...DATA.pivot, rowGroups: 90 } as never }).shown)).toBe(
      "2 of 90 row groups shown. Totals include all.",
    );
  });
});

describe("the text of a group", () => {
  const day = FIELDS[1] as (typeof FIELDS)[number];
  it.each([
    ["year", "2026"],
    ["quarter", "Q1 2026"],
    ["month", "Feb 2026"],
    ["week", "week of 2 Feb 2026"],
    [null, "2 Feb 2026"],
  ])("of a time by %s is %s", (unit, text) => {
    expect(toGroupText("2026-02-02", day, unit, LOOK)).toBe(text);
  });

  it("is null for null, and the path of a subgroup", () => {
    expect(toGroupText(null, day, "year", LOOK)).toBe("null");
    const head = { key: "", values: ["2026-02-02", null], isTotal: false };
    expect(toHeadText(head, FIELDS.slice(1, 3), ["year", null], LOOK)).toBe("2026, null");
    expect(toHeadText({ key: "", values: [], isTotal: true }, [], [], LOOK)).toBe("Total");
  });

  it("follows the page's grain", () => {
    expect(toUnits(SPEC, undefined)).toEqual([null, "year", null]);
    expect(toUnits(SPEC, "month")[1]).toBe("month");
  });
});

describe("the look of a pivot table", () => {
  it("takes another look's dimensions, the last of several as columns, and returns them", () => {
    const plain = { dimensions: ["a", "b", { field: "c", timeUnit: "day" }], measures: [{ op: "count" }] };
    const spec = pivotTraits.withLook(plain);
    expect(spec).toEqual({ rows: ["a", "b"], columns: [{ field: "c", timeUnit: "day" }], measures: plain.measures });
    expect(pivotTraits.toPlain(spec)).toEqual(plain);
    expect(pivotTraits.withLook({ measures: plain.measures })).toEqual({});
    expect(pivotTraits.withLook({ dimensions: ["a"] })).toEqual({ rows: ["a"], measures: [{ op: "count" }] });
  });

  it("is suggested with a text as rows and a time as columns", () => {
    const fields = [
      { name: "at", type: "timestamp" },
      { name: "region", type: "string" },
      { name: "amount", type: "decimal" },
    ];
    const spec = pivotTraits.suggest({}, "pivot", fields as never);
    expect(spec).toEqual({
      rows: ["region"],
      columns: [{ field: "at", timeUnit: "month" }],
      measures: [{ field: "amount", op: "sum" }],
    });
    expect(pivotTraits.suggest(spec ?? {}, "pivot", fields as never)).toBeNull();
  });
});
