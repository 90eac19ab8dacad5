import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChartData } from "@/lib/base/charts/data";
import { isBlank, toPicture } from "@/lib/base/charts/picture";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { describeChart, describeCuts, describeStop, toChartTable, toFigures } from "@/lib/base/charts/words";
import type { CellValue } from "@/lib/base/values/json-rows";
import { LOOK, settingsOf, tableOf } from "@/test/fixtures/charts/samples";

const COLUMNS = ["name:string", "kind:string", "n:int32"];

function draw(rows: CellValue[][], change: Partial<ChartSettings>, hidden: number[] = []) {
  const settings = settingsOf({ colour: "kind", ...change });
  return toPicture(toChartData(tableOf(COLUMNS, rows), null, settings), settings, new Set(hidden));
}

const ROWS = [["a", "x", 3], ["a", "y", 1], ["b", "x", 4], ["b", "y", 6]]; // biome-ignore format: one look

describe("toPicture", () => {
  it("stacks series, and shares fill the height", () => {
    const stacked = draw(ROWS, {});
    expect(stacked.marks.map(({ low, high }) => [low, high])).toEqual([[0, 4], [4, 10], [0, 3], [3, 4]]); // biome-ignore format: one look
    expect(stacked.stops.map(({ total }) => total)).toEqual(["10", "4"]);
    const share = draw(ROWS, { stack: "share" });
    expect(share.marks.map(({ low, high }) => [low, high])).toEqual([[0, 0.4], [0.4, 1], [0, 0.75], [0.75, 1]]); // biome-ignore format: one look
    expect(share.up.labels.at(-1)).toBe("100%");
    // A hidden series does not count in the shares of the others, and the chart says so.
    const alone = draw(ROWS, { stack: "share" }, [0]);
    expect(alone.marks.every(({ low, high }) => low === 0 && high === 1)).toBe(true);
    expect(alone.notes).toContain("Percentages include visible series only.");
  });

  it("puts negative values below zero, and never in shares, slices or stacked areas", () => {
    const rows = [["a", "x", 3], ["a", "y", -1]]; // biome-ignore format: one look
    expect(draw(rows, {}).marks.map(({ low, high }) => [low, high])).toEqual([[0, 3], [-1, 0]]); // biome-ignore format: one look
    const share = draw(rows, { stack: "share" });
    expect(share.stack).toBe("stacked");
    expect(share.notes.join()).toContain("1 value is negative");
    const pie = draw(rows, { kind: "pie", across: "kind", colour: null });
    expect([pie.kind, pie.notes[0]]).toEqual(["bar", "Shown as bars: 1 value is negative."]); // biome-ignore format: one look
    const area = draw(rows, { kind: "area" });
    expect([area.stack, area.notes[0]]).toEqual(["apart", "Shown overlaid: 1 value is negative."]); // biome-ignore format: one look
  });

  it("stacks no non-additive values", () => {
    const picture = draw(ROWS, { up: [{ of: "average", column: "n" }] });
    expect(picture.stack).toBe("apart");
    expect(picture.notes[0]).toContain("average n can't be stacked");
    expect(picture.stops.every(({ total }) => total === null)).toBe(true);
    expect(draw(ROWS, { kind: "pie", up: [{ of: "max", column: "n" }] }).kind).toBe("bar");
  });

  it("breaks a line at null, and continues over missing rows", () => {
    const rows = [["a", "x", 1], ["b", "x", null], ["c", "x", 2], ["a", "y", 1], ["c", "y", 2]]; // biome-ignore format: one look
    const { marks } = draw(rows, { kind: "line", sort: "label" });
    expect(marks.map(({ series, across, value }) => `${series}${across}${value}`)).toEqual(["0a1", "1a1", "0bnull", "0c2", "1c2"]); // biome-ignore format: one look
  });

  it("is empty without rows, values or positions", () => {
    expect(isBlank(draw([], {}))).toBe(true);
    expect(isBlank(draw([["a", "x", null]], {}))).toBe(true);
    expect(isBlank(draw([["a", "x", null]], { kind: "scatter", across: "n" }))).toBe(true);
    expect(isBlank(draw([["a", "x", null]], { kind: "kpi" }))).toBe(true);
    expect(isBlank(draw([["a", "x", 0]], {}))).toBe(false);
  });

  it("says that one point is not a line, and if an axis does not start at zero", () => {
    expect(describeCuts(draw([["a", "x", 5]], { kind: "line" }))).toContain("A line needs at least two points.");
    const near = draw([["a", "x", 99], ["b", "x", 100]], { kind: "line" }); // biome-ignore format: one look
    expect(near.notes).toEqual(["The y-axis starts at 99."]);
  });

  it("never overlaps stacked pieces, for any values", () => {
    const row = fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y", "z"), fc.integer({ min: -1000, max: 1000 })); // biome-ignore format: one look
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1 }),
        fc.constantFrom("bar", "area"),
        fc.constantFrom("stacked", "share"),
        (rows, kind, stack) => {
          const picture = draw(rows, { kind, stack } as Partial<ChartSettings>);
          const byPlace = Map.groupBy(picture.marks, ({ place }) => place);
          for (const marks of byPlace.values()) {
            const pieces = marks.filter(({ low, high }) => high > low).sort((a, b) => a.low - b.low);
            if (picture.stack === "apart") continue;
            for (const [i, piece] of pieces.entries()) expect(piece.low).toBeGreaterThanOrEqual((pieces[i - 1]?.high ?? -1e9) - 1e-9); // biome-ignore format: one look
            if (picture.stack === "share" && pieces.length > 0) expect(pieces.at(-1)?.high).toBeCloseTo(1);
          }
          expect(picture.up.low).toBeLessThanOrEqual(Math.min(0, ...picture.marks.map(({ low }) => low)));
          expect(picture.up.high).toBeGreaterThanOrEqual(Math.max(...picture.marks.map(({ high }) => high)) - 1e-9);
        },
      ),
    );
  });
});

describe("words", () => {
  it("describe the chart with its highest and lowest point, in the grid's digits", () => {
    expect(describeChart(draw([["a", "x", 1234567], ["b", "y", 2]], {}), LOOK)).toBe(
      "Bar chart of sum n by name, coloured by kind: x, y. Highest 1,234,567 at a (x), lowest 2 at b (y).",
    ); // biome-ignore format: one look
  });

  it("describe each position with shares and gaps", () => {
    const picture = draw([["a", "x", 3], ["a", "y", 1], ["b", "x", 4]], { stack: "share" }); // biome-ignore format: one look
    expect(picture.stops.map((stop) => describeStop(picture, stop, LOOK))).toEqual([
      "a: x 3 (75%), y 1 (25%), total 4",
      "b: x 4 (100%), y no value",
    ]);
  });

  it("format times as the grid does", () => {
    const settings = settingsOf({ kind: "line", across: "at" });
    const rows = [["2026-11-09T07:00:00", 1], ["2026-11-16T07:00:00", 2]]; // biome-ignore format: one look
    const picture = toPicture(toChartData(tableOf(["at:timestamp", "n:int32"], rows), null, settings), settings);
    expect(toChartTable(picture, LOOK, 10).rows).toEqual([["2026-11-09 07:00", "1"], ["2026-11-16 07:00", "2"]]); // biome-ignore format: one look
    expect(toChartTable(picture, { ...LOOK, times: "raw" }, 1)).toMatchObject({ rows: [["2026-11-09T07:00:00", "1"]], rowCount: 2 }); // biome-ignore format: one look
  });

  it("of a number are its last value and its change", () => {
    const settings = settingsOf({ kind: "kpi", across: "at" });
    const rows = [["2026-11-16", 12], ["2026-11-09", 8], ["2026-11-02", 0]]; // biome-ignore format: one look
    const data = toChartData(tableOf(["at:date", "n:int32"], rows), null, settings);
    expect(toFigures(data)).toMatchObject([{ text: "12", before: { text: "8" }, change: 0.5, line: [0, 8, 12] }]);
    const whole = toChartData(tableOf(["at:date", "n:int32"], rows), null, { ...settings, across: null });
    expect(toFigures(whole)).toMatchObject([{ text: "20", before: null, change: null, line: [] }]);
  });
});
