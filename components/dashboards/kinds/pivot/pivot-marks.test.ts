import { describe, expect, it } from "vitest";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { PivotHead, PivotLayout } from "@/lib/features/dashboards/kinds/pivot/layout";
import { isPivotGroup, toPivotGrid, toPivotMark } from "./pivot-marks";

const field = (name: string) => ({ name, type: "string" }) as ResultField;
const head = (values: string[], isTotal: boolean): PivotHead => ({ key: JSON.stringify(values), values, isTotal });

const NORTH = head(["north"], true);
const SUM = field("sum");
const LAYOUT: PivotLayout = {
  rowFields: [field("region"), field("city")],
  columnFields: [field("year"), field("kind")],
  measures: [SUM],
  rows: [NORTH, head(["north", "Oslo"], false), head(["south"], true), head(["south", "Rome"], false), head([], true)],
  columns: [head(["2025", "a"], false), head(["2025", "b"], false), head([], true)],
  cellOf: () => undefined,
  shown: { rows: 2, ofRows: 2, columns: 2, ofColumns: 2 },
};
const NOTHING = new Set<string>();

describe("toPivotGrid", () => {
  it("hides only the rows of closed groups", () => {
    const { rows } = toPivotGrid(LAYOUT, new Set([NORTH.key]));
    expect(rows.map(({ values }) => values)).toEqual([["north"], ["south"], ["south", "Rome"], []]);
  });

  it("has a line of measures only for several measures or without column fields", () => {
    expect(toPivotGrid(LAYOUT, NOTHING).headLines).toBe(2);
    expect(toPivotGrid({ ...LAYOUT, measures: [SUM, field("count")] }, NOTHING).headLines).toBe(3);
    expect(toPivotGrid({ ...LAYOUT, columnFields: [] }, NOTHING).headLines).toBe(1);
  });

  it("has a column for each measure of a column head", () => {
    const { pairs } = toPivotGrid({ ...LAYOUT, measures: [SUM, field("count")] }, NOTHING);
    expect(pairs.map(({ column, measure }) => `${column.values.join(" ")} ${measure.name}`).slice(0, 3)).toEqual([
      "2025 a sum",
      "2025 a count",
      "2025 b sum",
    ]);
  });
});

describe("toPivotMark", () => {
  const grid = toPivotGrid(LAYOUT, NOTHING);
  const at = (line: number, column: number) => toPivotMark(grid, LAYOUT, { line, column });

  it("returns the group of a head, with the values down to its line", () => {
    expect(at(0, 2)).toMatchObject({ row: null, column: { values: ["2025"] }, measure: null });
    expect(at(1, 2)).toMatchObject({ row: null, column: { values: ["2025", "b"] }, measure: null });
  });

  it("returns the row of a row head, and row, column and measure of a cell", () => {
    expect(at(3, 0)).toMatchObject({ row: { values: ["north", "Oslo"] }, column: null, measure: null });
    expect(at(3, 1)).toMatchObject({ row: { values: ["north", "Oslo"] }, column: { values: ["2025", "a"] }, measure: SUM }); // biome-ignore format: one look
  });

  it("returns nothing for places outside of the table", () => {
    expect(at(99, 99)).toEqual({ row: null, column: null, measure: null });
  });
});

describe("isPivotGroup", () => {
  it("is false for single rows and for the grand total", () => {
    expect([NORTH, head(["north", "Oslo"], false), head([], true)].map(isPivotGroup)).toEqual([true, false, false]);
  });
});
