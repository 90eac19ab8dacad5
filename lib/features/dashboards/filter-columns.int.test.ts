import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld();
let author: DashboardAuthor;
let widgets: object[];
let connectionId: string;
beforeAll(async () => {
  const world = await open();
  ({ author, connectionId } = world);
  const query = "select * from (values ('north', 1), ('south', 2)) t(area, n)";
  const body = { name: randomUUID(), content: query, connectionId, access: "workspace" };
  const made = await call("POST", `/api/workspaces/${world.owner.workspaceId}/consoles`, { ...world.owner, body });
  const spec = { dimensions: ["area"], measures: [{ field: "n", op: "sum", as: "n" }] };
  const regions = { connectionId, query: "select * from (values ('north', 10), ('south', 20)) t(region, n)" };
  widgets = [
    { id: "console", kind: "table", source: { consoleId: made.json.data.id }, spec },
    { id: "own", kind: "table", source: regions, spec: { ...spec, dimensions: ["region"] } },
  ];
});

const filter = { id: "where", kind: "select", field: "region", columns: { console: "area" } };
async function rowsOf(id: string, value: unknown): Promise<unknown[][]> {
  const answer = await author.send(
    "GET",
    `/${id}/data?filters=${encodeURIComponent(JSON.stringify({ where: value }))}`,
  );
  return answer.json.data.widgets.map(({ rows }: WidgetData) => rows.map((row) => Object.values(row)));
}

it("narrows a console's widget by another column, without a dataset", async () => {
  const { id } = await author.make(randomUUID(), { widgets, filters: [filter] });
  expect(await rowsOf(id, "south")).toEqual([[["south", 2]], [["south", 20]]]);
  const read = (await author.send("GET", `/${id}`)).json.data;
  expect(read.filters[0].columns).toEqual({ console: "area" });
  const only = await author.make(randomUUID(), { widgets, filters: [{ ...filter, datasets: [] }] });
  expect(await rowsOf(only.id, "south")).toEqual([
    [["south", 2]],
    [
      ["north", 10],
      ["south", 20],
    ],
  ]);
  const values = await author.send("GET", `/${only.id}/filters/where/values`);
  expect(values.json.data.values.map(({ value }: { value: unknown }) => value)).toEqual(["north", "south"]);
});

it("is exported and imported, and previewed", async () => {
  const [, own] = widgets;
  const mapped = { ...filter, field: "place", columns: { own: "region" }, default: "north" };
  const { id } = await author.make(randomUUID(), { widgets: [own], filters: [mapped] });
  const exported = (await author.send("GET", `/${id}/export`)).json.data;
  const imported = await author.send("POST", "/import", { dashboard: { ...exported, title: randomUUID() } });
  expect([imported.status, imported.json.data.filters[0].columns]).toEqual([201, { own: "region" }]);
  const preview = await author.send("POST", "/preview", { widgets: [own], filters: [mapped] });
  expect(preview.json.data.widgets[0].rows).toEqual([{ region: "north", n: 10 }]);
});

it("refuses a column of nothing, and an unnamed one", async () => {
  const refused = async (columns: unknown) => {
    const body = { title: randomUUID(), widgets, filters: [{ ...filter, columns }] };
    const { status, json } = await author.send("POST", "", body);
    return [status, json.details?.[0].path];
  };
  expect(await refused({ gone: "area" })).toEqual([400, "filters.0.columns.gone"]);
  expect(await refused({ console: "" })).toEqual([400, "filters.0.columns.console"]);
  expect(await refused(["area"])).toEqual([400, expect.stringMatching(/^filters\.0\.columns/)]);
});
