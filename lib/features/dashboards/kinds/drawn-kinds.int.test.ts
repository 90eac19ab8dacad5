import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { WidgetData } from "../schema";

const open = takeDashboardWorld();
let author: DashboardAuthor;
let source: { connectionId: string; query: string };
beforeAll(async () => {
  const world = await open();
  ({ author } = world);
  await world.run(`create table drawn as select * from (values
    ('north', 'web', 10.50::decimal(10,2)), ('north', 'app', 4.50), ('north', 'app', 6.00),
    ('south', 'web', 1.25), ('south', 'web', null)) t(region, channel, amount)`);
  source = { connectionId: world.connectionId, query: "select * from drawn" };
});

/** More columns than any of the kinds draws, and a sort by one of them. */
const SPEC = {
  dimensions: ["region", "channel", "amount"],
  measures: [{ field: "amount", op: "sum", as: "total" }, { op: "count" }],
  sort: [{ by: "channel" }, { by: "region", order: "desc" }],
};

it("answers each kind's own columns, whatever else its specification has", async () => {
  const kinds = ["gauge", "funnel", "heatmap", "combo", "box", "map", "sankey"];
  const datasets = [{ id: "d", name: "Sales", source }];
  const widgets = kinds.map((kind) => ({ id: kind, kind, source: { datasetId: "d" }, spec: SPEC }));
  const points = { id: "points", kind: "map", source: { datasetId: "d" }, spec: { ...SPEC, mark: "points" } };
  const { id } = await author.make(randomUUID(), { datasets, widgets: [...widgets, points] });
  const answer = await author.send("GET", `/${id}/data`);
  const data: WidgetData[] = answer.json.data.widgets;
  const rowsOf = (kind: string) => data.find((each) => each.id === kind)?.rows.map((row) => Object.values(row));
  expect(rowsOf("gauge")).toEqual([["22.25"]]);
  expect(rowsOf("funnel")).toEqual([
    ["south", "1.25"],
    ["north", "21.00"],
  ]);
  expect(rowsOf("heatmap")).toEqual([
    ["north", "app", "10.50"],
    ["south", "web", "1.25"],
    ["north", "web", "10.50"],
  ]);
  expect(rowsOf("sankey")).toEqual(rowsOf("heatmap"));
  expect(rowsOf("combo")).toEqual([
    ["south", "1.25", 2],
    ["north", "21.00", 3],
  ]);
  expect(rowsOf("map")).toEqual(rowsOf("funnel"));
  expect(rowsOf("points")?.[0]).toEqual(["north", "app", "4.50", "4.50", 1]);
  const box = data.find((each) => each.id === "box");
  expect(box?.fields.map(({ name }) => name)).toEqual(["region", "min", "q1", "median", "q3", "max"]);
  expect(box?.rows.map(({ region, min, q3, max }) => [region, min, q3, max])).toEqual([
    ["north", "4.50", "10.50", "10.50"],
    ["south", "1.25", "1.25", "1.25"],
  ]);
});

it("exports and imports them unchanged", async () => {
  const spec = { measures: SPEC.measures.slice(0, 1), goal: 20, formats: { total: { prefix: "€", digits: 2 } } };
  const { id } = await author.make(randomUUID(), { widgets: [{ id: "g", kind: "gauge", source, spec }] });
  const exported = (await author.send("GET", `/${id}/export`)).json.data;
  const imported = await author.send("POST", "/import", { dashboard: { ...exported, title: randomUUID() } });
  expect(imported.status).toBe(201);
  expect(imported.json.data.widgets[0]).toMatchObject({ kind: "gauge", spec });
});
