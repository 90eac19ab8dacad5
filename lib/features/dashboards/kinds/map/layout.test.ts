import { describe, expect, it } from "vitest";
import type { Drawing, Shape } from "@/lib/base/charts/shapes";
import { toExtent, WORLD } from "@/lib/base/geo/projection";
import { findCountry, readWorld } from "@/lib/base/geo/world";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { layOutMap, POINTS_MAX } from "./layout";

const LOOK = { digits: "grouped", times: "utc" } as const;
const SIZE = { width: 600, height: 360 };
const AMOUNT = { name: "revenue", type: "float64" };
const SUM = [{ field: "revenue", op: "sum" }];

function drawRegions(rows: [ResultRow[string], ResultRow[string]][], measures: object[] = SUM, isTruncated = false) {
  const fields = [{ name: "country", type: "string" }, AMOUNT];
  const data = { fields, rows: rows.map(([country, revenue]) => ({ country, revenue })), isTruncated };
  return layOutMap({ mark: "regions", dimensions: ["country"], measures }, data, SIZE, LOOK) as Drawing;
}

function drawPoints(rows: ResultRow[], colour = false) {
  const fields: ResultField[] = [
    { name: "lat", type: "float64" },
    { name: "lon", type: "float64" },
    { name: "city", type: "string" },
    AMOUNT,
    ...(colour ? [{ name: "margin", type: "float64" }] : []),
  ];
  const spec = { mark: "points", dimensions: ["lat", "lon", "city"], measures: SUM };
  return layOutMap(spec, { fields, rows }, SIZE, LOOK) as Drawing;
}

const marksOf = ({ shapes }: Drawing) => shapes.filter(({ row }) => row !== undefined);
const labelsOf = ({ shapes }: Drawing) => shapes.flatMap((shape) => (shape.kind === "label" ? [shape.text] : []));
const placeOf = (shape: Shape | undefined) => (shape?.kind === "dot" ? [shape.x, shape.y] : []);

describe("a country", () => {
  it.each([
    ["DE", "DE"],
    ["de", "DE"],
    ["DEU", "DE"],
    ["276", "DE"],
    [276, "DE"],
    [8, "AL"],
    ["8", "AL"],
    ["008", "AL"],
    ["Germany", "DE"],
    [" germany ", "DE"],
    ["United States", "US"],
    ["United States of America", "US"],
    ["USA", "US"],
    ["U.S.", "US"],
    ["UK", "GB"],
    ["Czech Republic", "CZ"],
    ["Côte d'Ivoire", "CI"],
    ["Cote d’Ivoire", "CI"],
    ["Ivory Coast", "CI"],
    ["South Korea", "KR"],
    ["Korea, Rep.", "KR"],
    ["The Netherlands", "NL"],
    ["Bosnia and Herzegovina", "BA"],
    ["St. Lucia", "LC"],
    ["Turkey", "TR"],
    ["Türkiye", "TR"],
    ["Kosovo", "XK"],
    ["Singapore", "SG"],
    ["NA", "NA"],
    ["Atlantis", null],
    ["", null],
    ["ZZ", null],
    [1234, null],
    [1.5, null],
    [null, null],
    [true, null],
  ])("of %j is %s", (value, code) => {
    expect(findCountry(value)?.code ?? null).toBe(code);
  });

  it("has a code, and no name that is another one's", () => {
    const { countries, byName } = readWorld();
    expect(countries).toHaveLength(250);
    for (const { code, name, at } of countries) {
      expect([name, byName.get(code.toLowerCase())?.code]).toEqual([name, code]);
      expect([name, findCountry(name)?.code]).toEqual([name, code]);
      expect([name, Math.abs(at[0]) <= 180, Math.abs(at[1]) <= 90]).toEqual([name, true, true]);
    }
  });
});

describe("a map of countries", () => {
  it("shades countries, and lists every value that is none", () => {
    const drawing = drawRegions([
      ["DE", 10],
      ["FRA", 5],
      ["Atlantis", 7],
      [null, 1],
      ["SG", null],
      ["", 2],
    ]);
    expect(marksOf(drawing).map(({ title }) => title)).toEqual(["France: 5", "Germany: 10", "Singapore: No value"]);
    expect(labelsOf(drawing)).toEqual(["5", "10", "3 values that are no countries: Atlantis, null, (empty)"]);
    expect(drawing.words.at(-1)).toBe("3 values that are no countries: Atlantis, null, (empty)");
    // Small countries are dots.
    expect(marksOf(drawing).map(({ kind }) => kind)).toEqual(["path", "path", "dot"]);
  });

  it("adds up values of one country, and lists those that it cannot add up", () => {
    const rows: [string, string][] = [
      ["US", "0.1"],
      ["USA", "0.2"],
      ["840", "1"],
    ];
    const [sum] = marksOf(drawRegions(rows));
    expect([sum?.title, sum?.row, sum?.more]).toEqual(["United States: 1.3", 0, [1, 2]]);
    const average = drawRegions(rows, [{ field: "revenue", op: "avg" }]);
    expect(marksOf(average).map(({ title }) => title)).toEqual(["United States: 0.1"]);
    expect(labelsOf(average)).toContain("2 values that repeat a country: USA, 840");
  });

  it("draws the world without values, and says when groups are missing", () => {
    const drawing = drawRegions([["nowhere", 1]], SUM, true);
    expect(marksOf(drawing)).toEqual([]);
    expect(drawing.shapes.some(({ kind }) => kind === "path")).toBe(true);
    expect(labelsOf(drawing)).toEqual([
      "1 value that is no country: nowhere",
      "First 1 group. Raise the limit to show more.",
    ]);
    expect(layOutMap({}, { fields: [AMOUNT], rows: [] }, SIZE, LOOK)).toBeNull();
  });

  it("bounds the names of a note", () => {
    const drawing = drawRegions(Array.from({ length: 30 }, (_, at) => [`x${at}`, 1]));
    expect(drawing.words.at(-1)).toMatch(/^30 values that are no countries: x0, .*x19, and 10 more$/);
  });
});

describe("a map of points", () => {
  const city = (name: string, lat: unknown, lon: unknown, revenue: unknown = 1, margin: unknown = 1) =>
    ({ city: name, lat, lon, revenue, margin }) as ResultRow;

  it("sizes and shades points, and counts those without a place", () => {
    const rows = [
      city("Berlin", 52.5, 13.4, 4, -2),
      city("Paris", "48.9", "2.4", 16, 3),
      city("Nowhere", null, 3),
      city("North", 91, 0),
      city("East", 10, 361),
      city("Rome", 41.9, 12.5, null, null),
    ];
    const drawing = drawPoints(rows, true);
    const dots = marksOf(drawing);
    expect(dots.map(({ title }) => title)).toEqual([
      "Paris, revenue 16, margin 3",
      "Berlin, revenue 4, margin -2",
      "Rome, revenue No value, margin No value",
    ]);
    expect(dots.map((dot) => dot.kind === "dot" && [dot.r, dot.fill])).toEqual([
      [13, 0],
      [8, 3],
      [3, 0],
    ]);
    expect(labelsOf(drawing)).toEqual(["-2", "3", "3 rows without a valid latitude and longitude"]);
    for (const dot of dots) {
      const [x = 0, y = 0] = placeOf(dot);
      expect(x > 0 && x < SIZE.width && y > 0 && y < SIZE.height).toBe(true);
    }
  });

  it("shows the surroundings of one point, and of none the world", () => {
    const [one] = marksOf(drawPoints([city("Berlin", 52.5, 13.4)]));
    const [x = 0, y = 0] = placeOf(one);
    expect(Math.abs(x - SIZE.width / 2)).toBeLessThan(1);
    expect(Math.abs(y - SIZE.height / 2)).toBeLessThan(20);
    expect(marksOf(drawPoints([]))).toEqual([]);
  });

  it("keeps neighbours across the antimeridian together", () => {
    for (const [fiji, samoa] of [
      [178, -172],
      [178, 188],
    ]) {
      const dots = marksOf(drawPoints([city("Suva", -18, fiji), city("Apia", -14, samoa)]));
      const [[first = 0] = [], [second = 0] = []] = dots.map(placeOf);
      expect(second - first).toBeGreaterThan(100);
      expect(second).toBeLessThan(SIZE.width);
    }
  });

  it("draws the largest of many points, and says so", () => {
    const rows = Array.from({ length: 100_000 }, (_, at) => city(`c${at}`, (at % 170) - 85, (at % 359) - 179, at));
    const drawing = drawPoints(rows);
    expect(marksOf(drawing)).toHaveLength(POINTS_MAX);
    expect(marksOf(drawing)[0]?.title).toBe("c99999, revenue 99,999");
    expect(labelsOf(drawing)).toEqual(["Showing the 2,000 largest of 100,000 points"]);
  });
});

describe("the extent of a map", () => {
  const at = (east: number, north = 0) => ({ west: east, east, south: north, north });
  const least = { width: 10, height: 10 };

  it("is the smallest around the globe, and at most the world", () => {
    expect(toExtent([], least)).toEqual(WORLD);
    expect(toExtent([at(10)], least)).toEqual({ west: 5, east: 15, south: -5, north: 5 });
    expect(toExtent([at(179), at(-179)], least)).toMatchObject({ west: 175, east: 185 });
    expect(toExtent([at(-130), at(0), at(130)], least)).toEqual(WORLD);
    expect(toExtent([at(-130), at(0), at(130, -80)], least).south).toBe(-80);
    // A wide country contains the gap behind a narrow one.
    const wide = toExtent([{ ...at(0), east: 100 }, at(10)], least);
    expect([Math.round(wide.west), Math.round(wide.east)]).toEqual([-8, 108]);
  });
});
