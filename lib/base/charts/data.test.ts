import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChartData, toChartData } from "@/lib/base/charts/data";
import { isCell, toPicture } from "@/lib/base/charts/picture";
import { type ChartSettings, fitSettings, guessSettings } from "@/lib/base/charts/settings";
import { describeCuts } from "@/lib/base/charts/words";
import { settingsOf, tableOf } from "@/test/fixtures/charts/samples";

const weekly = tableOf(
  ["week:date", "region:string", "order_id:int64", "revenue:decimal"],
  [
    ["2026-11-16", "north", 1, "10.50"],
    ["2026-11-09", "north", 2, "4"],
    ["2026-11-16", "north", 3, "1.5"],
    ["2026-11-16", "south", 4, "7"],
    ["2026-11-09", "south", 5, null],
  ],
);
const LINES = settingsOf({ kind: "line", across: "week", up: [{ of: "sum", column: "revenue" }], colour: "region" });
const named = (count: number) =>
  tableOf(
    ["name:string", "n:int32"],
    Array.from({ length: count }, (_, i) => [`name ${i}`, i]),
  );

function textsOf({ cells }: ChartData, series = 0) {
  return cells[series]?.map((met) => (isCell(met) ? met.text : met));
}

function cutsOf(data: ChartData, settings: ChartSettings) {
  return describeCuts(toPicture(data, settings));
}

describe("guessSettings", () => {
  it("draws an amount over time, a line per category, and never sums IDs", () => {
    expect(guessSettings(weekly)).toEqual(LINES);
  });

  it("compares categories without a time, numbers without either, and shows a single number", () => {
    expect(guessSettings(tableOf(["region:string", "order_id:int64"], [["north", 1]]))).toMatchObject({
      kind: "bar",
      across: "region",
      up: [{ of: "count" }],
    });
    const numbers = ["x:float64", "y:float64"];
    const pair = [1, 2];
    expect(guessSettings(tableOf(numbers, [pair, pair]))?.kind).toBe("scatter");
    expect(guessSettings(tableOf(numbers, [pair]))).toMatchObject({ kind: "kpi", across: null });
    expect(guessSettings(tableOf(["x:float64"], [[1], [2]]))?.kind).toBe("histogram");
    expect(guessSettings(tableOf(["doc:json"], [[{}]]))).toBeNull();
  });

  it("is null for a result that has lost a column", () => {
    expect(fitSettings(LINES, weekly.fields.slice(1))).toBeNull();
    expect(fitSettings(LINES, weekly.fields)).toBe(LINES);
  });
});

describe("toChartData", () => {
  it("sums by position and colour exactly, in order of time, and distinguishes empty from absent", () => {
    const data = toChartData(weekly, null, LINES);
    expect(data.places.map(({ at }) => at)).toEqual([Date.parse("2026-11-09"), Date.parse("2026-11-16")]);
    expect(data.series.map(({ name }) => name)).toEqual(["north", "south"]);
    expect(textsOf(data, 0)).toEqual(["4", "12.00"]);
    // South has a row in the first week, without a value.
    expect(textsOf(data, 1)).toEqual(["empty", "7"]);
    expect(cutsOf(data, LINES)).toContain("1 value of revenue is empty or not numeric.");
  });

  it("uses only the shown rows", () => {
    const data = toChartData(weekly, Uint32Array.of(3), LINES);
    expect([data.rowCount, data.series.length, textsOf(data)]).toEqual([1, 1, ["7"]]);
  });

  it("draws several measures as a series each", () => {
    const up: ChartSettings["up"] = [{ of: "min", column: "revenue" }, { of: "average", column: "revenue" }, { of: "count", column: null }]; // biome-ignore format: one look
    const data = toChartData(weekly, null, { ...LINES, up });
    expect(data.series.map(({ name }) => name)).toEqual(["min revenue", "average revenue", "rows"]);
    // (10.50 + 1.5 + 7) / 3; a row without a value counts as a row.
    expect(data.cells.map((met) => met.map((each) => isCell(each) && each.text))).toEqual([["4", "1.5"], ["4.00", "6.33"], ["2", "3"]]); // biome-ignore format: one look
  });

  it("loses no digit of numbers beyond 2^53", () => {
    const big = tableOf(["name:string", "n:int64"], [["a", "9007199254740993"], ["a", 2], ["b", "9007199254740993"]]); // biome-ignore format: one look
    const data = toChartData(big, null, settingsOf({}));
    expect(textsOf(data)).toEqual(["9007199254740995", "9007199254740993"]);
    expect(cutsOf(data, settingsOf({ kind: "line" })).join(" ")).toContain("too small to draw");
  });

  it("reports x values too long to be distinguished", () => {
    const ids = tableOf(["name:int64", "n:int32"], [["9007199254740993", 1], ["9007199254740992", 1]]); // biome-ignore format: one look
    const data = toChartData(ids, null, settingsOf({}));
    expect(data.blurred).toBe(2);
    expect(cutsOf(data, settingsOf({})).join(" ")).toContain("too close together to draw separately");
  });

  it("keeps the greatest categories with their total number, without a bar for the rest by default", () => {
    const data = toChartData(named(500), null, settingsOf({}));
    expect(data.places.map(({ at }) => at).slice(0, 2)).toEqual(["name 499", "name 498"]);
    expect(data.places).toHaveLength(30);
    expect(cutsOf(data, settingsOf({}))).toEqual(["Top 30 of 500 name."]);
  });

  it("merges the rest of the top few: sums add up, averages are of the rows", () => {
    const settings = settingsOf({ top: 2 });
    const data = toChartData(named(10), null, settings);
    expect(data.places.map(({ at }) => at)).toEqual(["name 9", "name 8", "other"]);
    // 0 + 1 + ... + 7 = 28.
    expect(textsOf(data)).toEqual(["9", "8", "28"]);
    expect(cutsOf(data, settings)).toEqual(['Top 2 of 10 name; the rest as "other".']);
    const average = settingsOf({ top: 2, up: [{ of: "average", column: "n" }] });
    expect(textsOf(toChartData(named(10), null, average))).toEqual(["9.00", "8.00", "3.50"]);
  });

  it("sorts categories by value, naturally by name, or as they come", () => {
    const table = tableOf(["name:string", "n:int32"], [["b 10", 5], ["b 9", 1], [null, 2], ["a", 3]]); // biome-ignore format: one look
    const order = (sort: ChartSettings["sort"]) =>
      toChartData(table, null, settingsOf({ sort })).places.map(({ at }) => at);
    expect(order("value")).toEqual(["b 10", "a", "null", "b 9"]);
    expect(order("label")).toEqual(["a", "b 9", "b 10", "null"]);
    expect(order("given")).toEqual(["b 10", "b 9", "null", "a"]);
  });

  it("never confuses null and the rest with equal texts", () => {
    const rows = ["null", "other", "", null, "x", "y"].map((name, i) => [name, 60 - 10 * i]);
    const data = toChartData(tableOf(["name:string", "n:int32"], rows), null, settingsOf({ top: 4 }));
    const names = data.places.map(({ at }) => at);
    expect(names).toEqual(["null", "other", "(empty)", "null (no text)", "other (all others)"]);
    expect(textsOf(data)).toEqual(["60", "50", "40", "30", "30"]);
  });

  it("keeps seven of too many colours and merges the others", () => {
    const settings = settingsOf({ across: "n", colour: "name" });
    const data = toChartData(named(100), null, settings);
    expect(data.series).toHaveLength(8);
    expect(data.series.at(-1)).toEqual({ name: "other", isRest: true });
    expect(cutsOf(data, settings)).toContain('Top 7 of 100 name; the rest as "other".');
  });

  it("groups a year of seconds by day", () => {
    const start = Date.parse("2026-01-01T00:00:00Z");
    const rows = Array.from({ length: 5000 }, (_, i) => [new Date(start + i * 3_000_017).toISOString().slice(0, -1)]);
    const settings = settingsOf({ kind: "line", across: "at", up: [{ of: "count", column: null }] });
    const data = toChartData(tableOf(["at:timestamp"], rows), null, settings);
    expect(data.step?.name).toBe("day");
    expect(data.cells[0]?.reduce((sum, met) => sum + (isCell(met) ? met.value : 0), 0)).toBe(5000);
    expect(data.places[0]?.at).toBe(start);
  });

  it("groups days by the reader's time zone, through both clock changes", () => {
    const rows = ["2026-10-24T21:30:00Z", "2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", "2026-10-25T23:30:00Z"].map((at) => [at]); // biome-ignore format: one look
    const settings = settingsOf({ kind: "line", across: "at", up: [{ of: "count", column: null }] });
    const read = (zone: string | null) =>
      toChartData(tableOf(["at:timestamptz"], rows), null, settings, zone).places.map(({ at }) =>
        new Date(at).toISOString().slice(0, 16),
      );
    // Berlin is two hours ahead until the 25th at 3:00, and one after it.
    expect(read("Europe/Berlin")).toEqual(["2026-10-24T23:30", "2026-10-25T00:30", "2026-10-25T23:30", "2026-10-26T00:30"]); // biome-ignore format: one look
    expect(read(null)[0]).toBe("2026-10-24T21:30");
  });

  it("samples rows if each is a dot, and says so", () => {
    const table = tableOf(["x:float64", "y:float64"], Array.from({ length: 100_000 }, (_, i) => [i, i])); // biome-ignore format: one look
    const settings = settingsOf({ kind: "scatter", across: "x", up: [{ of: "each", column: "y" }] });
    const data = toChartData(table, null, settings);
    expect([data.everyNth, data.dots.length]).toEqual([25, 4000]);
    expect(cutsOf(data, settings)).toContain("Showing 1 of every 25 rows.");
  });

  it("reports values that overlap at one position", () => {
    const settings = settingsOf({ up: [{ of: "each", column: "n" }] });
    const data = toChartData(tableOf(["name:string", "n:int32"], [["a", 1], ["a", 2]]), null, settings); // biome-ignore format: one look
    expect(textsOf(data)).toEqual(["3"]);
    expect(cutsOf(data, settings)).toContain("Values with the same x value are summed.");
  });

  it("has an empty bin for a range that no row is in", () => {
    const table = tableOf(["name:int32"], [[1], [1], [2], [9]]);
    const data = toChartData(table, null, settingsOf({ kind: "histogram" }));
    expect(data.places.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8]);
    expect(textsOf(data)).toEqual(["2", "1", "0", "0", "1"]);
  });

  it("never omits anything without a note, for any rows", () => {
    const value = fc.oneof(fc.integer(), fc.constant(null), fc.constant("NaN"), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String)); // biome-ignore format: one look
    const name = fc.oneof(fc.constantFrom("a", "b", "other", "null", ""), fc.constant(null), fc.integer({ min: 0, max: 60 }).map(String)); // biome-ignore format: one look
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value, name), { maxLength: 120 }),
        fc.constantFrom("bar", "line", "area", "pie"),
        fc.constantFrom("value", "label", "given"),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (rows, kind, sort, top, hasColour) => {
          const settings = settingsOf({
            kind,
            sort,
            top,
            colour: hasColour ? "colour" : null,
          } as Partial<ChartSettings>);
          const data = toChartData(tableOf(["name:string", "n:int64", "colour:string"], rows), null, settings);
          const exact = rows.reduce((sum, [, n]) => (n === null || n === "NaN" ? sum : sum + BigInt(n)), 0n);
          const drawn = data.cells.flat().reduce((sum, met) => (isCell(met) ? sum + BigInt(met.text) : sum), 0n);
          expect(drawn).toBe(exact);
          expect(data.noValue).toBe(rows.filter(([, n]) => n === null || n === "NaN").length);
          expect(new Set(data.places.map(({ at }) => at)).size).toBe(data.places.length);
          expect(new Set(data.series.map(({ name: each }) => each)).size).toBe(data.series.length);
        },
      ),
    );
  });

  it("bins numbers near zero or each other", () => {
    for (const numbers of [
      [0, 1.5e-323],
      [-5.9e-171, 4e-171],
      [1e9, 1e9 + 2.4e-7],
      [1e300, 1e300],
      [5e-324, 5e-324],
    ]) {
      const table = tableOf(
        ["name:float64"],
        numbers.map((number) => [number]),
      );
      const { cells } = toChartData(table, null, settingsOf({ kind: "histogram" }));
      expect(cells[0]?.reduce((sum, met) => sum + (isCell(met) ? met.value : 0), 0)).toBe(2);
    }
  });

  it("counts every number in one bin", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 200 }),
        (numbers) => {
          const table = tableOf(["name:float64"], numbers.map((number) => [number])); // biome-ignore format: one look
          const { places, cells, step } = toChartData(table, null, settingsOf({ kind: "histogram" }));
          const size = step?.size ?? 0;
          const slack = size * 1e-6;
          for (const [i, { at }] of places.entries()) {
            const from = Number(at);
            const met = cells[0]?.[i];
            const sure = numbers.filter((number) => number >= from + slack && number < from + size - slack).length;
            expect(isCell(met ?? null) ? (met as { value: number }).value : 0).toBeGreaterThanOrEqual(sure);
          }
          expect(cells[0]?.reduce((sum, met) => sum + (isCell(met) ? met.value : 0), 0)).toBe(numbers.length);
        },
      ),
    );
  });
});
