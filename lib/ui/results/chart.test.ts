import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { describe, expect, it } from "vitest";
import type { CellValue } from "@/lib/tabular/json-rows";
import { toChartData } from "@/lib/ui/results/chart-data";
import { CHART_KINDS, type ChartShelves, fitShelves, guessShelves } from "@/lib/ui/results/chart-shelves";
import { type ChartTheme, readShelves, toDrawnSpec, toKeptSpec } from "@/lib/ui/results/chart-spec";
import { describeChart, describeCuts } from "@/lib/ui/results/chart-words";
import { ObjectTable } from "@/lib/ui/results/row-table";

const FIELDS = [
  { name: "week", type: "date" },
  { name: "region", type: "string" },
  { name: "order_id", type: "int64" },
  { name: "revenue", type: "decimal" },
];
const THEME: ChartTheme = {
  series: ["#111111", "#222222", "#333333", "#444444", "#555555", "#666666", "#777777", "#888888"],
  grid: "#eeeeee",
  axis: "#999999",
  text: "#000000",
  surface: "#ffffff",
  font: "sans-serif",
};

function tableOf(fields: { name: string; type: string }[], rows: CellValue[][]): ObjectTable {
  return new ObjectTable(
    fields,
    rows.map((row) => Object.fromEntries(fields.map(({ name }, i): [string, CellValue] => [name, row[i] ?? null]))),
  );
}

const weekly = tableOf(FIELDS, [
  ["2026-11-16", "north", 1, "10.50"],
  ["2026-11-09", "north", 2, "4"],
  ["2026-11-16", "north", 3, "1.5"],
  ["2026-11-16", "south", 4, "7"],
  ["2026-11-09", "south", 5, null],
]);
const LINES: ChartShelves = { kind: "line", across: "week", up: { of: "sum", column: "revenue" }, colour: "region" };

describe("guessShelves", () => {
  it("draws an amount over time, a line for each of a few categories, and never adds up ids", () => {
    expect(guessShelves(weekly)).toEqual(LINES);
  });

  it("compares categories where there is no time, and numbers where there is neither", () => {
    const byName = tableOf(
      [FIELDS[1], FIELDS[2]].filter((field) => field !== undefined),
      [["north", 1]],
    );
    expect(guessShelves(byName)).toEqual({
      kind: "bar",
      across: "region",
      up: { of: "count", column: null },
      colour: null,
    });
    const numbers = [
      { name: "x", type: "float64" },
      { name: "y", type: "float64" },
    ];
    expect(guessShelves(tableOf(numbers, [[1, 2]]))?.kind).toBe("dots");
    expect(guessShelves(tableOf([{ name: "doc", type: "json" }], [[{}]]))).toBeNull();
  });
});

describe("toChartData", () => {
  it("adds up by place and colour, in the order of time", () => {
    const data = toChartData(weekly, null, LINES);
    const week = (day: string) => Date.parse(day);
    expect(data.points).toEqual([
      { across: week("2026-11-09"), up: 4, colour: "north" },
      { across: week("2026-11-16"), up: 12, colour: "north" },
      { across: week("2026-11-16"), up: 7, colour: "south" },
    ]);
    expect(data.series).toEqual(["north", "south"]);
    expect(data.skipped).toBe(1);
  });

  it("takes only the rows that are shown", () => {
    expect(toChartData(weekly, Uint32Array.of(3), LINES).points).toHaveLength(1);
  });

  it("keeps the greatest of too many categories and series, and says how many there were", () => {
    const fields = [
      { name: "name", type: "string" },
      { name: "n", type: "int32" },
    ];
    const many = tableOf(
      fields,
      Array.from({ length: 100 }, (_, i) => [`name ${i}`, i]),
    );
    const shelves: ChartShelves = { kind: "bar", across: "name", up: { of: "sum", column: "n" }, colour: null };
    const data = toChartData(many, null, shelves);
    expect(data.points.map(({ across }) => across).slice(0, 2)).toEqual(["name 99", "name 98"]);
    expect(data.points).toHaveLength(30);
    expect(describeCuts(data, shelves)).toEqual(["The 30 greatest of 100 name."]);
    const coloured = toChartData(many, null, { ...shelves, colour: "name" });
    expect(coloured.series).toHaveLength(8);
  });

  it("puts a year of seconds together, by day", () => {
    const fields = [{ name: "at", type: "timestamp" }];
    const start = Date.parse("2026-01-01T00:00:00Z");
    const rows = Array.from({ length: 5000 }, (_, i) => [new Date(start + i * 3_000_017).toISOString().slice(0, -1)]);
    const shelves: ChartShelves = { kind: "line", across: "at", up: { of: "count", column: null }, colour: null };
    const data = toChartData(tableOf(fields, rows), null, shelves);
    expect(data.step?.name).toBe("day");
    expect(data.points.reduce((sum, { up }) => sum + up, 0)).toBe(5000);
    expect(data.points[0]?.across).toBe(start);
  });

  it("draws one of every so many rows when each row is a dot", () => {
    const fields = [
      { name: "x", type: "float64" },
      { name: "y", type: "float64" },
    ];
    const rows = Array.from({ length: 10_000 }, (_, i) => [i, i]);
    const shelves: ChartShelves = { kind: "dots", across: "x", up: { of: "each", column: "y" }, colour: null };
    const data = toChartData(tableOf(fields, rows), null, shelves);
    expect(data.everyNth).toBe(3);
    expect(data.points).toHaveLength(3334);
  });
});

describe("chart specifications", () => {
  it("keep the shelves, and name the result's own columns so that other tools can draw them", () => {
    const fields = [{ name: "a.b[c]", type: "timestamp" }, ...FIELDS];
    const spec = toKeptSpec({ ...LINES, across: "a.b[c]" }, fields);
    expect(spec).toMatchObject({
      mark: { type: "line" },
      encoding: {
        x: { field: "a\\.b\\[c\\]", type: "temporal" },
        y: { aggregate: "sum", field: "revenue" },
        color: { field: "region" },
      },
    });
    expect(readShelves(JSON.parse(JSON.stringify(spec)))).toEqual({ ...LINES, across: "a.b[c]" });
    expect(readShelves({ mark: "bar" })).toBeNull();
    expect(fitShelves(LINES, FIELDS.slice(1))).toBeNull();
  });

  it("of every kind draw without making text into code", async () => {
    for (const kind of CHART_KINDS) {
      for (const colour of [null, "region"]) {
        const shelves: ChartShelves = { ...LINES, kind, colour };
        const spec = toDrawnSpec(toChartData(weekly, null, shelves), shelves, THEME, { width: 600, height: 300 });
        const runtime = vega.parse(compile(spec).spec, undefined, { ast: true });
        const view = new vega.View(runtime, { expr: expressionInterpreter, renderer: "none" });
        const svg = await view.toSVG();
        view.finalize();
        expect(svg).toContain(THEME.series[0]);
        // The names of the series: at the ends of their lines, or in a legend.
        if (colour !== null) expect(svg).toContain("south");
      }
    }
  });

  it("label a few weeks each with its day, and thousands with their unit apart", async () => {
    const rows = ["2026-10-05", "2026-10-12", "2026-10-19"].map((week, i) => [week, "north", i, 50_000 * (i + 1)]);
    const shelves: ChartShelves = { ...LINES, colour: null };
    const data = toChartData(tableOf(FIELDS, rows), null, shelves);
    const spec = toDrawnSpec(data, shelves, THEME, { width: 600, height: 300 });
    const view = new vega.View(vega.parse(compile(spec).spec, undefined, { ast: true }), {
      expr: expressionInterpreter,
      renderer: "none",
    });
    const svg = await view.toSVG();
    view.finalize();
    for (const label of [">5 Oct<", ">12 Oct<", ">19 Oct<", ">100 k<"]) expect(svg).toContain(label);
  });

  it("never run what a value says (T60)", async () => {
    const evil = '<img src=x onerror="window.ran=1">';
    const table = tableOf(
      [
        { name: evil, type: "string" },
        { name: "n", type: "int32" },
      ],
      [
        [evil, 1],
        ["plain", 2],
      ],
    );
    const shelves: ChartShelves = { kind: "bar", across: evil, up: { of: "sum", column: "n" }, colour: evil };
    const spec = toDrawnSpec(toChartData(table, null, shelves), shelves, THEME, { width: 600, height: 300 });
    const view = new vega.View(vega.parse(compile(spec).spec, undefined, { ast: true }), {
      expr: expressionInterpreter,
      renderer: "none",
    });
    expect(await view.toSVG()).not.toContain("<img");
    view.finalize();
  });
});

describe("describeChart", () => {
  it("says what there is to see, with the highest and the lowest point", () => {
    expect(describeChart(toChartData(weekly, null, LINES), LINES)).toBe(
      "Line chart of sum revenue by week, one colour a region: north, south. Highest 12 at 16 Nov 2026 (north), lowest 4 at 9 Nov 2026 (north).",
    );
  });
});
