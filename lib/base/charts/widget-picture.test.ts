import { expect, test } from "vitest";
import { toKeptSpec } from "@/lib/base/charts/kept-spec";
import { formatFigure, toWidgetPicture } from "@/lib/base/charts/widget-picture";

const region = { name: "region", type: "string" };
const day = { name: "day", type: "date" };
const total = { name: "total", type: "decimal" };
const average = { name: "avg_amount", type: "float64" };
const sum = { field: "amount", op: "sum", as: "total" };

test("a mark over one dimension draws each group's value as it is", () => {
  expect(toWidgetPicture({ dimensions: ["region"], measures: [sum], mark: "bar" }, [region, total])).toEqual({
    kind: "settings",
    settings: {
      kind: "bar",
      across: "region",
      up: [{ of: "each", column: "total" }],
      colour: null,
      stack: "stacked",
      sort: "value",
      top: null,
    },
  });
});

test("a second dimension is the colour, a time makes a line, and averages are never added up", () => {
  const spec = {
    dimensions: [{ field: "at", timeUnit: "day", as: "day" }, "region"],
    measures: [{ field: "amount", op: "avg" }],
  };
  expect(toWidgetPicture(spec, [day, region, average])).toMatchObject({
    settings: { kind: "line", across: "day", colour: "region", up: [{ of: "average", column: "avg_amount" }] },
  });
});

test("an order of the server is kept", () => {
  const spec = {
    dimensions: ["region"],
    measures: [sum],
    sort: [{ by: "region", order: "asc" }],
    mark: { type: "bar" },
  };
  expect(toWidgetPicture(spec, [region, total])).toMatchObject({ settings: { sort: "given" } });
});

test("the chart of a console is drawn as it is there", () => {
  const settings = {
    kind: "area",
    across: "day",
    up: [{ of: "sum", column: "total" }],
    colour: "region",
    stack: "share",
    sort: "value",
    top: 3,
  } as const;
  const fields = [day, region, total];
  const kept = toKeptSpec({ ...settings, up: [...settings.up] }, fields);
  expect(toWidgetPicture(kept, fields)).toEqual({ kind: "settings", settings });
  // With a missing column, Vega-Lite draws the specification and reports the problem.
  expect(toWidgetPicture(kept, [day, total])).toMatchObject({ kind: "vega" });
});

test("Vega-Lite that says more than our settings is handed on, without what the server has computed", () => {
  const layered = { layer: [{ mark: "bar" }, { mark: "rule" }], dimensions: ["region"], measures: [sum] };
  expect(toWidgetPicture(layered, [region, total])).toEqual({ kind: "vega", spec: { layer: layered.layer } });
});

test("without a number there is nothing to draw", () => {
  expect(toWidgetPicture({ dimensions: ["region"], mark: "bar" }, [region])).toBeNull();
});

test("a figure is short from a million on, and exact below", () => {
  expect(["16284", "1210000.5", "74.305", "-2500000000", "0.004", "-0"].map((text) => formatFigure(text))).toEqual([
    "16,284",
    "1.21 M",
    "74.31",
    "-2.5 bn",
    "0.004",
    "0",
  ]);
});
