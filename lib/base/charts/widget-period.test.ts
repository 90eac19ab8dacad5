import { describe, expect, it } from "vitest";
import { toPicture } from "@/lib/base/charts/picture";
import { toDrawnSpec } from "@/lib/base/charts/spec";
import { toWidgetChart } from "@/lib/base/charts/widget-chart";
import { toEarlierCells } from "@/lib/base/charts/widget-table";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";

const LOOK = { digits: "grouped", times: "utc" } as const;
const FIELDS: ResultField[] = [
  { name: "day", type: "date" },
  { name: "region", type: "string" },
  { name: "sold", type: "int64" },
];
const measures = [{ field: "n", op: "sum", as: "sold" }];
const row = (day: string, region: string, sold: number): ResultRow => ({ day, region, sold });
const THEME = { series: ["one", "two"], grid: "g", axis: "grey", text: "t", surface: "s", font: "f" };

function drawn(spec: Record<string, unknown>, fields: ResultField[], rows: ResultRow[], before: ResultRow[]) {
  const chart = toWidgetChart(spec, { fields, rows, before }, LOOK);
  if (chart === null || "kind" in chart) throw new Error("It has no settings.");
  return chart;
}
const textOf = (met: unknown) => (met === null ? null : (met as { text: string }).text);

describe("an earlier period in a chart", () => {
  const spec = { dimensions: [{ field: "day", timeUnit: "day" }, "region"], measures, mark: "line" };
  const rows = [row("2026-05-01", "north", 1), row("2026-05-02", "north", 2), row("2026-05-01", "south", 3)];

  it("gives each series a dashed one in its colour, with its own times too", () => {
    const { data, settings } = drawn(spec, FIELDS, rows, [
      row("2026-05-01", "south", 30),
      row("2026-05-03", "north", 20),
      row("2026-05-03", "west", 99),
    ]);
    // The greatest first; a series that exists only in the earlier period is not part of this chart.
    expect(data.series.map(({ name }) => name)).toEqual([
      "north",
      "south",
      "north (previous period)",
      "south (previous period)",
    ]);
    expect(data.places.map(({ text }) => text)).toEqual(["2026-05-01", "2026-05-02", "2026-05-03"]);
    expect(data.cells.map((cells) => cells.map(textOf))).toEqual([
      ["1", "2", null],
      ["3", null, null],
      [null, null, "20"],
      ["30", null, null],
    ]);
    const said = JSON.stringify(toDrawnSpec(toPicture(data, settings), THEME, { width: 400, height: 200 }));
    expect(said).toContain('"range":["one","two","one","two"]');
    expect(said).toContain("strokeDash");
  });

  it("is grey beside category bars, for shown ones only", () => {
    const bars = { dimensions: ["region"], measures, mark: "bar" };
    const of = (region: string, sold: number) => ({ region, sold });
    const { data, settings } = drawn(
      bars,
      FIELDS.slice(1),
      [of("north", 5), of("south", 4)],
      [of("south", 8), of("west", 1)],
    );
    expect(data.series).toMatchObject([{ name: "This period" }, { name: "Previous period", isBefore: true }]);
    expect(data.places.map(({ at }) => at)).toEqual(["north", "south"]);
    expect(data.cells[1]?.map(textOf)).toEqual([null, "8"]);
    expect(settings.stack).toBe("apart");
    expect(JSON.stringify(toDrawnSpec(toPicture(data, settings), THEME, { width: 400, height: 200 }))).toContain(
      '"range":["one","grey"]',
    );
  });

  it("is omitted where lines would be unreadable, and for pies", () => {
    const many = ["a", "b", "c", "d", "e"].map((region) => row("2026-05-01", region, 1));
    expect(drawn(spec, FIELDS, many, many).data.series).toHaveLength(5);
    const pie = { dimensions: ["region"], measures, mark: "pie" };
    const parts = [{ region: "north", sold: 5 }];
    expect(drawn(pie, FIELDS.slice(1), parts, parts).data.series.some(({ isBefore }) => isBefore)).toBe(false);
  });
});

describe("an earlier period in a table", () => {
  it("is matched by group, whatever its position was", () => {
    const spec = { dimensions: ["day", "region"], measures };
    const cellOf = toEarlierCells(spec, FIELDS, [row("2026-05-01", "south", 4), row("2026-05-01", "north", 0)]);
    expect(cellOf(row("2026-05-01", "south", 5), 2)).toEqual({ value: 4, change: 0.25 });
    expect(cellOf(row("2026-05-01", "south", 5), 1)).toBeNull();
    // A change from 0 has no percentage, and a new group had no value.
    expect(cellOf(row("2026-05-01", "north", 5), 2)).toEqual({ value: 0, change: null });
    expect(cellOf(row("2026-05-01", "west", 5), 2)).toEqual({ value: null, change: null });
    expect(toEarlierCells(spec, FIELDS, undefined)(row("2026-05-01", "south", 5), 2)).toBeNull();
  });
});
