import { describe, expect, it } from "vitest";
import { aggregatesItself } from "./truncation";

const encoding = { y: { field: "amount", type: "quantitative" } };

describe("C50 pictures of rows", () => {
  it.each([
    { mark: "boxplot", encoding },
    { mark: { type: "boxplot", extent: "min-max" }, encoding },
    { mark: "errorbar", encoding },
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
  ])("aggregate the rows themselves: %j", (spec) => {
    expect(aggregatesItself(spec)).toBe(true);
  });

  it.each([
    { mark: "point", encoding },
    { mark: { type: "line" }, encoding },
    { mark: "bar", encoding: { x: { field: "boxplot", type: "nominal" }, y: { field: "pivot" } } },
    { mark: "bar", title: '"mark":"boxplot"', encoding },
    { mark: "bar", title: '{"pivot":1}', encoding },
    { mark: "rect", transform: [{ filter: "datum.amount > 1" }, { calculate: "datum.amount * 2", as: "twice" }] },
  ])("show the rows as they are: %j", (spec) => {
    expect(aggregatesItself(spec)).toBe(false);
  });
});
