import { describe, expect, it } from "vitest";
import type { Drawing, LayOut } from "@/lib/base/charts/shapes";
import { widthOf } from "@/lib/base/text/text-width";
import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { layOutBox } from "./box/layout";
import { layOutCombo } from "./combo/layout";
import { layOutFunnel } from "./funnel/layout";
import { layOutGauge } from "./gauge/layout";
import { layOutHeatmap } from "./heatmap/layout";
import { LINKS_MAX, layOutSankey, NODES_MAX } from "./sankey/layout";

const LOOK = { digits: "grouped", times: "utc" } as const;
const SIZE = { width: 400, height: 300 };
const field = (name: string, type = "int64"): ResultField => ({ name, type });
const draw = (layOut: LayOut, spec: object, fields: ResultField[], rows: ResultRow[], size = SIZE) =>
  layOut(spec as Record<string, unknown>, { fields, rows }, size, LOOK) as Drawing;
const marksOf = ({ shapes }: Drawing) => shapes.filter(({ row }) => row !== undefined);

/**
 * Every shape lies within the drawing, up to a stroke's width, and every label over the whole of its text, with a gap
 * to the others on its line.
 */
function expectWithin({ shapes }: Drawing, { width, height } = SIZE) {
  for (const shape of shapes) {
    if (!("x" in shape)) continue;
    expect(shape.x).toBeGreaterThanOrEqual(-1);
    expect(shape.x).toBeLessThanOrEqual(width + 1);
    expect(shape.y).toBeGreaterThanOrEqual(-1);
    expect(shape.y).toBeLessThanOrEqual(height + 1);
    if (shape.kind === "rect") expect(shape.x + shape.width).toBeLessThanOrEqual(width + 1);
    if (shape.kind === "rect") expect(shape.y + shape.height).toBeLessThanOrEqual(height + 1);
    if (shape.kind !== "label") continue;
    const before = { start: 0, middle: 0.5, end: 1 }[shape.anchor ?? "start"];
    const room = widthOf(shape.text, shape.size);
    expect(shape.x - before * room, shape.text).toBeGreaterThanOrEqual(-1);
    expect(shape.x + (1 - before) * room, shape.text).toBeLessThanOrEqual(width + 1);
    if (shape.anchor !== "middle") continue;
    for (const other of shapes) {
      if (other.kind !== "label" || other.anchor !== "middle" || other.y !== shape.y || other.x <= shape.x) continue;
      const gap = other.x - shape.x - (room + widthOf(other.text, other.size)) / 2;
      expect(gap, `${shape.text} ${other.text}`).toBeGreaterThan(3);
    }
  }
}

it.each([
  ["combo", layOutCombo, ["n", "m"]],
  ["box plot", layOutBox, ["min", "q1", "median", "q3", "max"]],
  ["heat map", layOutHeatmap, ["of:string", "n"]],
])("keeps a gap between names below a %s", (_, layOut, columns) => {
  const fields = ["at:string", ...columns].map((column) => field(...(column.split(":") as [string, string?])));
  const long = ["Northern territories and isles", "Southern territories and isles", "Western"];
  const months = Array.from({ length: 24 }, (_each, i) => `${["Jan", "Apr", "Jul", "Oct"][i % 4]} ${2020 + (i >> 2)}`);
  for (const names of [long, months]) {
    const rows = names.map((at) => ({ at, of: "all", n: 1, m: 2, min: 1, q1: 2, median: 3, q3: 4, max: 5 }));
    for (const width of [200, 320, 480, 900]) {
      const size = { ...SIZE, width };
      expectWithin(draw(layOut, {}, fields, rows, size), size);
    }
  }
});

describe("a gauge", () => {
  const rows = [{ sold: 75 }];

  it.each(["gauge", "progress"])("shows its value and its share of the goal, as a %s", (mark) => {
    const drawing = draw(layOutGauge, { mark, goal: 100, formats: { sold: { suffix: " kg" } } }, [field("sold")], rows);
    expect(drawing.words).toEqual(["75 kg (75% of 100 kg)"]);
    expectWithin(drawing);
    const narrow = { width: 200, height: 180 };
    const long = { mark, goal: 40_000_000, formats: { sold: { suffix: " kilogrammes" } } };
    expectWithin(draw(layOutGauge, long, [field("sold")], rows, narrow), narrow);
  });

  it("turns green when the goal is reached, or undercut if less is better", () => {
    const fills = (spec: object) => {
      const { shapes } = draw(layOutGauge, spec, [field("sold")], rows);
      return shapes.flatMap((shape) => ("fill" in shape ? [shape.fill] : []));
    };
    expect(fills({ goal: 75 })).toContain("good");
    expect(fills({ goal: 80 })).not.toContain("good");
    expect(fills({ goal: 80, better: "down" })).toContain("good");
  });

  it("shows a value beyond its ends, none, and a range of nothing", () => {
    expect(draw(layOutGauge, { goal: 10 }, [field("sold")], rows).words).toEqual(["75 (750% of 10)"]);
    expect(draw(layOutGauge, { goal: 10 }, [field("sold")], [{ sold: null }]).words).toEqual(["No value (10)"]);
    expectWithin(draw(layOutGauge, { min: 5, max: 5 }, [field("sold")], rows));
    expect(layOutGauge({}, { fields: [], rows: [] }, SIZE, LOOK)).toBeNull();
  });
});

describe("a funnel", () => {
  const fields = [field("step", "string"), field("n")];
  const rows = [
    { step: "visit", n: 200 },
    { step: "cart", n: 50 },
    { step: "paid", n: 10 },
  ];

  it("shows each step as a part of the first and of the one before", () => {
    const drawing = draw(layOutFunnel, {}, fields, rows);
    expect(drawing.words).toEqual([
      "visit: 200 (100% of the first)",
      "cart: 50 (25% of the first, 25% of the step before)",
      "paid: 10 (5% of the first, 20% of the step before)",
    ]);
    const widths = marksOf(drawing).map((shape) => (shape.kind === "rect" ? shape.width : 0));
    expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(0.25);
    expectWithin(drawing);
  });

  it("survives zeros and nulls, and says how many steps have no room", () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ step: `s${at}`, n: at % 2 === 0 ? 0 : null }));
    const drawing = draw(layOutFunnel, {}, fields, many);
    expect(drawing.words.at(-1)).toMatch(/^\d+ more steps$/);
    expectWithin(drawing);
  });
});

describe("a Sankey diagram", () => {
  const fields = [field("from", "string"), field("to", "string"), field("n")];
  const flow = (from: string, to: string, n: ResultRow[string]) => ({ from, to, n });
  const rectsOf = ({ shapes }: Drawing) => shapes.flatMap((shape) => (shape.kind === "rect" ? [shape] : []));
  const labelsOf = ({ shapes }: Drawing) => shapes.flatMap((shape) => (shape.kind === "label" ? [shape.text] : []));

  it("sizes nodes and flows by their values, through all stages", () => {
    const rows = [flow("web", "cart", 30), flow("app", "cart", 10), flow("cart", "paid", 20), flow("web", "left", 20)];
    const drawing = draw(layOutSankey, {}, fields, rows);
    expect([...drawing.words].sort()).toEqual([
      "app to cart: 10",
      "cart to paid: 20",
      "web to cart: 30",
      "web to left: 20",
    ]);
    expect(
      marksOf(drawing)
        .map(({ row }) => row)
        .sort(),
    ).toEqual([0, 1, 2, 3]);
    const rects = rectsOf(drawing);
    // From the first column: web, app, cart, and the ends.
    expect(rects.map(({ height }) => Math.round((height / (rects[0]?.height ?? 1)) * 50))).toEqual([
      50, 10, 40, 20, 20,
    ]);
    expect(new Set(rects.map(({ x }) => x)).size).toBe(3);
    // A value without further flows is in the last column.
    expect(rects[4]?.x).toBe(rects[3]?.x);
    expect(labelsOf(drawing).sort()).toEqual(["app", "cart", "left", "paid", "web"]);
    expectWithin(drawing);
  });

  it("leaves out circles and values that have no size, and says so", () => {
    const rows = [flow("a", "b", 5), flow("b", "a", 2), flow("b", "b", 1), flow("b", "c", 0), flow("c", "a", null)];
    const drawing = draw(layOutSankey, {}, fields, [...rows, flow("d", "e", -1)]);
    expect(drawing.words).toEqual([
      "a to b: 5",
      "3 flows without a positive value",
      "2 flows back to an earlier value, not drawn",
    ]);
    const long = [flow("a", "b", 9), flow("b", "c", 8), flow("c", "a", 7)];
    expect(marksOf(draw(layOutSankey, {}, fields, long))).toHaveLength(2);
    expect(draw(layOutSankey, {}, fields, []).shapes).toEqual([]);
    expect(layOutSankey({}, { fields: fields.slice(1), rows: [] }, SIZE, LOOK)).toBeNull();
  });

  it("draws the largest flows of many", () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => flow(`s${n % 70}`, `t${(n * 7) % 90}`, n + 1));
    const drawing = draw(layOutSankey, {}, fields, rows);
    expect(marksOf(drawing).length).toBeLessThanOrEqual(LINKS_MAX);
    expect(rectsOf(drawing).length).toBeLessThanOrEqual(NODES_MAX);
    expect(drawing.words.at(-1)).toMatch(/^Showing the \d+ largest of 5,000 flows$/);
    expectWithin(drawing);
  });
});

describe("a heat map", () => {
  const fields = [field("day", "date"), field("region", "string"), field("n")];

  it("has a cell for each pair, in the order of times, as strong as its value", () => {
    const rows = [
      { day: "2026-02-01", region: "N", n: 4 },
      { day: "2026-01-01", region: "N", n: 2 },
      { day: "2026-01-01", region: "S", n: null },
    ];
    const drawing = draw(layOutHeatmap, { formats: { day: { date: "month" } } }, fields, rows);
    const [later, earlier] = marksOf(drawing).map((shape) => (shape.kind === "rect" ? shape : null));
    expect(later?.x).toBeGreaterThan(earlier?.x ?? 0);
    expect(later?.opacity).toBe(1);
    expect(earlier?.opacity).toBeLessThan(1);
    expect(drawing.words).toEqual(["N, Feb 2026: 4", "N, Jan 2026: 2"]);
    expectWithin(drawing);
  });

  it("says how many rows and columns have no room", () => {
    const rows = Array.from({ length: 400 }, (_, at) => ({ day: "2026-01-01", region: `r${at}`, n: at }));
    expect(draw(layOutHeatmap, {}, fields, rows).words.at(-1)).toMatch(/^\d+ more rows and columns$/);
  });
});

describe("a box plot", () => {
  const fields = [field("region", "string"), ...["min", "q1", "median", "q3", "max"].map((name) => field(name))];
  const rows = [
    { region: "N", min: 1, q1: 2, median: 3, q3: 5, max: 9 },
    { region: "S", min: null, q1: null, median: null, q3: null, max: null },
  ];

  it("has a box for each group with values, from quartile to quartile", () => {
    const drawing = draw(layOutBox, {}, fields, rows);
    expect(drawing.words).toEqual(["N: minimum 1, lower quartile 2, median 3, upper quartile 5, maximum 9"]);
    expect(marksOf(drawing)).toHaveLength(1);
    expectWithin(drawing);
    expect(layOutBox({}, { fields, rows: rows.slice(1) }, SIZE, LOOK)).toBeNull();
  });
});

describe("a combo chart", () => {
  const fields = [field("month", "date"), field("revenue", "decimal"), field("orders")];
  const rows = [
    { month: "2026-01-01", revenue: "1000.50", orders: 3 },
    { month: "2026-02-01", revenue: null, orders: null },
    { month: "2026-03-01", revenue: "-200", orders: 9 },
  ];

  it("draws the last measure as a line, the others as bars, and gaps where values are missing", () => {
    const drawing = draw(
      layOutCombo,
      { formats: { month: { date: "month" }, revenue: { prefix: "€" } } },
      fields,
      rows,
    );
    const kinds = marksOf(drawing).map(({ kind }) => kind);
    expect(kinds).toEqual(["rect", "rect", "dot", "dot"]);
    expect(drawing.words[0]).toBe("Jan 2026: revenue €1,000.50, orders 3");
    expect(
      drawing.shapes.find((shape) => shape.kind === "stroke" && shape.width === 2 && shape.ink === 1),
    ).toBeDefined();
    expectWithin(drawing);
  });

  it("shows a single place, and needs two measures", () => {
    expect(marksOf(draw(layOutCombo, {}, fields, rows.slice(0, 1)))).toHaveLength(2);
    expect(layOutCombo({}, { fields: fields.slice(0, 2), rows }, SIZE, LOOK)).toBeNull();
  });
});

describe("more rows than arguments of a call can be", () => {
  const COUNT = 200_000;
  const numbers = (names: string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  const five = ["min", "q1", "median", "q3", "max"];

  it.each([
    ["a box plot", layOutBox, [field("a", "string"), ...five.map((name) => field(name))], numbers(five)],
    ["a heat map", layOutHeatmap, [field("b", "string"), field("a", "string"), field("n")], { b: "x", n: 1 }],
    ["a combo", layOutCombo, [field("a", "string"), field("n"), field("m")], { n: 1, m: 2 }],
    ["a funnel", layOutFunnel, [field("a", "string"), field("n")], { n: 1 }],
    ["a Sankey diagram", layOutSankey, [field("a", "string"), field("b", "string"), field("n")], { b: "x", n: 1 }],
  ] as [string, LayOut, ResultField[], ResultRow][])("are drawn as %s", (_, layOut, fields, row) => {
    const rows = Array.from({ length: COUNT }, (__, at) => ({ ...row, a: `r${at}` }));
    expect(draw(layOut, {}, fields, rows).words.length).toBeGreaterThan(1);
  });
});

it("leaves out values that are no numbers", () => {
  const rows = [
    { a: "x", b: "x", n: "NaN" },
    { a: "x", b: "y", n: "2.5" },
  ];
  const fields = [field("a", "string"), field("b", "string"), field("n", "float64")];
  expect(draw(layOutHeatmap, {}, fields, rows).words).toEqual(["y, x: 2.5"]);
});

it.each([
  [layOutGauge, [field("n")], [{ n: 1 }]],
  [layOutFunnel, [field("s", "string"), field("n")], [{ s: "a", n: 1 }]],
  [layOutHeatmap, [field("a", "string"), field("b", "string"), field("n")], [{ a: "x", b: "y", n: 1 }]],
  [layOutSankey, [field("a", "string"), field("b", "string"), field("n")], [{ a: "x", b: "y", n: 1 }]],
  [layOutCombo, [field("a", "string"), field("n"), field("m")], [{ a: "x", n: 1, m: 2 }]],
] as [LayOut, ResultField[], ResultRow[]][])(
  "draws in a tiny box without numbers that are none",
  (layOut, fields, rows) => {
    const drawing = draw(layOut, {}, fields, rows, { width: 30, height: 24 });
    expect(JSON.stringify(drawing)).not.toMatch(/NaN|Infinity|null/);
  },
);
