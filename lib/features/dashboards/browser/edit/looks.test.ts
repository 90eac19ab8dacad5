import { describe, expect, it } from "vitest";
import type { ChartSettings } from "@/lib/base/charts/settings";
import { traitsOf } from "@/lib/features/dashboards/kinds/traits";
import { fromChart, kindOfLook, LOOKS, type Look, lookOf, toComputed, withLook } from "./looks";

const FIELDS = [
  { name: "id", type: "int64" },
  { name: "region", type: "string" },
  { name: "placed_at", type: "timestamp" },
  { name: "amount", type: "decimal" },
];
const SPEC = {
  dimensions: [{ field: "placed_at", timeUnit: "month" }, "region"],
  measures: [
    { field: "amount", op: "sum" },
    { op: "count", as: "orders" },
  ],
  sort: [{ by: "sum_amount", order: "desc" }],
  limit: 10,
  mark: "bar",
  colour: "region",
};

const suggest = (look: Look, fields: { name: string; type: string }[]) =>
  traitsOf(kindOfLook(look)).suggest({}, look, fields as typeof FIELDS);

it("suggests a sum over time, a sum, or rows", () => {
  expect(suggest("line", FIELDS)).toMatchObject({
    dimensions: [{ field: "placed_at", timeUnit: "month" }],
    measures: [{ field: "amount", op: "sum" }],
  });
  expect(suggest("stacked", FIELDS)).toMatchObject({ dimensions: [{ field: "placed_at" }, "region"] });
  expect(suggest("pie", FIELDS)).toMatchObject({ dimensions: ["region"] });
  expect(suggest("kpi", [{ name: "name", type: "string" }])).toEqual({ measures: [{ op: "count" }] });
  expect(suggest("table", FIELDS)).toBeNull();
  expect(traitsOf("chart").suggest(SPEC, "line", FIELDS)).toBeNull();
});

describe("looks", () => {
  it.each(LOOKS.map((look) => [look]))("has %s after applying it, with the same computed properties", (look) => {
    const { kind, spec } = withLook({ kind: "chart", spec: SPEC }, look);
    expect(lookOf(kind, spec)).toBe(look);
    const plain = traitsOf(kind).toPlain(spec);
    expect(toComputed({ kind: "chart", spec: plain })).toEqual(toComputed({ kind: "chart", spec: SPEC }));
  });

  it('is "own" for plain Vega-Lite until another look replaces it', () => {
    const own = { ...SPEC, mark: "rect", encoding: { x: { field: "region" } } };
    expect(lookOf("chart", own)).toBe("own");
    expect(withLook({ kind: "chart", spec: own }, "line").spec).not.toHaveProperty("encoding");
  });
});

describe("a console's chart as a widget", () => {
  const chart: ChartSettings = { kind: "bar", across: "region", up: [{ of: "average", column: "amount" }], colour: null, stack: "apart", sort: "value", top: 5 }; // biome-ignore format: one look
  it("has groups computed by the server", () => {
    expect(fromChart(chart, {})).toEqual({
      kind: "chart",
      spec: {
        dimensions: ["region"],
        measures: [{ field: "amount", op: "avg" }],
        sort: [{ by: "avg_amount", order: "desc" }],
        limit: 5,
        mark: "bar",
        stack: "apart",
      },
    });
    expect(fromChart({ ...chart, kind: "kpi", across: null, top: null }, {})).toEqual({
      kind: "kpi",
      spec: { measures: [{ field: "amount", op: "avg" }] },
    });
  });
  it("keeps a chart of individual rows", () => {
    const kept = { mark: { type: "point" }, usermeta: { shelves: {} } };
    expect(fromChart({ ...chart, kind: "scatter", up: [{ of: "each", column: "amount" }] }, kept).spec).toEqual(kept);
  });
});
