import { describe, expect, it } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import { parseMetricFile } from "@/lib/features/metrics/file";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { shopModel } from "@/test/fixtures/metrics/shop-questions";
import { offerMetricWords } from "./offers";
import { readOutline } from "./outline";
import { starterText } from "./starter";
import { boundsOf, changeOf, formatChange, formatMetric } from "./words";

const orders: Entity = {
  name: "orders",
  schema: "main",
  kind: "table",
  columns: [
    { name: "id", type: "INTEGER", nullable: false, primaryKey: true },
    { name: "Order Total", type: "DECIMAL(10,2)", nullable: true, primaryKey: false },
    { name: "placed_at", type: "TIMESTAMP WITH TIME ZONE", nullable: true, primaryKey: false },
    { name: "status", type: "VARCHAR", nullable: true, primaryKey: false },
  ],
};
const SHOP = [{ name: "Sample shop", entities: [orders] }];
const labels = (before: string, after = "") => offerMetricWords(before, before + after, SHOP).map(({ label }) => label);

describe("the outline of a metric file", () => {
  it("has the same names as the parsed file, in block and flow style", () => {
    for (const text of [modelText(), shopModel("Sample shop.main")]) {
      const file = parseMetricFile(text);
      if ("problems" in file) throw new Error(file.problems[0]?.message);
      const [model] = file.models;
      expect(readOutline(text).metrics).toEqual(model?.metrics.map(({ name }) => name));
      expect(readOutline(text).datasets.map(({ name, fields }) => [name, fields])).toEqual(
        model?.datasets.map(({ name, fields }) => [name, fields.map((field) => field.name)]),
      );
    }
  });

  it("reads a text that is no YAML yet", () => {
    const text =
      "semantic_model:\n- datasets:\n  - name: 'a'\n    source: s.main.a # note\n    fields:\n    - name: x\n  - name: [";
    expect(readOutline(text).datasets[0]).toEqual({ name: "a", source: "s.main.a", fields: ["x"] });
  });
});

describe("completion of a metric file", () => {
  const start = modelText().slice(0, modelText().indexOf("        source:"));
  it("offers connections, then their tables", () => {
    expect(labels(`${start}        source: `)).toEqual(["Sample shop."]);
    expect(labels(`${start}        source: Sample shop.m`)).toEqual(["Sample shop.main.orders"]);
  });

  it("offers the columns of the dataset's table, and fields behind its name", () => {
    const text = modelText();
    expect(labels(text.slice(0, text.indexOf("primary_key: [") + 14), "\n")).toContain("placed_at");
    const field = text.slice(0, text.indexOf("expression: status") + 12);
    expect(labels(field)).toEqual(["id", "Order Total", "placed_at", "status"]);
    const metric = `${text.slice(0, text.lastIndexOf('"COUNT'))}SUM(`;
    expect(labels(metric)).toEqual(expect.arrayContaining(["orders", "SUM"]));
    expect(labels(`${metric}orders.`)).toEqual(["status", "id", "Order Total", "placed_at"]);
  });

  it("offers the keys of a place, and the values of a key", () => {
    expect(labels("ver")).toContain("version: ");
    expect(labels("semantic_model:\n  - name: a\n    metrics:\n      - name: b\n        ")).toContain("expression: ");
    expect(labels(`${start}        fields:\n          - datatype: `)).toContain("DateTimeTz");
    expect(labels("semantic_model:\n  - name: ")).toEqual([]);
  });
});

describe("a new metric file", () => {
  it("is valid for any table, with its time, count and sum", () => {
    const file = parseMetricFile(starterText("shop", "Sample shop", orders));
    if ("problems" in file) throw new Error(JSON.stringify(file.problems));
    const [model] = file.models;
    expect(model?.metrics.map(({ name, time }) => [name, time?.field.name])).toEqual([
      ["orders_count", "placed_at"],
      ["total_Order_Total", "placed_at"],
    ]);
    const odd: Entity = { name: '1 "odd"', schema: "a.b", kind: "table", columns: [{ name: "true", type: "?", nullable: true, primaryKey: true }] }; // biome-ignore format: one look
    expect(parseMetricFile(starterText("on", "Shop.eu", odd))).toHaveProperty("models");
    expect(parseMetricFile(starterText("x", "Shop", { name: "t", kind: "view" }))).toHaveProperty("models");
  });
});

describe("words of metrics", () => {
  it("format values and changes", () => {
    expect([1_214_000, "1284.50", 0, null, "text"].map(formatMetric)).toEqual(["1.21M", "1,284.5", "0", "no value", "text"]); // biome-ignore format: one look
    expect([changeOf(12, 10), changeOf("5", "10"), changeOf(1, 0), changeOf(null, 1)]).toEqual([20, -50, null, null]);
    expect([20, -0.64, 0].map(formatChange)).toEqual(["+20.0%", "−0.6%", "0.0%"]);
  });

  it("have whole months and days as periods", () => {
    const today = new Date(2026, 10, 28);
    expect(boundsOf("28d", today)).toEqual({ from: "2026-11-01", to: "2026-11-28" });
    expect(boundsOf("12m", today)).toEqual({ from: "2025-12-01", to: "2026-11-30" });
    expect(boundsOf("all", today)).toBeNull();
  });
});
