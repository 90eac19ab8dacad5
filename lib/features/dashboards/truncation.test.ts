import { describe, expect, it } from "vitest";
import { aggregatesItself } from "./truncation";

const encoding = { y: { field: "amount", type: "quantitative" } };

describe("C50 charts of rows", () => {
  it.each([
    { mark: "boxplot", encoding },
    { mark: { type: "boxplot", extent: "min-max" }, encoding },
    { mark: "errorbar", encoding },
    { mark: "arc", encoding: { theta: { field: "amount" }, color: { field: "region" } } },
    { mark: "histogram", x: "amount" },
    { mark: { type: "errorbar" }, encoding },
    { mark: "errorband", encoding },
    { mark: { color: "red", type: "errorband" }, encoding },
    {
      layer: [
        { mark: "point", encoding },
        { mark: "errorband", encoding },
      ],
    },
    { facet: { field: "region" }, spec: { mark: { type: "boxplot" }, encoding } },
    { mark: "bar", encoding, transform: [{ pivot: "region", value: "amount", groupby: ["day"] }] },
    { hconcat: [{ mark: "bar", encoding, transform: [{ filter: "true" }, { pivot: "region", value: "amount" }] }] },
    { mark: "bar", encoding: { y: { ...encoding.y, aggregate: "sum" } } },
    { mark: "bar", encoding: { x: { ...encoding.y, bin: true } } },
    { mark: "bar", encoding: { x: { ...encoding.y, bin: { step: 10 } } } },
    { mark: "line", encoding, transform: [{ impute: "amount", key: "day", method: "mean" }] },
    { mark: "line", encoding, transform: [{ impute: "amount", key: "day", method: "median", frame: [-1, 1] }] },
    { mark: "line", encoding: { y: { ...encoding.y, impute: { method: "max" } } } },
    { mark: "line", encoding, transform: [{ extent: "amount", param: "of_amount" }] },
    { mark: "bar", encoding: { y: { ...encoding.y, stack: "normalize" } } },
    { mark: "area", encoding: { y: { ...encoding.y, stack: "center" } } },
    { mark: "bar", encoding: { y: { ...encoding.y, stack: true } } },
    { mark: "bar", encoding, transform: [{ stack: "amount", groupby: ["day"], as: ["from", "to"] }] },
    { mark: "line", encoding, transform: [{ window: [{ op: "sum", field: "amount", as: "total" }] }] },
    { mark: "line", encoding, transform: [{ joinaggregate: [{ op: "sum", field: "amount", as: "total" }] }] },
    { mark: "line", encoding, transform: [{ aggregate: [{ op: "count", as: "n" }], groupby: ["day"] }] },
    { mark: "line", encoding, transform: [{ regression: "amount", on: "day" }] },
    { mark: "line", encoding, transform: [{ loess: "amount", on: "day" }] },
    { mark: "line", encoding, transform: [{ quantile: "amount", step: 0.1 }] },
    { mark: "area", encoding, transform: [{ density: "amount" }] },
    { mark: "bar", encoding, transform: [{ bin: true, field: "amount", as: "b" }] },
    { mark: "point", encoding: { color: { ...encoding.y, scale: { type: "quantile" } } } },
    { mark: "bar", encoding: { x: { field: "day", sort: { op: "sum", field: "amount" } }, ...encoding } },
    { mark: "point", encoding: { tooltip: [{ field: "day" }, { ...encoding.y, aggregate: "mean" }] } },
    { hconcat: [{ vconcat: [{ layer: [{ mark: "rule", encoding: { y: { ...encoding.y, aggregate: "mean" } } }] }] }] },
    { repeat: ["amount"], spec: { mark: "bar", encoding: { x: { field: { repeat: "repeat" }, bin: true } } } },
  ])("aggregate them: %j", (spec) => {
    expect(aggregatesItself(spec)).toBe(true);
  });

  it.each([
    { mark: "point", encoding },
    { mark: { type: "line" }, encoding },
    { mark: "bar", encoding: { x: { field: "boxplot", type: "nominal" }, y: { field: "pivot" } } },
    { mark: "bar", title: '"mark":"boxplot"', encoding },
    { mark: "bar", title: '{"pivot":1}', encoding },
    { mark: "bar", encoding: { x: { field: "from", bin: "binned" }, x2: { field: "to" }, y: encoding.y } },
    { mark: "bar", encoding: { x: { field: "from", bin: { binned: true, step: 2 } }, x2: { field: "to" } } },
    { mark: "bar", encoding: { x: { field: "from", bin: false } } },
    { mark: "bar", encoding: { y: { ...encoding.y, stack: null } } },
    { mark: "bar", encoding: { y: { ...encoding.y, stack: false } } },
    { mark: "line", encoding, transform: [{ impute: "amount", key: "day", value: 0 }] },
    { mark: "line", encoding: { y: { ...encoding.y, impute: { value: null } } } },
    { mark: "point", encoding: { color: { ...encoding.y, scale: { type: "quantize" } } } },
    { mark: "bar", encoding: { x: { field: "day", sort: "-y" }, ...encoding } },
    { mark: "bar", encoding, data: { values: [{ bin: 1, aggregate: 2 }] }, usermeta: { window: 1 } },
    { mark: "rect", transform: [{ filter: "datum.amount > 1" }, { calculate: "datum.amount * 2", as: "twice" }] },
  ])("show them unchanged: %j", (spec) => {
    expect(aggregatesItself(spec)).toBe(false);
  });
});
