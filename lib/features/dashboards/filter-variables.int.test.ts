import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/results/datasets/collections";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld();
const ROWS = "(values ('north', 1, date '2026-01-05'), ('south', 2, date '2026-02-05')) t(area, n, day)";
const CONTENT = `select area, n, {{label}} as label from ${ROWS} where true [[and area = {{area}}]] [[and day >= {{since}}]] [[and day <= {{until}}]]`;
let world: DashboardWorld;
let author: DashboardAuthor;
let widgets: object[];
beforeAll(async () => {
  world = await open();
  ({ author } = world);
  const { connectionId, owner } = world;
  const body = {
    ...{ name: randomUUID(), content: CONTENT, connectionId, access: "workspace" },
    variables: { label: "usual" },
  };
  const made = await call("POST", `/api/workspaces/${owner.workspaceId}/consoles`, { ...owner, body });
  const spec = { dimensions: ["area", "label"], measures: [{ field: "n", op: "sum", as: "n" }] };
  widgets = [
    { id: "console", kind: "table", source: { consoleId: made.json.data.id }, spec },
    {
      ...{ id: "own", kind: "table", source: { connectionId, query: `select area, n from ${ROWS}` } },
      spec: { ...spec, dimensions: ["area"] },
    },
  ];
});

const filters = [
  { id: "where", kind: "select", field: "area", variables: { console: { value: "area" } } },
  { id: "when", kind: "dateRange", field: "day", variables: { console: { from: "since", to: "until" } } },
  { id: "what", kind: "search", field: "note", variables: { console: { value: "label" } } },
];
const dataOf = (id: string, values: object) =>
  author.send("GET", `/${id}/data?filters=${encodeURIComponent(JSON.stringify(values))}`);
async function rowsOf(id: string, values: object): Promise<Record<string, unknown[][]>> {
  const { json } = await dataOf(id, values);
  return Object.fromEntries(
    json.data.widgets.map(({ id: of, rows }: WidgetData) => [of, rows.map((row) => Object.values(row))]),
  );
}
const NORTH = ["north", "usual", 1];
const SOUTH = ["south", "usual", 2];

it("is exported as parameters with the values that a reader sees first", { tags: ["long"] }, async () => {
  const preset = { ...filters[0], default: "south" };
  const { id } = await author.make(randomUUID(), { widgets, filters: [preset, ...filters.slice(1)] });
  const dashboard = (await author.send("GET", `/${id}/export`)).json.data;
  const { source } = dashboard.widgets[0];
  expect([source.query.includes("{{"), Object.values(source.params)]).toEqual([false, ["usual", "south"]]);
  const imported = await author.send("POST", "/import", { dashboard });
  expect(await rowsOf(imported.json.data.id, {})).toEqual(await rowsOf(id, {}));
});

it("is not exported without a value", async () => {
  const body = { name: randomUUID(), content: "select {{nothing}} as n", connectionId: world.connectionId };
  const made = await call("POST", `/api/workspaces/${world.owner.workspaceId}/consoles`, { ...world.owner, body });
  const lost = { id: "w", kind: "table", title: "Sales", source: { consoleId: made.json.data.id } };
  const { id } = await author.make(randomUUID(), { widgets: [lost] });
  const refused = await author.send("GET", `/${id}/export`);
  expect([refused.status, refused.json.error]).toEqual([409, "Sales: Enter a value for nothing."]);
});

describe("a filter", () => {
  it("fills the variables of a console, and filters other widgets by its column", async () => {
    const { id } = await author.make(randomUUID(), { widgets, filters });
    expect(await rowsOf(id, {})).toEqual({ console: [NORTH, SOUTH], own: [["north", 1], ["south", 2]] }); // biome-ignore format: rows
    expect(await rowsOf(id, { where: "south" })).toEqual({ console: [SOUTH], own: [["south", 2]] });
    expect((await rowsOf(id, { when: { from: "2026-01-01", to: "2026-01-31" } })).console).toEqual([NORTH]);
    expect((await rowsOf(id, { when: { from: "2026-02-01" } })).console).toEqual([SOUTH]);
    expect((await rowsOf(id, { what: "it's; --", where: "north" })).console).toEqual([["north", "it's; --", 1]]);
    const read = (await author.send("GET", `/${id}`)).json.data;
    expect(read.filters.map(({ variables }: { variables: unknown }) => variables)).toEqual(
      filters.map(({ variables }) => variables),
    );
  });

  it("also filters a column that it names beside the variable", async () => {
    const both = [{ ...filters[2], field: "area", columns: { console: "area" } }];
    const { id } = await author.make(randomUUID(), { widgets: [widgets[0]], filters: both });
    expect((await rowsOf(id, { what: "north" })).console).toEqual([["north", "north", 1]]);
  });

  it("has a default that refreshes read, too", async () => {
    const usual = [{ ...filters[0], default: "south" }];
    const { id } = await author.make(randomUUID(), { widgets: [widgets[0]], filters: usual });
    expect((await rowsOf(id, {})).console).toEqual([SOUTH]);
    expect((await rowsOf(id, { where: null })).console).toEqual([NORTH, SOUTH]);
    expect((await rowsOf(id, {})).console).toEqual([SOUTH]);
    const preview = await author.send("POST", "/preview", { widgets: [widgets[0]], filters: usual });
    expect(preview.json.data.widgets[0].rows).toEqual([{ area: "south", label: "usual", n: 2 }]);
  });

  it("lists values of other widgets, or of the rows that it leaves when it is empty", async () => {
    const valuesOf = async (of: object[]) => {
      const { id } = await author.make(randomUUID(), { widgets: of, filters });
      const set = encodeURIComponent(JSON.stringify({ where: "south" }));
      const { json } = await author.send("GET", `/${id}/filters/where/values?filters=${set}`);
      return json.data.values.map(({ value }: { value: unknown }) => value);
    };
    expect(await valuesOf(widgets)).toEqual(["north", "south"]);
    expect(await valuesOf(widgets.slice(0, 1))).toEqual(["north", "south"]);
  });

  it("keeps a bounded number of results per dashboard, until the dashboard is deleted", {
    tags: ["long"],
  }, async () => {
    const { id } = await author.make(randomUUID(), { widgets: [widgets[0]], filters });
    for (let n = 0; n < 25; n += 1) await dataOf(id, { what: `v${n}` });
    const count = () => collections.datasets().countDocuments({ kind: "dashboard_view" });
    expect(await count()).toBeGreaterThan(0);
    const own = (await collections.datasets().find({ kind: "dashboard_view" }).toArray()).filter(
      ({ ownerId }) => ownerId.toHexString() === id,
    );
    expect(own.length).toBeLessThanOrEqual(21);
    await author.send("DELETE", `/${id}`);
    const left = await collections.datasets().find({ kind: "dashboard_view" }).toArray();
    expect(left.some(({ ownerId }) => ownerId.toHexString() === id)).toBe(false);
  });

  it("reports a variable that the console does not have", async () => {
    const gone = [{ ...filters[0], variables: { console: { value: "gone" } } }];
    const { id } = await author.make(randomUUID(), { widgets, filters: gone });
    const { json } = await dataOf(id, { where: "south" });
    expect(json.data.widgets[0].error).toBe("The console has no variable {{gone}}. Change the filter or the console.");
  });
});

it("visitors of a link see the defaults, and cannot set the filter", async () => {
  const { id } = await author.make(randomUUID(), {
    access: "workspace",
    ...{ widgets, filters: [{ ...filters[0], default: "north" }, { ...filters[1], variables: undefined }] }, // biome-ignore format: one line each
  });
  const shared = await author.send("PUT", `/${id}/share`, { enabled: true });
  const root = `/api/share/${shared.json.data.token}`;
  const page = (await call("GET", `${root}/dashboard`)).json.data;
  expect(page.filters.map((filter: { id: string }) => filter.id)).toEqual(["when"]);
  const data = (await call("GET", `${root}/data`)).json.data.widgets;
  expect(data[0].rows).toEqual([{ area: "north", label: "usual", n: 1 }]);
  const set = encodeURIComponent(JSON.stringify({ where: "south" }));
  expect((await call("GET", `${root}/data?filters=${set}`)).status).toBe(400);
  expect((await call("GET", `${root}/filters/where/values`)).status).toBe(400);
});

it("refuses variables that a filter cannot fill", async () => {
  const refused = async (filter: object, more: object[] = []) => {
    const body = { title: randomUUID(), widgets: [...widgets, ...more], filters: [filter] };
    const { status, json } = await author.send("POST", "", body);
    return [status, json.details?.[0].path];
  };
  const [where, when] = filters;
  const path = "filters.0.variables.console";
  expect(await refused({ ...where, variables: { own: { value: "a" } } })).toEqual([400, "filters.0.variables.own"]);
  expect(await refused({ ...where, variables: { gone: { value: "a" } } })).toEqual([400, "filters.0.variables.gone"]);
  expect(await refused({ ...where, kind: "multiSelect" })).toEqual([400, path]);
  expect(await refused({ ...where, kind: "dateRange" })).toEqual([400, path]);
  expect(await refused({ ...when, kind: "select" })).toEqual([400, path]);
  expect(await refused({ ...where, variables: { console: {} } })).toEqual([400, path]);
  expect(await refused({ ...where, exclude: ["console"] })).toEqual([400, path]);
  expect(await refused({ ...where, variables: { console: { value: "a b" } } })).toEqual([400, `${path}.value`]);
  expect(await refused({ ...where, variables: { console: { val: "a" } } })).toEqual([400, path]);
});
