import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { Person } from "@/test/seed";
import { readText } from "./content";
import { toPicturePage } from "./picture/page";
import type { Widget, WidgetData } from "./schema";
import { changesBetween } from "./words";

const open = takeDashboardWorld();
let owner: Person;
let author: DashboardAuthor;
let connectionId: string;

const QUERY = "select * from (values ('north', 1), ('north', 2), ('south', 4)) sales(region, amount)";
const source = { datasetId: "sales" };
const grouped = { dimensions: ["region"], measures: [{ field: "amount", op: "sum", as: "total" }] };
const AGGREGATED = [
  { id: "sum", kind: "kpi", source, spec: { measures: [{ field: "amount", op: "sum" }] } },
  { id: "avg", kind: "kpi", source, spec: { measures: [{ field: "amount", op: "avg" }] } },
  { id: "median", kind: "kpi", source, spec: { measures: [{ field: "amount", op: "median" }] } },
  { id: "max", kind: "kpi", source, spec: { measures: [{ field: "amount", op: "max" }] } },
  { id: "count", kind: "kpi", source, spec: { measures: [{ op: "count" }] } },
  { id: "distinct", kind: "kpi", source, spec: { measures: [{ field: "region", op: "countDistinct" }] } },
  { id: "groups", kind: "table", source, spec: grouped },
  { id: "values", kind: "table", source, spec: { dimensions: ["region"] } },
  { id: "bars", kind: "chart", source, spec: { ...grouped, mark: "bar" } },
  {
    id: "vega",
    kind: "chart",
    source,
    spec: { mark: "bar", encoding: { y: { field: "amount", aggregate: "sum", type: "quantitative" } } },
  },
];
const ROWS = { id: "rows", kind: "table", source, spec: {} };
const FILTERS = [{ id: "region", kind: "multiSelect", field: "region" }];
const REFUSED =
  "This dataset contains only the first 3 rows, so its totals would be wrong. Aggregate or filter in the query, or turn on “Show totals of truncated rows” for the dataset.";

beforeAll(async () => {
  ({ owner, author, connectionId } = await open());
});

const at = (id: string, rest: string) => `/api/workspaces/${owner.workspaceId}/dashboards/${id}${rest}`;
const send = (method: string, path: string, body?: unknown) =>
  call(method, path, { cookie: owner.cookie, ...(body !== undefined && { body }) });

/** Creates a dashboard whose rows are read and marked as truncated. */
async function makeCut(more: Record<string, unknown> = {}, dataset: Record<string, unknown> = {}): Promise<string> {
  const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query: QUERY }, ...dataset }];
  const parts = { access: "workspace", datasets, widgets: [...AGGREGATED, ROWS], filters: FILTERS, ...more };
  const { id } = await author.make(randomUUID(), parts);
  // A request for one widget is not cached as an initial view.
  await Promise.all(
    (parts.widgets as { id: string }[]).map(({ id: widget }) => send("GET", at(id, `/data?widget=${widget}`))),
  );
  await collections.datasets().updateMany({ ownerId: new ObjectId(id) }, { $set: { "kept.truncated": true } });
  return id;
}

async function dataOf(path: string): Promise<Map<string, WidgetData>> {
  const answer = await send("GET", path);
  expect(answer.status, answer.text).toBe(200);
  return new Map((answer.json.data.widgets as WidgetData[]).map((each) => [each.id, each]));
}

describe("C50 a truncated dataset", () => {
  let shared: Promise<Map<string, WidgetData>> | undefined;
  it.each(AGGREGATED)("fails the widget $id with instructions", async ({ id: widget }) => {
    shared ??= makeCut().then((id) => dataOf(at(id, "/data")));
    const found = (await shared).get(widget);
    expect(found).toMatchObject({ truncated: true, firstRows: 3, rows: [], fields: [], error: REFUSED });
  });

  it("shows plain rows with the notice, and underlying rows", async () => {
    const id = await makeCut();
    const found = (await dataOf(at(id, "/data"))).get("rows");
    expect(found).toMatchObject({ truncated: true, firstRows: 3, rows: [{}, {}, {}] });
    expect(found).not.toHaveProperty("error");
    const behind = await dataOf(at(id, "/data?widget=sum&rows=true"));
    expect(behind.get("sum")).toMatchObject({ truncated: true, firstRows: 3, rows: [{}, {}, {}] });
  });

  it("shows totals with the notice if its author accepts them", async () => {
    const found = await dataOf(at(await makeCut({}, { acceptTruncated: true }), "/data"));
    expect(found.get("sum")).toMatchObject({ truncated: true, firstRows: 3, rows: [{ sum_amount: 7 }] });
    for (const { id } of AGGREGATED) {
      expect(found.get(id)).toMatchObject({ truncated: true, firstRows: 3 });
      expect(found.get(id)).not.toHaveProperty("error");
    }
  });

  it("of a widget's own source is accepted in the widget", async () => {
    const own = { kind: "kpi", source: { connectionId, query: QUERY }, spec: { measures: [{ op: "count" }] } };
    const widgets = [
      { ...own, id: "refused" },
      { ...own, id: "accepted", acceptTruncated: true },
    ];
    const found = await dataOf(at(await makeCut({ widgets }), "/data"));
    expect(found.get("refused")).toMatchObject({ rows: [], error: REFUSED });
    expect(found.get("accepted")).toMatchObject({ rows: [{ count: 3 }], firstRows: 3 });
  });

  it("adds the notice to the list of a filter, and has no cube", async () => {
    const id = await makeCut();
    const values = await send("GET", at(id, "/filters/region/values"));
    expect(values.json.data).toMatchObject({ firstRows: 3, values: [{ value: "north" }, { value: "south" }] });
    const cube = await send("GET", at(id, "/widgets/bars/cube"));
    expect(cube.json.data.widgets.find((each: { id: string }) => each.id === "sum")).toEqual({
      id: "sum",
      none: "failed",
    });
    const accepted = await makeCut({}, { acceptTruncated: true });
    const allowed = await send("GET", at(accepted, "/widgets/bars/cube"));
    expect(allowed.json.data.widgets.find((each: { id: string }) => each.id === "sum")).toMatchObject({ firstRows: 3 });
  });

  it("has the same notice in a shared link", async () => {
    const id = await makeCut();
    const { token } = (await send("PUT", at(id, "/share"), { enabled: true })).json.data;
    const answer = await call("GET", `/api/share/${token}/data`, {});
    const found = answer.json.data.widgets as WidgetData[];
    expect(found.find((each) => each.id === "sum")).toMatchObject({ truncated: true, firstRows: 3, error: REFUSED });
    expect(found.find((each) => each.id === "rows")).toMatchObject({ truncated: true, firstRows: 3 });
  });

  it("has the notice in a snapshot's image and text", async () => {
    const id = await makeCut();
    const { widgets } = (await send("GET", at(id, ""))).json.data as { widgets: Widget[] };
    const data = [...(await dataOf(at(id, "/data"))).values()];
    const drawn = toPicturePage({ title: "Sales", lines: [], widgets, data, zone: "UTC", period: {}, theme: "light" });
    for (const { lines } of drawn.words) expect(lines).toContain("First 3 rows only");
    expect(JSON.stringify(drawn.page).split("First 3 rows only")).toHaveLength(widgets.length + 1);
  });

  it("has the notice in the stream of lines", async () => {
    const answer = await call("GET", at(await makeCut(), "/data"), {
      cookie: owner.cookie,
      headers: { accept: "application/x-ndjson" },
    });
    const lines = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, -1).every(({ truncated, firstRows }) => truncated && firstRows === 3)).toBe(true);
  });

  it("has no notice if it is complete", async () => {
    const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query: QUERY } }];
    const { id } = await author.make(randomUUID(), { datasets, widgets: [...AGGREGATED, ROWS] });
    for (const widget of (await dataOf(at(id, "/data"))).values()) {
      expect(widget.truncated).toBe(false);
      expect(widget).not.toHaveProperty("firstRows");
    }
  });
});

describe("C50 acceptTruncated", () => {
  it("survives save, export, import, copy and git", async () => {
    const id = await makeCut({}, { acceptTruncated: true });
    const isAccepted = (json: { datasets: { acceptTruncated?: boolean }[] }) => json.datasets[0]?.acceptTruncated;
    expect(isAccepted((await send("GET", at(id, ""))).json.data)).toBe(true);
    const exported = (await send("GET", at(id, "/export"))).json.data;
    expect(isAccepted(exported)).toBe(true);
    const path = `/api/workspaces/${owner.workspaceId}/dashboards/import`;
    const imported = await send("POST", path, { dashboard: exported });
    expect([imported.status, isAccepted(imported.json.data)]).toEqual([201, true]);
    const copy = await send("POST", at(id, "/duplicate"));
    expect(isAccepted(copy.json.data)).toBe(true);
    const doc = await collections.dashboards().findOne({ _id: new ObjectId(id) });
    expect(JSON.parse(doc?.content ?? "").datasets[0].acceptTruncated).toBe(true);
  });

  it("is in the history, and omitted from files without it", async () => {
    const id = await makeCut();
    const doc = await collections.dashboards().findOne({ _id: new ObjectId(id) });
    expect(doc?.content).not.toContain("acceptTruncated");
    const before = readText(doc?.content ?? "");
    const after = { ...before, datasets: before.datasets.map((each) => ({ ...each, acceptTruncated: true })) };
    expect(changesBetween(before, after)).toEqual(["Allowed totals of truncated rows in dataset “Sales”"]);
    expect(changesBetween(after, before)).toEqual(["Disallowed totals of truncated rows in dataset “Sales”"]);
  });

  it("is a boolean", async () => {
    const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query: QUERY }, acceptTruncated: "yes" }];
    const answer = await send("POST", `/api/workspaces/${owner.workspaceId}/dashboards`, { title: "T", datasets });
    expect(answer.status).toBe(400);
  });
});

it("C50 truncates a query of one row more than the limit, and rejects its count", { tags: ["long"] }, async () => {
  const datasets = [
    { id: "sales", name: "Sales", source: { connectionId, query: "select * from range(1000001) t(n)" } },
  ];
  const widgets = [{ id: "count", kind: "kpi", source, spec: { measures: [{ op: "count" }] } }];
  const { id } = await author.make(randomUUID(), { datasets, widgets });
  expect((await dataOf(at(id, "/data"))).get("count")).toMatchObject({
    truncated: true,
    firstRows: 1_000_000,
    error: expect.stringContaining("only the first 1,000,000 rows"),
  });
});
