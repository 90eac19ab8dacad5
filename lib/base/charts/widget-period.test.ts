import { describe, expect, it } from "vitest";
import { toPicture } from "@/lib/base/charts/picture";
import { toDrawnSpec } from "@/lib/base/charts/spec";
import { toWidgetChart } from "@/lib/base/charts/widget-chart";
import { toYearBefore } from "@/lib/base/charts/widget-period";
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

function drawn(
  spec: Record<string, unknown>,
  fields: ResultField[],
  rows: ResultRow[],
  before?: ResultRow[],
  compare?: "previous" | "year",
) {
  const chart = toWidgetChart(spec, { fields, rows, before, compare }, LOOK);
  if (chart === null || "kind" in chart) throw new Error("It has no settings.");
  return chart;
}
const textOf = (met: unknown) => (met === null ? null : (met as { text: string }).text);

describe("an earlier period in a chart", () => {
  const spec = { dimensions: [{ field: "day", timeUnit: "day" }, "region"], measures, mark: "line" };
  const rows = [row("2026-05-01", "north", 1), row("2026-05-02", "north", 2), row("2026-05-01", "south", 3)];

  it("gives each series a dashed one in its colour, with its own times too", () => {
    const before = [row("2026-05-01", "south", 30), row("2026-05-03", "north", 20), row("2026-05-03", "west", 99)];
    const { data, settings } = drawn(spec, FIELDS, rows, before, "previous");
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
      "previous",
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

describe("a chart that is compared with the year before", () => {
  const fields = [FIELDS[0], FIELDS[2]] as ResultField[];
  const of = (day: ResultRow[string], sold: number): ResultRow => ({ day, sold });
  const spec = (timeUnit: string) => ({
    ...{ dimensions: [{ field: "day", timeUnit }], measures, mark: "line", compare: "year" },
  });
  const daysOf = (rows: ResultRow[] | undefined) => rows?.map(({ day }) => day);

  it("draws its own months a year later, and none after its last one", () => {
    const rows = [of("2025-01-01", 1), of("2025-02-01", 2), of("2026-01-01", 3)];
    const { data } = drawn(spec("month"), fields, rows);
    expect(data.series.map(({ name }) => name)).toEqual(["This period", "Same period last year"]);
    expect(data.cells.map((cells) => cells.map(textOf))).toEqual([
      ["1", "2", "3"],
      [null, null, "1"],
    ]);
  });

  it("keeps the first day of weeks, the time of day and the order of digits", () => {
    const rows = [of("2025-12-29", 1), of("2026-12-28", 2)];
    expect(daysOf(toYearBefore(spec("week"), { fields, rows }))).toEqual(["2026-12-28"]);
    const hours = [of("2024-02-28T10:00:00Z", 1), of("2026-01-01T00:00:00Z", 1)];
    expect(daysOf(toYearBefore(spec("hour"), { fields, rows: hours }))).toEqual(["2025-02-28T10:00:00Z"]);
  });

  it("moves weeks that the query has grouped by 52 weeks, and the first days of months by a year", () => {
    const plain = { ...spec("day"), dimensions: ["day"] };
    const weeks = [of("2025-01-06", 1), of("2025-01-13", 2), of("2026-01-05", 3), of("2026-01-12", 4)];
    expect(daysOf(toYearBefore(plain, { fields, rows: weeks }))).toEqual(["2026-01-05", "2026-01-12"]);
    // Four weeks apart.
    const months = [of("2025-02-01", 1), of("2025-03-01", 2), of("2026-03-01", 3)];
    expect(daysOf(toYearBefore(plain, { fields, rows: months }))).toEqual(["2026-02-01", "2026-03-01"]);
  });

  it("adds 29 February to 28 February, as the page's comparison does", () => {
    const rows = [of("2024-02-28", 1), of("2024-02-29", 2), of("2025-02-28", 4)];
    const { data } = drawn(spec("day"), fields, rows);
    expect(data.cells[1]?.map(textOf)).toEqual([null, null, "3"]);
  });

  it("adds no series and renames none without an earlier year", () => {
    for (const before of [undefined, []]) {
      const { data } = drawn(spec("month"), fields, [of("2026-01-01", 1), of("2026-02-01", 2)], before);
      expect(data.series.map(({ name }) => name)).toEqual(["sold"]);
    }
  });

  it("draws the year before that the server has read", () => {
    const { data } = drawn(spec("month"), fields, [of("2026-01-01", 3)], [of("2026-01-01", 9)]);
    expect(data.series.map(({ name }) => name)).toEqual(["This period", "Same period last year"]);
  });

  it("draws weeks of the query under a filter on its own weekdays", () => {
    const plain = { ...spec("day"), dimensions: ["day"] };
    const own = [of("2026-01-05", 1), of("2026-01-12", 2)];
    // Mondays of 2025, moved by a year.
    const { data } = drawn(plain, fields, own, [of("2026-01-06", 8), of("2026-01-13", 9)]);
    expect(data.places).toHaveLength(2);
    expect(data.cells[1]?.map(textOf)).toEqual(["8", "9"]);
    const days = drawn(plain, fields, [of("2026-01-05", 1), of("2026-01-06", 2)], [of("2026-01-06", 8)]);
    expect(days.data.cells[1]?.map(textOf)).toEqual([null, "8"]);
  });

  it("yields to the page's period, and needs times", () => {
    const rows = [of("2025-01-01", 1), of("2026-01-01", 3)];
    const { data } = drawn(spec("month"), fields, rows, [of("2026-01-01", 9)], "previous");
    expect(data.series.map(({ name }) => name)).toEqual(["This period", "Previous period"]);
    expect(toYearBefore({ ...spec("month"), compare: undefined }, { fields, rows })).toBeUndefined();
    expect(toYearBefore(spec("month"), { fields: fields.slice(1), rows })).toBeUndefined();
    expect(toYearBefore(spec("month"), { fields, rows: [of(null, 1), of("x", 2), of(7, 3)] })).toEqual([]);
  });
});
