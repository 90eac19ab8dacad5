import { expect, test } from "vitest";
import { toKeptSpec } from "@/lib/base/charts/kept-spec";
import { formatFigure, toWidgetPicture } from "@/lib/base/charts/widget-picture";

const region = { name: "region", type: "string" };
const day = { name: "day", type: "date" };
const total = { name: "total", type: "decimal" };
const average = { name: "avg_amount", type: "float64" };
const sum = { field: "amount", op: "sum", as: "total" };

test("draws each group's value for a mark over one dimension", () => {
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

test("colours by a second dimension, draws times as a line, and never sums averages", () => {
  const spec = {
    dimensions: [{ field: "at", timeUnit: "day", as: "day" }, "region"],
    measures: [{ field: "amount", op: "avg" }],
  };
  expect(toWidgetPicture(spec, [day, region, average])).toMatchObject({
    settings: { kind: "line", across: "day", colour: "region", up: [{ of: "average", column: "avg_amount" }] },
  });
});

test("keeps the server's order", () => {
  const spec = {
    dimensions: ["region"],
    measures: [sum],
    sort: [{ by: "region", order: "asc" }],
    mark: { type: "bar" },
  };
  expect(toWidgetPicture(spec, [region, total])).toMatchObject({ settings: { sort: "given" } });
});

test("draws a console's chart as the console does", () => {
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

test("passes richer Vega-Lite on, without the computed parts", () => {
  const layered = { layer: [{ mark: "bar" }, { mark: "rule" }], dimensions: ["region"], measures: [sum] };
  expect(toWidgetPicture(layered, [region, total])).toEqual({ kind: "vega", spec: { layer: layered.layer } });
});

test("draws nothing without a number", () => {
  expect(toWidgetPicture({ dimensions: ["region"], mark: "bar" }, [region])).toBeNull();
});

test("shortens a number from a million on", () => {
  expect(["16284", "1210000.5", "74.305", "-2500000000", "0.004", "-0"].map((text) => formatFigure(text))).toEqual([
    "16,284",
    "1.21 M",
    "74.31",
    "-2.5 bn",
    "0.004",
    "0",
  ]);
});
