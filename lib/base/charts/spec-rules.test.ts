// @module-tag heavy
import { Error as LOG_ERROR, type LoggerInterface, logger, parse, View } from "vega";
import { compile } from "vega-lite";
import { describe, expect, it } from "vitest";
import { toForeignSpec } from "@/lib/base/charts/foreign-spec";
import { toKeptSpec } from "@/lib/base/charts/kept-spec";
import { CHART_KINDS, type ChartSettings } from "@/lib/base/charts/settings";
import { fastestMs } from "@/test/processor-time";
import { findDrawProblems, findSpecProblems, newExpressionBudget } from "./spec-rules";

const point = { mark: "point", encoding: { x: { field: "x", type: "quantitative" } } };
const calculate = (text: string) => ({ ...point, transform: [{ calculate: text, as: "a" }] });
const encode = (channel: Record<string, unknown>) => ({ mark: "bar", encoding: { x: { field: "x", ...channel } } });
const transform = (...transforms: unknown[]) => ({ ...point, transform: transforms });
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

/** Specifications that crash a process or keep it busy, with the path at which each is rejected. */
const REFUSED: Record<string, [Record<string, unknown>, string]> = {
  "a long sequence": [calculate("length(sequence(0,300000000))"), "transform.0.calculate"],
  "a sequence that the rows decide": [calculate("sequence(datum.x)"), "transform.0.calculate"],
  "a sequence of small steps": [calculate("sequence(0, 1, 1e-9)"), "transform.0.calculate"],
  "a sequence without a step": [calculate("sequence(0, 1, 0)"), "transform.0.calculate"],
  "a long padding": [calculate("pad('x', 400000000, 'y')"), "transform.0.calculate"],
  "a padding by a long text": [calculate("pad('x', 100, datum.x)"), "transform.0.calculate"],
  "a pattern": [calculate("test(/^(a+)+$/, datum.x)"), "transform.0.calculate"],
  "a pattern from a text": [calculate("regexp(datum.x, 'g')"), "transform.0.calculate"],
  "a pattern in a replacement": [calculate("replace(datum.x, /a/g, 'aa')"), "transform.0.calculate"],
  "a replacement that repeats what it replaces": [calculate("replace(datum.x, 'a', '$`$`')"), "transform.0.calculate"],
  "a wide number": [calculate("format(datum.x, '900000000d')"), "transform.0.calculate"],
  "a format that the rows decide": [calculate("format(1, datum.x)"), "transform.0.calculate"],
  "times without number": [calculate("timeSequence('millisecond', 0, now())"), "transform.0.calculate"],
  "the rows of another view": [calculate("length(data('source_0'))"), "transform.0.calculate"],
  "a way to code": [calculate("datum.constructor"), "transform.0.calculate"],
  "a way to code in brackets": [calculate("datum['__proto__']"), "transform.0.calculate"],
  "a text that is no expression": [calculate("datum."), "transform.0.calculate"],
  "brackets without end": [calculate("(".repeat(1999)), "transform.0.calculate"],
  "an endless expression": [calculate(`1${"+1".repeat(2000)}`), "transform.0.calculate"],
  "values that double": [transform(...many(40, () => ({ calculate: "datum.a + datum.a", as: "a" }))), "transform.9"],
  "lists that double": [transform(...many(40, () => ({ calculate: "[datum.a, datum.a]", as: "a" }))), "transform.9"],
  "parameters that double": [
    { ...point, params: many(40, (at) => ({ name: `p${at + 1}`, expr: `p${at} + p${at}` })) },
    "params.9",
  ],
  "expressions without number": [
    transform(...many(40, (at) => ({ calculate: `datum.x${at}${" + 1".repeat(300)}`, as: `a${at}` }))),
    "transform.8.calculate",
  ],
  "pivots of many columns": [
    transform(...many(11, (at) => ({ pivot: `p${at}`, value: "x", groupby: [`g${at}`] }))),
    "transform.10",
  ],
  "a pivot by many columns": [
    transform({ pivot: "p", value: "x", groupby: many(20, (at) => `g${at}`) }),
    "transform.0",
  ],
  "imputed values of many columns": [transform(...many(21, (at) => ({ impute: "x", key: `k${at}` }))), "transform.20"],
  "steps of bins of many columns": [
    { layer: many(21, (at) => ({ mark: "bar", encoding: { x: { field: `f${at}`, bin: { step: 1 } } } })) },
    "layer.20.encoding.x.bin",
  ],
  "small charts by many columns": [
    { layer: many(21, (at) => ({ mark: "bar", encoding: { row: { field: `f${at}` } } })) },
    "layer.20.encoding",
  ],
  "an expression of a filter": [transform({ filter: "length(sequence(0, 1e9)) > 0" }), "transform.0.filter"],
  "an expression of a condition": [
    { mark: "bar", encoding: { color: { condition: { test: "regexp('a')", value: "red" }, value: "blue" } } },
    "encoding.color.condition.test",
  ],
  "an expression in the and of a filter": [
    transform({ filter: { and: ["length(sequence(0,300000000)) > 0"] } }),
    "transform.0.filter.and",
  ],
  "an expression in the or of a filter": [
    transform({ filter: { or: [{ field: "x", gt: 1 }, "regexp('a')"] } }),
    "transform.0.filter.or",
  ],
  "an expression in the not of a filter": [transform({ filter: { not: "regexp('a')" } }), "transform.0.filter.not"],
  "an expression deep in a filter": [
    transform({ filter: { and: [{ or: [{ not: { and: ["regexp('a')"] } }] }] } }),
    "transform.0.filter.and.0.or.0.not.and",
  ],
  "an expression in a list of a list of a filter": [
    transform({ filter: { and: [["regexp('a')"]] } }),
    "transform.0.filter.and",
  ],
  "a list of expressions as a filter": [transform({ filter: ["datum.x > 1", "regexp('a')"] }), "transform.0.filter"],
  "an expression in the not of a condition": [
    { mark: "bar", encoding: { color: { condition: { test: { not: "regexp('a')" }, value: "red" } } } },
    "encoding.color.condition.test.not",
  ],
  "an expression in the and of the second condition": [
    {
      mark: "bar",
      encoding: {
        color: {
          condition: [
            { test: "datum.x > 1", value: "red" },
            { test: { and: ["datum.x > 1", "regexp('a')"] }, value: "red" },
          ],
        },
      },
    },
    "encoding.color.condition.1.test.and",
  ],
  "an expression in the or of a condition of an axis": [
    encode({ axis: { labelColor: { condition: { test: { or: ["regexp('a')"] }, value: "red" }, value: "blue" } } }),
    "encoding.x.axis.labelColor.condition.test.or",
  ],
  "a predicate in a layer": [
    { layer: [transform({ filter: { not: "sequence(0,1e9)" } })] },
    "layer.0.transform.0.filter.not",
  ],
  "an expression of a label": [encode({ axis: { labelExpr: "format(1, '9999d')" } }), "encoding.x.axis.labelExpr"],
  "an expression of a mark": [{ mark: { type: "bar", size: { expr: "sequence(1e9)" } } }, "mark.size.expr"],
  "an expression in a layer": [{ layer: [calculate("regexp('a')")] }, "layer.0.transform.0.calculate"],
  "folds of folds": [transform(...many(3, () => ({ fold: ["a", "b", "c", "d"] }))), "transform.2"],
  "a list that is made and flattened": [
    transform({ calculate: "[1,2,3]", as: "a" }, { flatten: ["a"] }),
    "transform.1",
  ],
  "two flattenings": [transform({ flatten: ["a"] }, { flatten: ["b"] }), "transform.1"],
  "a density of many steps": [transform({ density: "x", steps: 500_000_000 }), "transform.0.steps"],
  "a density with a floor": [transform({ density: "x", minsteps: 500_000_000 }), "transform.0.minsteps"],
  "imputed keys without number": [
    transform({ impute: "y", key: "x", keyvals: { start: 0, stop: 200_000_000 } }),
    "transform.0.keyvals",
  ],
  "quantiles without number": [transform({ quantile: "x", step: 1e-9 }), "transform.0"],
  "a curve of a high order": [transform({ regression: "x", on: "y", method: "poly", order: 1e6 }), "transform.0"],
  "another's data": [transform({ lookup: "x", from: { data: { url: "https://x" }, key: "x" } }), "transform.0"],
  "an unknown transform": [transform({ force: true }), "transform.0"],
  "an unknown operation": [transform({ aggregate: [{ op: "evil", field: "x", as: "a" }] }), "transform.0"],
  "bins without number": [encode({ bin: { maxbins: 1e9 } }), "encoding.x.bin.maxbins"],
  "bins by a base that shrinks": [encode({ bin: { base: 0.5 } }), "encoding.x.bin.base"],
  "bins by nothing": [encode({ bin: { divide: [0] } }), "encoding.x.bin.divide"],
  "small bins of a large range": [encode({ bin: { step: 1, extent: [0, 1e9] } }), "encoding.x.bin"],
  "bins by a list of steps": [encode({ bin: { steps: [1e-9], extent: [0, 1] } }), "encoding.x.bin"],
  "bins by the step of a total": [encode({ aggregate: "sum", scale: { bins: { step: 10 } } }), "encoding.x.scale.bins"],
  "bins by the step of a computed field": [
    { ...encode({ scale: { bins: { step: 10 } } }), transform: [{ calculate: "datum.x * 1e9", as: "x" }] },
    "encoding.x.scale.bins",
  ],
  "bins by a step of a field that a pivot may name": [
    { ...encode({ scale: { bins: { step: 10 } } }), transform: [{ pivot: "k", value: "v" }] },
    "encoding.x.scale.bins",
  ],
  "bins by the step of a domain that a selection decides": [
    encode({ scale: { domain: { param: "brush" }, bins: { step: 10 } } }),
    "encoding.x.scale.bins",
  ],
  "bins by a step where a margin is added": [
    encode({ scale: { padding: 299.999, bins: { step: 10 } } }),
    "encoding.x.scale.bins",
  ],
  "bins by a step of stacked values": [
    {
      mark: "bar",
      encoding: { y: { field: "n", type: "quantitative", scale: { bins: { step: 1 } } }, color: { field: "kind" } },
    },
    "encoding.y.scale.bins",
  ],
  "bins by a step in an expression": [encode({ scale: { bins: { step: { expr: "p" } } } }), "encoding.x.scale.bins"],
  "bins without a step": [encode({ scale: { bins: { step: 0 } } }), "encoding.x.scale.bins"],
  "bins of a span": [encode({ bin: { span: 1e-9 } }), "encoding.x.bin"],
  "bins of a scale": [encode({ scale: { bins: { start: 0, stop: 1, step: 1e-9 } } }), "encoding.x.scale.bins"],
  "ticks without number": [encode({ axis: { tickCount: 1e9 } }), "encoding.x.axis.tickCount"],
  "a tick at each part of an hour": [
    encode({ axis: { tickCount: { interval: "hour", step: 0.1 } } }),
    "encoding.x.axis.tickCount",
  ],
  "a tick each decade": [encode({ axis: { tickCount: "decade" } }), "encoding.x.axis.tickCount"],
  "a tick at a name of objects": [encode({ axis: { tickCount: "constructor" } }), "encoding.x.axis.tickCount"],
  "a tick each second of a computed field": [
    { ...encode({ axis: { tickCount: "second" } }), transform: [{ calculate: "datum.t * 1e9", as: "x" }] },
    "encoding.x.axis.tickCount",
  ],
  "a gesture that is an expression": [
    { ...point, params: [{ name: "p", select: { type: "interval", translate: "pointerdown[sequence(1e9)]" } }] },
    "params.0.select.translate",
  ],
  "a gesture of another element": [
    { ...point, params: [{ name: "p", select: { type: "interval", on: "body:pointermove" } }] },
    "params.0.select.on",
  ],
  "a logarithm of nearly 1": [encode({ scale: { type: "log", base: 1.0000001 } }), "encoding.x.scale.base"],
  "a logarithm of a billion": [encode({ scale: { type: "log", base: 1e9 } }), "encoding.x.scale.base"],
  "a wide label": [encode({ axis: { format: "99999d" } }), "encoding.x.axis.format"],
  "dashes without number": [{ mark: { type: "line", strokeDash: [1e-6, 1e-6] } }, "mark.strokeDash"],
  "a timer": [{ ...point, params: [{ name: "p", select: { type: "point", on: "timer{1}" } }] }, "params.0.select.on"],
  "a timer that clears": [
    { ...point, params: [{ name: "p", select: { type: "point", clear: "timer{1}" } }] },
    "params.0.select.clear",
  ],
  "a timer of an event": [
    { ...point, params: [{ name: "p", select: { type: "point", on: { type: "timer", throttle: 1 } } }] },
    "params.0.select.on",
  ],
  "a timer of a selection in a layer": [
    { layer: [{ ...point, params: [{ name: "p", select: { type: "point", on: "timer{1}" } }] }] },
    "layer.0.params.0.select.on",
  ],
  "a timer of a legend": [
    { ...point, params: [{ name: "p", select: "point", bind: { legend: "timer{1}" } }] },
    "params.0.bind",
  ],
  "a timer of a selection of old": [
    { ...point, selection: { p: { type: "interval", on: "timer{1}" } } },
    "selection.p.on",
  ],
  "a regression on what is no name": [transform({ regression: "x", on: { signal: "a" } }), "transform.0.on"],
  "a frame of words in a window": [
    transform({ window: [{ op: "sum", field: "x", as: "s" }], frame: "group" }),
    "transform.0.frame",
  ],
  "a frame of expressions in a window": [
    transform({ window: [{ op: "sum", field: "x", as: "s" }], frame: [{ expr: "1" }, 0] }),
    "transform.0.frame",
  ],
  "a step of bins of a selection": [encode({ bin: { step: 1e-9, extent: { param: "brush" } } }), "encoding.x.bin"],
  "steps of bins of a selection": [encode({ bin: { steps: [1e-9], extent: { param: "brush" } } }), "encoding.x.bin"],
  "bins of an expression": [encode({ bin: { extent: { expr: "[0, 1]" } } }), "encoding.x.bin"],
  "bins of a selection and an expression": [
    encode({ bin: { extent: { param: "brush", expr: "[0, 1]" } } }),
    "encoding.x.bin",
  ],
  "an input elsewhere in the page": [
    { ...point, params: [{ name: "p", value: 1, bind: { input: "range", element: "#nav" } }] },
    "params.0.bind.element",
  ],
  "views without number": [{ repeat: { row: many(20, String), column: many(20, String) }, spec: { mark: "bar" } }, ""],
  "views in views": [
    many(30, () => 0).reduce<Record<string, unknown>>((spec) => ({ layer: [spec] }), { mark: "bar" }),
    "layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer.0.layer",
  ],
  "a long text": [{ mark: { type: "point", shape: "M0,0".repeat(1000) } }, "mark.shape"],
  "an unknown mark": [{ mark: "sausage" }, "mark"],
  "a mark that is no name": [{ mark: { type: 7 } }, "mark"],
  "a channel that is no object": [{ mark: "bar", encoding: { x: "x" } }, "encoding.x"],
  "an encoding that is no object": [{ mark: "bar", encoding: [] }, "encoding"],
  "an unknown type": [encode({ type: "numeric" }), "encoding.x.type"],
  "an unknown aggregate": [encode({ aggregate: "total" }), "encoding.x.aggregate"],
  "an unknown scale": [encode({ scale: { type: "no-such" } }), "encoding.x.scale.type"],
  "an unknown time unit": [encode({ timeUnit: "fortnight" }), "encoding.x.timeUnit"],
  "layers that are no list": [{ layer: { mark: "bar" } }, "layer"],
  "transforms that are no list": [{ ...point, transform: {} }, "transform"],
};

const ACCEPTED: Record<string, Record<string, unknown>> = {
  "nothing at all": {},
  "a channel that nothing draws": { mark: "bar", encoding: { "y.z": { field: "x" } } },
  "our own mark": { mark: "scatter", dimensions: ["x"], measures: [{ op: "count" }], sort: [{ by: "x" }], limit: 50 },
  "what is computed, and a time unit": {
    dimensions: [{ field: "day", timeUnit: "month" }],
    timeUnit: "hour",
    mark: "line",
  },
  "arithmetic of columns": calculate("round(100 * datum.x / datum['y z']) / 100"),
  "texts of columns": calculate("upper(datum.first) + ' ' + lower(datum.last)"),
  "a choice": calculate("datum.x > 5 ? 'high' : 'low'"),
  formats: calculate("format(datum.x, ',.2f') + timeFormat(datum.t, '%d %b %Y')"),
  "a short sequence": calculate("sequence(0, 100, 5)"),
  "a filter": transform({ filter: "datum.x > 5 && year(datum.t) === 2026" }),
  "a filter by an object": transform({
    filter: { and: [{ field: "x", gt: 1 }, { not: { field: "y", oneOf: [1, 2] } }] },
  }),
  "a filter of expressions and objects": transform({
    filter: { and: ["datum.x > 5", { not: "datum.y === 1" }, { or: [{ field: "x", gt: 1 }, { param: "brush" }] }] },
  }),
  windows: transform({ window: [{ op: "sum", field: "x", as: "sum" }], frame: [-6, 0], sort: [{ field: "t" }] }),
  "a running total": transform({ window: [{ op: "sum", field: "x", as: "sum" }], frame: [null, 0] }),
  aggregates: transform({ aggregate: [{ op: "mean", field: "x", as: "m" }], groupby: ["t"] }),
  "a fold": transform({ fold: ["a", "b", "c"], as: ["key", "value"] }),
  "a density": transform({ density: "x", steps: 200, groupby: ["g"] }),
  "a smoothed line": transform({ loess: "y", on: "x", bandwidth: 0.3 }),
  "a regression on a column with spaces": transform({ regression: "IMDB Rating", on: "Rotten Tomatoes Rating" }),
  "a smoothed line on a column with an underscore": transform({ loess: "y", on: "order_date", groupby: ["region"] }),
  "a regression in a layer": { layer: [transform({ regression: "y", on: "Order date", method: "poly", order: 3 })] },
  "a title in the frame of its group": { ...point, title: { text: "A", frame: "group" } },
  "a title in the frame of its bounds": { hconcat: [{ ...point, title: { text: ["A", "B"], frame: "bounds" } }] },
  "bins of a selection": {
    ...encode({ bin: { maxbins: 30, extent: { param: "brush" } } }),
    params: [{ name: "brush", select: { type: "interval", encodings: ["x"] } }],
  },
  "bins of a selection's channel": encode({ bin: { extent: { param: "brush", encoding: "x" } } }),
  "bins of a selection in a transform": transform({
    bin: { maxbins: 30, extent: { param: "brush", field: "x" } },
    field: "x",
    as: "b",
  }),
  "a selection by the legend": { ...point, params: [{ name: "p", select: "point", bind: "legend" }] },
  "a selection by a double click on the legend": {
    ...point,
    params: [{ name: "p", select: "point", bind: { legend: "dblclick" } }],
  },
  "a selection by a click": {
    ...point,
    params: [{ name: "p", select: { type: "point", on: "click", clear: "dblclick" } }],
  },
  bins: encode({ bin: { maxbins: 30 }, aggregate: "count", type: "quantitative" }),
  "bins by a step": encode({ bin: { step: 10, extent: [0, 1000] } }),
  "many pivots of the same columns": {
    hconcat: many(40, () => transform({ pivot: "kind", value: "x", groupby: ["region"] })),
  },
  "steps of bins in many layers": { layer: many(40, () => encode({ bin: { step: 10 } })) },
  "a pivot by 19 columns": transform({ pivot: "p", value: "x", groupby: many(19, (at) => `g${at}`) }),
  ticks: encode({ axis: { tickCount: 8, format: "$,.0f", labelExpr: "datum.label + ' kg'" } }),
  "a tick each month": encode({ axis: { tickCount: { interval: "month", step: 3 } } }),
  "a tick each hour": encode({ field: "t", type: "temporal", axis: { tickCount: "hour" } }),
  "a tick each 15 minutes": encode({
    field: "t",
    type: "temporal",
    axis: { tickCount: { interval: "minute", step: 15 } },
  }),
  "a tick each six hours of a day of any year": encode({
    field: "t",
    timeUnit: "monthdatehours",
    axis: { tickCount: { interval: "hour", step: 6 } },
  }),
  "a tick each hour of a domain": encode({
    field: "t",
    type: "temporal",
    scale: { domain: ["2026-01-01", "2026-01-02"] },
    axis: { tickCount: "hour" },
  }),
  "a tick each day of a computed field": {
    ...encode({ field: "made", axis: { tickCount: "day" } }),
    transform: [{ calculate: "datum.t", as: "made" }],
  },
  "bins of a scale by a step": encode({ scale: { bins: { step: 10 } } }),
  "bins of a scale by a step, from a start": encode({ scale: { bins: { start: 5, step: 10 } } }),
  "bins of a mean by a step": encode({ aggregate: "mean", scale: { bins: { step: 10 } } }),
  "bins of the query by a step": {
    mark: "bar",
    encoding: { x: { field: "x", bin: { binned: true, step: 2 } }, x2: { field: "x_end" }, y: { field: "n" } },
  },
  "bins of a transform by a step": {
    transform: [
      { bin: true, field: "x", as: "b" },
      { aggregate: [{ op: "count", as: "n" }], groupby: ["b", "b_end"] },
      { joinaggregate: [{ op: "sum", field: "n", as: "all" }] },
      { calculate: "datum.n / datum.all", as: "part" },
    ],
    mark: "bar",
    encoding: { x: { field: "b", bin: { binned: true, step: 60 } }, x2: { field: "b_end" }, y: { field: "part" } },
  },
  "quantiles of a distribution": calculate("quantileNormal(datum.p) + quantileUniform(datum.p)"),
  "a selection by a drag with a key": {
    ...point,
    params: [
      {
        name: "brush",
        select: {
          type: "interval",
          on: "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!",
          translate: "[pointerdown[!event.shiftKey], pointerup] > pointermove",
          zoom: "wheel![event.shiftKey]",
        },
      },
    ],
  },
  "a logarithm": encode({ scale: { type: "log", base: 10 } }),
  dashes: { mark: { type: "line", strokeDash: [4, 2] } },
  "dashes by a column": { mark: "line", encoding: { strokeDash: { field: "kind", type: "nominal" } } },
  "a selection": {
    ...point,
    params: [{ name: "pick", select: { type: "interval", encodings: ["x"] }, bind: "scales" }],
  },
  "small charts": { ...point, encoding: { ...point.encoding, row: { field: "region" } } },
  layers: { layer: [point, { mark: "rule", encoding: { y: { datum: 5 } } }], resolve: { scale: { y: "independent" } } },
  "charts beside each other": { hconcat: [point, point], data: { name: "result" } },
  repeats: { repeat: { column: ["a", "b"] }, spec: { mark: "bar", encoding: { x: { field: { repeat: "column" } } } } },
  "data that is left out": {
    ...point,
    data: { sequence: { start: 0, stop: 1e9 } },
    config: { axis: { tickCount: 1e9 } },
  },
};

describe("the rules of a chart's specification", () => {
  it.each(Object.entries(REFUSED))("C1 reject %s, and name its path", (_, [spec, path]) => {
    const [problem] = findSpecProblems(spec);
    expect(problem?.path).toBe(path);
    expect(problem?.message).toMatch(/^[A-Z“].*\.$/);
  });

  it.each(Object.entries(ACCEPTED))("C1 accept %s", (_, spec) => {
    expect(findSpecProblems(spec)).toEqual([]);
    expect(findDrawProblems(spec, [{ x: 1, t: "2026-01-01", region: "a" }])).toEqual([]);
  });

  it.each(CHART_KINDS)("C1 accept a stored console's %s", (kind) => {
    const settings: ChartSettings = {
      ...{
        kind,
        across: "day",
        up: [
          { of: "sum", column: "a" },
          { of: "sum", column: "b.c" },
        ],
      },
      ...{ colour: null, stack: "stacked", sort: "value", top: null },
    };
    expect(findSpecProblems(toKeptSpec(settings, []))).toEqual([]);
  });
});

it("C1 read the expressions of a dashboard within 20 ms of processor time", () => {
  const expressions = many(5, (at) => ({ filter: `datum.x${at}${"+1".repeat(990)}` }));
  const judge = () => {
    const budget = newExpressionBudget();
    return many(60, () => findSpecProblems(transform(...expressions), budget).length);
  };
  expect(judge().filter((count) => count === 0)).toHaveLength(4);
  expect(fastestMs(20, judge)).toBeLessThan(20);
});

describe("rules that depend on rows", () => {
  const rows = many(5000, (n) => ({
    n,
    key: `k${n}`,
    group: `g${n}`,
    kind: n % 3,
    big: n * 1e6,
    far: n === 0 ? "9999-12-31" : "2026-01-01",
    at: `2026-01-01T00:00:0${n % 10}Z`,
  }));
  const CASES: Record<string, [Record<string, unknown>, boolean]> = {
    "a step that fits the values": [encode({ field: "n", bin: { step: 10 } }), true],
    "a step that is too small for them": [encode({ field: "big", bin: { step: 10 } }), false],
    "a step of times": [encode({ field: "at", bin: { step: 1 } }), false],
    "a step of a computed field": [encode({ field: "made", bin: { step: 10 } }), false],
    "a step of a scale's bins that fits the values": [encode({ field: "n", scale: { bins: { step: 1 } } }), true],
    "a step of a scale's bins that is too small": [encode({ field: "n", scale: { bins: { step: 0.1 } } }), false],
    "a step of a scale's bins in a far domain": [
      encode({ field: "n", scale: { domain: [0, 1e9], bins: { step: 1 } } }),
      false,
    ],
    "a step of a scale's bins with far values in another layer": [
      { layer: [encode({ field: "n", scale: { bins: { step: 1 } } }), encode({ field: "big" })] },
      false,
    ],
    "a step of a scale's bins with a far line": [
      {
        layer: [
          encode({ field: "n", scale: { bins: { step: 1 } } }),
          { mark: "rule", encoding: { x: { datum: 1e9 } } },
        ],
      },
      false,
    ],
    "a step of the query's bins whose ends are far": [
      { mark: "bar", encoding: { x: { field: "n", bin: { binned: true, step: 1 } }, x2: { field: "big" } } },
      false,
    ],
    "a tick each second of ten": [encode({ field: "at", type: "temporal", axis: { tickCount: "second" } }), true],
    "a tick each millisecond of 10 s": [
      encode({ field: "at", type: "temporal", axis: { tickCount: "millisecond" } }),
      true,
    ],
    "a tick each ten minutes of 58 days": [
      encode({ field: "big", type: "temporal", axis: { tickCount: { interval: "minute", step: 10 } } }),
      true,
    ],
    "a tick each second of 58 days": [encode({ field: "big", type: "temporal", axis: { tickCount: "second" } }), false],
    "a tick each 1,000 seconds of 58 days, for which all are counted": [
      encode({ field: "big", type: "temporal", axis: { tickCount: { interval: "second", step: 1000 } } }),
      false,
    ],
    "a tick each day until the year 9999": [
      {
        layer: [
          encode({ field: "at", type: "temporal", axis: { tickCount: "day" } }),
          encode({ field: "far", type: "temporal" }),
        ],
      },
      false,
    ],
    "layers of folds": [{ layer: many(40, () => transform({ fold: many(50, String) })) }, false],
    layers: [{ layer: many(40, () => point) }, true],
    "few groups to impute": [transform({ impute: "n", key: "key", groupby: ["kind"] }), true],
    "a group for each row": [transform({ impute: "n", key: "key", groupby: ["group"] }), false],
    "a computed group": [transform({ impute: "n", key: "key", groupby: ["made"] }), false],
    "values imputed in a channel": [
      {
        mark: "line",
        encoding: { x: { field: "key" }, y: { field: "n", impute: { value: 0 } }, detail: [{ field: "group" }] },
      },
      false,
    ],
    "a pivot of few values": [transform({ pivot: "kind", value: "n", groupby: ["key"] }), true],
    "a pivot of each row": [transform({ pivot: "key", value: "n", groupby: ["group"] }), false],
    "facets of few values": [{ facet: { field: "kind" }, spec: point }, true],
    "a facet for each row": [{ facet: { field: "key" }, spec: point }, false],
    "facets of rows and columns": [{ facet: { row: { field: "kind" }, column: { field: "key" } }, spec: point }, false],
    "facets of a channel": [{ mark: "bar", encoding: { column: { field: "key" } } }, false],
  };
  it.each(Object.entries(CASES))("C1 check %s", (_, [spec, isDrawn]) => {
    expect(findSpecProblems(spec)).toEqual([]);
    expect(findDrawProblems(spec, rows).length === 0).toBe(isDrawn);
  });
});

it("C1 read each column once, however often a chart names it", () => {
  let reads = 0;
  const row = (n: number) => ({
    kind: n,
    get group() {
      reads += 1;
      return n;
    },
  });
  const spec = { hconcat: many(40, () => transform({ pivot: "group", value: "kind", groupby: ["kind"] })) };
  const [problem] = findDrawProblems(spec, many(1000, row));
  expect([problem?.path, reads]).toEqual(["hconcat.0.transform.0", 1000]);
});

type SceneNode = { role?: string; items?: SceneNode[] };
const countTicks = ({ role, items = [] }: SceneNode): number =>
  role === "axis-label" ? items.length : items.reduce((sum, item) => sum + countTicks(item), 0);

it("C1 accept steps for which the library makes few bins and ticks", () => {
  const rows = many(100, (n) => ({ n, at: Date.UTC(2026, 0, 1, n) }));
  const scaleOf = (channel: Record<string, unknown>) => {
    const spec = { mark: "point", encoding: { x: channel } };
    expect(findDrawProblems(spec, rows)).toEqual([]);
    const theme = { series: ["#000"], grid: "#000", axis: "#000", text: "#000", surface: "#fff", font: "x" };
    const compiled = compile(toForeignSpec(spec, rows, theme, { width: 300, height: 100 })).spec;
    const errors: unknown[] = [];
    const log = { ...logger(LOG_ERROR), error: (...words: unknown[]) => errors.push(words) };
    const view = new View(parse(compiled), { renderer: "none", logger: log as unknown as LoggerInterface }).run();
    const { bins } = view.scale("x") as unknown as { bins?: number[] };
    const ticks = countTicks((view.scenegraph() as unknown as { root: SceneNode }).root);
    view.finalize();
    expect(errors).toEqual([]);
    return { bins: bins?.length, ticks };
  };
  expect(scaleOf({ field: "n", type: "quantitative", scale: { bins: { step: 1 }, nice: false } }).bins).toBe(100);
  const hours = { field: "at", type: "temporal" };
  expect(scaleOf({ ...hours, axis: { tickCount: { interval: "hour", step: 6 } } }).ticks).toBe(17);
  expect(scaleOf({ ...hours, axis: { tickCount: "hour" } }).ticks).toBe(100);
  expect(scaleOf({ ...hours, axis: { tickCount: { interval: "minute", step: 30 } } }).ticks).toBe(199);
  expect(scaleOf({ ...hours, axis: { tickCount: "day" } }).ticks).toBe(5);
});
