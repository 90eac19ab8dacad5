import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "@/lib/platform/env";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { shopModel } from "@/test/fixtures/metrics/shop-questions";
import { type Person, seedKey, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let ana: Person;
let connectionId: string;
const base = () => `/api/workspaces/${ana.workspaceId}`;
const send = (method: string, path: string, body?: unknown) =>
  call(method, `${base()}${path}`, { cookie: ana.cookie, body });
const ask = (body: Record<string, unknown>) => send("POST", "/metrics/query", body);
const run = (query: string) => send("POST", `/databases/${connectionId}/execute`, { query });

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  ana = await seedPerson("Ana");
  const body = { name: "Shop.eu", type: "sqlite", config: { file: "shop.sqlite" }, readOnly: false };
  connectionId = (await send("POST", "/connectors", body)).json.data.id;
  for (const statement of [
    "create table customers (id integer primary key, region text, credit integer)",
    "create table orders (id integer primary key, customer_id integer, status text, ordered_at text, price integer)",
    "create table items (id integer primary key, order_id integer, product text, quantity integer)",
    "create table returns (id integer primary key, customer_id integer, day text, amount integer)",
    "insert into customers values (1, 'north', 10), (2, 'it''s', 20)",
    "insert into orders values (1, 1, 'paid', '2026-03-28 23:30:00', 5), (2, 1, 'open', '2026-03-29 00:30:00', 7), (3, 2, 'paid', '2026-03-29 23:30:00', 9)",
    "insert into items values (1, 1, 'pen', 1), (2, 1, 'cup', 2), (3, 3, 'pen', 3)",
  ]) {
    expect((await run(statement)).status).toBe(200);
  }
  const saved = await send("PUT", "/metrics/shop", { content: shopModel("Shop.eu.main") });
  expect(saved.json).toMatchObject({ success: true });
});
afterAll(own.drop);

describe("metric queries", () => {
  it("answers as a query does, with its statement, and keeps it in the history", async () => {
    const answer = await ask({ metrics: ["revenue"], dimensions: [{ name: "region" }] });
    expect(answer.json.data).toMatchObject({
      rows: [
        { region: "it's", revenue: 9 },
        { region: "north", revenue: 12 },
      ],
      ...{ rowCount: 2, truncated: false, dialect: "sqlite", sql: expect.stringContaining("left join") },
    });
    expect(answer.headers.get("x-execution-id")).toBe(answer.json.data.executionId);
    expect((await run(answer.json.data.sql)).json.data.rows).toEqual(answer.json.data.rows);
  });

  it("returns the statement alone for a dry run", async () => {
    const { data } = (await ask({ metrics: ["revenue"], dryRun: true })).json;
    expect(Object.keys(data).sort()).toEqual(["dialect", "sql"]);
  });

  it("queries an unsaved text, whose problems have path and line", async () => {
    const content = shopModel("Shop.eu.main").replace("SUM(orders.price)", "MAX(orders.price)");
    expect((await ask({ content, metrics: ["revenue"] })).json.data.rows).toEqual([{ revenue: 9 }]);
    expect((await ask({ metrics: ["revenue"] })).json.data.rows).toEqual([{ revenue: 21 }]);
    const unknown = await ask({ content, metrics: ["shop.revenue"], dryRun: true });
    expect(unknown.json.details).toEqual([{ path: "metrics.0", message: "Unknown metric “shop.revenue”." }]);
    const broken = await ask({ content: content.replace("MAX(", "MAX(("), metrics: ["revenue"], dryRun: true });
    expect(broken.status).toBe(400);
    expect(broken.json.details[0]).toMatchObject({
      path: expect.stringContaining("metrics.0"),
      line: expect.any(Number),
    });
    const foreign = await ask({ content: shopModel("Other.main"), metrics: ["revenue"] });
    expect(foreign.json.details[0].message).toContain("Connection “Other” not found.");
  });

  it("groups days in the zone of the question, across a clock change", async () => {
    const days = { metrics: ["order_count"], dimensions: [{ name: "orders.ordered_at", grain: "day" }] };
    const counts = async (timezone: string) =>
      (await ask({ ...days, timezone })).json.data.rows.map((row: Record<string, unknown>) => Object.values(row));
    expect(await counts("UTC")).toEqual([
      ["2026-03-28", 1],
      ["2026-03-29", 2],
    ]);
    // Vienna is one hour ahead until 01:00 UTC on 29 March, and two hours from then on.
    expect(await counts("Europe/Vienna")).toEqual([
      ["2026-03-29", 2],
      ["2026-03-30", 1],
    ]);
    const period = { from: "2026-03-29", to: "2026-03-29", timezone: "Europe/Vienna" };
    expect((await ask({ metrics: ["order_count"], ...period })).json.data.rows).toEqual([{ order_count: 2 }]);
  });

  it("takes values as they are, whatever they contain", async () => {
    const filters = (value: string) => [{ field: "region", op: "eq", value }];
    expect((await ask({ metrics: ["revenue"], filters: filters("it's") })).json.data.rows).toEqual([{ revenue: 9 }]);
    const trick = await ask({ metrics: ["revenue"], filters: filters("' or 1=1; drop table orders --") });
    expect(trick.json.data.rows).toEqual([{ revenue: null }]);
    expect((await run("select count(*) as n from orders")).json.data.rows).toEqual([{ n: 3 }]);
  });

  it("sorts, limits and streams", async () => {
    const body = {
      metrics: ["revenue"],
      dimensions: [{ name: "status" }],
      orderBy: [{ by: "revenue", order: "desc" }],
      limit: 1,
    };
    expect((await ask(body)).json.data.rows).toEqual([{ status: "paid", revenue: 14 }]);
    const headers = { accept: "text/csv" };
    const csv = await call("POST", `${base()}/metrics/query`, { cookie: ana.cookie, body, headers });
    expect(csv.text).toBe("status,revenue\r\npaid,14\r\n");
  });

  it("runs read-only with a read-only key, also on a writable connection", async () => {
    const key = await seedKey(ana.workspaceId, ana, "read");
    const answer = await call("POST", `${base()}/metrics/query`, { key, body: { metrics: ["revenue"] } });
    expect(answer.json.data.rows).toEqual([{ revenue: 21 }]);
  });

  it("returns 400 with the choices for a field that two datasets have, and for a metric of two files", async () => {
    await send("PUT", "/metrics/other", { content: modelText({ metric: "revenue" }) });
    const metric = (await ask({ metrics: ["revenue"] })).json;
    expect(metric.details).toEqual([
      { path: "metrics.0", message: expect.any(String), choices: ["other.revenue", "shop.revenue"] },
    ]);
    expect((await ask({ metrics: ["shop.revenue"] })).json.data.rows).toEqual([{ "shop.revenue": 21 }]);
    await send("DELETE", "/metrics/other");
    const content = shopModel("Shop.eu.main").replace("name: credit, datatype", "name: status, datatype");
    await send("PUT", "/metrics/twice", { content: content.replaceAll("name: revenue", "name: twice") });
    const field = await ask({ metrics: ["twice.twice"], filters: [{ field: "status", op: "eq", value: "paid" }] });
    expect(field.status).toBe(400);
    expect(field.json.details).toEqual([
      { path: "filters.0.field", message: expect.any(String), choices: ["customers.status", "orders.status"] },
    ]);
    await send("DELETE", "/metrics/twice");
  });

  it.each([
    [{ metrics: [] }, "metrics"],
    [{ metrics: ["nothing"] }, "metrics.0"],
    [{ metrics: ["revenue"], dimensions: [{ name: "nothing" }] }, "dimensions.0.name"],
    [{ metrics: ["revenue"], dimensions: [{ name: "status", grain: "month" }] }, "dimensions.0.grain"],
    [{ metrics: ["revenue"], filters: [{ field: "status", op: "between", value: ["a"] }] }, "filters.0.value"],
    [{ metrics: ["revenue"], filters: [{ field: "status", op: "like", value: "a" }] }, "filters.0.op"],
    [{ metrics: ["revenue"], timezone: "Mars/Olympus" }, "timezone"],
    [{ metrics: ["revenue"], compare: "year" }, "compare"],
    [{ metrics: ["revenue"], from: "2026-02-02", to: "2026-02-01" }, "to"],
    [{ metrics: ["revenue"], orderBy: [{ by: "nothing" }] }, "orderBy.0.by"],
    [{ metrics: ["revenue", "revenue"] }, "dimensions"],
  ])("returns 400 for %j, at %s", async (body, path) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(answer.json.details[0].path).toBe(path);
  });

  it("names path and line of a field and of a metric whose column was deleted", async () => {
    const content = modelText({ metric: "gone", connection: "Shop.eu" }).replace(
      "expression: status",
      "expression: state",
    );
    await send("PUT", "/metrics/gone", { content });
    const answer = await ask({ metrics: ["gone"], dimensions: [{ name: "orders.status" }] });
    expect(answer.json).toMatchObject({
      code: "query_failed",
      error: "The column “state” of main.orders does not exist. orders.status uses it (metrics/gone.yml, line 10).",
      details: [{ path: "semantic_model.0.datasets.0.fields.0", line: 10 }],
    });
    await send("PUT", "/metrics/lost", {
      content: modelText({ metric: "lost", connection: "Shop.eu", expression: "SUM(orders.total)" }),
    });
    expect((await ask({ metrics: ["lost"] })).json.details).toMatchObject([
      { path: "semantic_model.0.metrics.0", line: 16 },
    ]);
  });

  it("knows no metric of another workspace", async () => {
    const other = await seedPerson("Other");
    const path = `/api/workspaces/${other.workspaceId}/metrics/query`;
    expect((await call("POST", path, { cookie: other.cookie, body: { metrics: ["revenue"] } })).status).toBe(400);
  });
});
