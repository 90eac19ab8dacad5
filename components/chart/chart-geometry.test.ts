import { describe, expect, it } from "vitest";
import { findCursor, isBrushed, moveCursor, toBands, toSpots } from "@/components/chart/chart-geometry";
import type { DrawnChart } from "@/components/chart/draw-chart";
import type { Picture, Stop } from "@/lib/base/charts/picture";

const stop = (place: number, across: number | string, ats: (number | null)[]): Stop => ({
  place,
  across,
  rows: ats.map((at, series) => ({ series, text: String(at), share: null, at })),
  total: null,
});
/** Three stops of two series; the second series has no value at the last stop. */
const STOPS = [stop(0, "a", [10, 40]), stop(1, "b", [20, 60]), stop(2, "c", [30, null])];
const LINE = { kind: "line", stops: STOPS, data: { places: [] }, up: { low: 0 } } as unknown as Picture;

/** A plot at (5, 10) with stops 100 px apart, where a value is a pixel. */
const CHART: DrawnChart = {
  left: 5,
  top: 10,
  width: 300,
  height: 100,
  toPx: (axis, value) => (axis === "x" ? STOPS.findIndex(({ across }) => across === value) * 100 + 50 : 100 - Number(value)), // biome-ignore format: one look
  toBand: () => 0,
  end: () => {},
};

describe("toSpots", () => {
  it("returns a position for each row with a value", () => {
    expect(toSpots(LINE, CHART, STOPS[0] as Stop)).toEqual([
      { x: 55, y: 100 },
      { x: 55, y: 70 },
    ]);
    expect(toSpots(LINE, CHART, STOPS[2] as Stop)).toEqual([{ x: 255, y: 80 }, null]);
  });
});

describe("findCursor", () => {
  it("finds the nearest stop along the axis, then its nearest row", () => {
    expect(findCursor(LINE, CHART, { x: 160, y: 95 })).toEqual({ stop: 1, row: 0 });
    expect(findCursor(LINE, CHART, { x: 140, y: 55 })).toEqual({ stop: 1, row: 1 });
  });

  it("ignores rows without a value", () => {
    expect(findCursor(LINE, CHART, { x: 299, y: 10 })).toEqual({ stop: 2, row: 0 });
  });
});

describe("moveCursor", () => {
  const move = (key: string, at: { stop: number; row: number } | null) => moveCursor(key, at, LINE);

  it("enters at the near end and stops at the far one", () => {
    expect(move("ArrowRight", null)).toEqual({ stop: 0, row: 0 });
    expect(move("ArrowLeft", null)).toEqual({ stop: 2, row: 0 });
    expect(move("ArrowRight", { stop: 2, row: 0 })).toEqual({ stop: 2, row: 0 });
    expect(move("PageDown", { stop: 0, row: 1 })).toEqual({ stop: 2, row: 1 });
    expect(move("End", { stop: 0, row: 1 })).toEqual({ stop: 2, row: 1 });
  });

  it("moves between the rows of a stop within their number", () => {
    expect(move("ArrowUp", { stop: 0, row: 1 })).toEqual({ stop: 0, row: 0 });
    expect(move("ArrowUp", { stop: 0, row: 0 })).toEqual({ stop: 0, row: 0 });
    expect(move("ArrowDown", { stop: 0, row: 1 })).toEqual({ stop: 0, row: 1 });
  });

  it("ignores other keys, and a chart without stops", () => {
    expect(move("a", null)).toBeNull();
    expect(moveCursor("ArrowRight", null, { ...LINE, stops: [] })).toBeNull();
  });
});

it("extends bands half-way to their neighbours, and not out of the plot", () => {
  const bands = toBands(LINE, CHART, (at) => at > 0);
  expect(bands.map(({ at, box }) => [at, box])).toEqual([
    [1, { x: 105, width: 100, y: 10, height: 100 }],
    [2, { x: 205, width: 100, y: 10, height: 100 }],
  ]);
});

it("brushes the stops between both ends, in either order", () => {
  expect([0, 1, 2, 3, 4].filter((at) => isBrushed({ from: 3, to: 1 }, at))).toEqual([1, 2, 3]);
  expect(isBrushed(null, 1)).toBe(false);
});
