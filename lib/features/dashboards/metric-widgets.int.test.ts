import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(own.drop);

let ana: Person;
let ben: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  await sampleIdOf(ana.workspaceId, ana);
  await saveMetric("orders", modelText({ metric: "order_count" }));
});

const send = (method: string, path: string, body?: unknown, person = ana) =>
  call(method, `/api/workspaces/${ana.workspaceId}${path}`, { cookie: person.cookie, body });
const saveMetric = (name: string, content: string, version = 0) =>
  send("PUT", `/metrics/${name}`, { content, version });
const usesOf = async (name: string, person = ana) =>
  (await send("GET", `/metrics/${name}`, undefined, person)).json.data.usedBy;
const source = { metrics: ["order_count"], dimensions: [{ name: "orders.status" }] };
const widget = { id: "w", kind: "table", title: "Orders", source };
const create = (body: object) => send("POST", "/dashboards", body);

describe("a widget of metrics", () => {
  it("shows what the planner answers", async () => {
    const { id } = (await create({ title: "By status", widgets: [widget] })).json.data;
    const [shown] = (await send("GET", `/dashboards/${id}/data?widget=w`)).json.data.widgets;
    const answer = (await send("POST", "/metrics/query", source)).json.data;
    expect(shown.error).toBeUndefined();
    expect(shown.fields.map(({ name }: { name: string }) => name)).toEqual(["orders.status", "order_count"]);
    const byStatus = (rows: Record<string, unknown>[]) =>
      Object.fromEntries(rows.map((row) => [row["orders.status"], Number(row.order_count)]));
    expect(byStatus(shown.rows)).toEqual(byStatus(answer.rows));
    const total = (await send("POST", "/metrics/query", { metrics: ["order_count"] })).json.data.rows[0].order_count;
    expect(Object.values<number>(byStatus(shown.rows)).reduce((sum, n) => sum + n, 0)).toBe(Number(total));
  });

  it("works as a dataset, with the dashboard's filters", async () => {
    const made = await create({
      title: "Dataset",
      datasets: [{ id: "d", name: "Orders", source }],
      widgets: [{ id: "w", kind: "table", source: { datasetId: "d" } }],
      filters: [{ id: "f", kind: "select", field: "orders.status" }],
    });
    const { id } = made.json.data;
    const all = (await send("GET", `/dashboards/${id}/data`)).json.data.widgets[0].rows;
    const [first] = all;
    const filters = encodeURIComponent(JSON.stringify({ f: first["orders.status"] }));
    const [shown] = (await send("GET", `/dashboards/${id}/data?filters=${filters}`)).json.data.widgets;
    expect([all.length > 1, shown.rows]).toEqual([true, [first]]);
  });

  it.each([
    ["an unknown metric", { metrics: ["nothing"] }],
    ["an unknown dimension", { metrics: ["order_count"], dimensions: [{ name: "orders.nothing" }] }],
  ])("is refused with %s, with its place", async (_, wrong) => {
    const answer = await create({ title: "Wrong", widgets: [{ ...widget, source: wrong }] });
    expect([answer.status, answer.json.details[0].path]).toEqual([400, "widgets.0.source.metrics"]);
  });

  it("refuses to add up a metric that is no sum", async () => {
    await saveMetric("ratios", modelText({ metric: "mean_id", expression: "SUM(orders.id) / COUNT(orders.id)" }));
    const dimensions = [{ name: "orders.status" }];
    const measures = [{ field: "mean_id", op: "sum" }];
    const spec = { mark: "bar", dimensions: ["orders.status"], measures };
    const own = { metrics: ["mean_id"], dimensions };
    const chart = (id: string, changed: object) => ({ id, kind: "chart", source: own, spec, ...changed });
    const { id } = (
      await create({
        title: "Ratios",
        datasets: [{ id: "d", name: "Ratios", source: own }],
        widgets: [
          chart("all", {}),
          chart("whole", { source: { metrics: ["mean_id"] }, spec: { ...spec, dimensions: [] } }),
          chart("mean", { spec: { ...spec, dimensions: [], measures: [{ field: "mean_id", op: "avg" }] } }),
          chart("fewer", { spec: { ...spec, dimensions: [] } }),
          chart("dataset", { source: { datasetId: "d" }, spec: { ...spec, dimensions: [] } }),
          chart("pivot", { kind: "pivot", spec: { rows: ["orders.status"], measures } }),
          chart("count", {
            source: { metrics: ["order_count"], dimensions },
            spec: { ...spec, dimensions: [], measures: [{ field: "order_count", op: "sum" }] },
          }),
        ],
      })
    ).json.data;
    const { widgets } = (await send("GET", `/dashboards/${id}/data`)).json.data;
    const wrong = expect.stringContaining("“mean_id” can't be added up over groups.");
    expect(Object.fromEntries(widgets.map((each: { id: string; error?: string }) => [each.id, each.error]))).toEqual({
      ...{ all: undefined, whole: undefined, mean: undefined, count: undefined },
      ...{ fewer: wrong, dataset: wrong, pivot: wrong },
    });
  });

  it("is exported as the SQL of its question", async () => {
    const { id } = (await create({ title: "Exported", widgets: [widget] })).json.data;
    const { widgets } = (await send("GET", `/dashboards/${id}/export`)).json.data;
    expect(widgets[0].source).toEqual({ connection: "Sample shop", query: expect.stringMatching(/select/i) });
  });

  it("says that its metric is gone after the metric is deleted", async () => {
    await saveMetric("short", modelText({ metric: "short_lived" }));
    const shown = { ...widget, source: { metrics: ["short_lived"] } };
    const { id } = (await create({ title: "Gone", widgets: [shown] })).json.data;
    expect((await send("DELETE", "/metrics/short")).status).toBe(200);
    const [failed] = (await send("GET", `/dashboards/${id}/data`)).json.data.widgets;
    expect(failed.error).toContain("Unknown metric “short_lived”.");
  });
});

describe("the uses of a metric", () => {
  it("are the dashboards and widgets that the reader can see", async () => {
    await saveMetric("sales", modelText({ metric: "sales_count" }));
    expect(await usesOf("sales")).toEqual([]);
    const shown = { ...widget, source: { metrics: ["sales.sales_count"] } };
    const dataset = { id: "d", name: "Sales", source: shown.source };
    const byDataset = { ...widget, source: { datasetId: "d" } };
    const body = { title: "Private", datasets: [dataset], widgets: [byDataset] };
    const hidden = (await create(body)).json.data.id;
    const open = (await create({ title: "Open", access: "workspace", widgets: [shown] })).json.data.id;
    const uses = (id: string, title: string) => [
      { kind: "dashboard", id, name: title },
      { kind: "widget", id: `${id}/w`, name: `Orders in ${title}` },
    ];
    expect(await usesOf("sales")).toEqual([...uses(hidden, "Private"), ...uses(open, "Open")]);
    expect(await usesOf("sales", ben)).toEqual(uses(open, "Open"));
    const { items } = (await send("GET", "/metrics", undefined, ben)).json.data;
    expect(items.find(({ name }: { name: string }) => name === "sales").usedBy).toEqual(uses(open, "Open"));
    expect((await send("DELETE", `/dashboards/${open}`)).status).toBe(200);
    expect(await usesOf("sales", ben)).toEqual([]);
  });
});
