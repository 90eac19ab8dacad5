import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { modelText } from "@/test/fixtures/metrics/metric-files";
import { type Person, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(own.drop);

let ana: Person;
let sampleId: string;
let consoleId: string;
const send = (method: string, path: string, body?: unknown) =>
  call(method, `/api/workspaces/${ana.workspaceId}${path}`, { cookie: ana.cookie, body });
beforeAll(async () => {
  ana = await seedPerson("Ana");
  sampleId = await sampleIdOf(ana.workspaceId, ana);
  await send("PUT", "/metrics/shop", { content: modelText({ metric: "order_count" }) });
  const made = { name: "metrics", content: "select 1", connectionId: sampleId };
  consoleId = (await send("POST", "/consoles", made)).json.data.id;
});
const run = (content: string, more: object = {}) =>
  send("POST", `/consoles/${consoleId}/execute`, { content, ...more });
const rowsOf = async (content: string, more?: object) => (await run(content, more)).json.data?.rows;

describe("metric(name) in a console", () => {
  it.each([
    ["select metric(order_count) as n"],
    ["select METRIC ( shop.order_count ) as n -- metric(order_count)"],
    ["select sum(order_count)::int as n from metric(order_count, orders.status) m"],
  ])("is the value or the table of its question: %s", async (content) => {
    expect(await rowsOf(content)).toEqual([{ n: 100_000 }]);
  });

  it("works beside variables", async () => {
    const content = "select metric(order_count) as n, {{word}} as word";
    expect(await rowsOf(content, { variables: { word: "a" } })).toEqual([{ n: 100_000, word: "a" }]);
  });

  it.each([
    ["select 'metric(order_count)' as n", "metric(order_count)"],
    ["select n from (select 7 as n) /* metric(order_count) */", 7],
  ])("stays in strings and comments: %s", async (content, n) => {
    expect(await rowsOf(content)).toEqual([{ n }]);
  });

  it("leaves functions of the database alone", async () => {
    for (const content of ["select metric(nothing)", "select main.metric(order_count)", "select metric(1 + 1)"]) {
      const { status, json } = await run(content);
      expect([content, status, json.code, json.error]).toEqual([content, 400, "query_failed", expect.any(String)]);
    }
  });

  it("is expanded in an unsaved console, and never in a query of the API", async () => {
    const path = `/databases/${sampleId}/execute`;
    const query = "select metric(order_count) as n";
    expect((await send("POST", path, { query, variables: {} })).json.data.rows).toEqual([{ n: 100_000 }]);
    expect((await send("POST", path, { query })).json.code).toBe("query_failed");
  });

  it("is expanded for a dashboard that shows the console", async () => {
    await send("PUT", `/consoles/${consoleId}`, { version: 1, content: "select metric(order_count) as n" });
    const widgets = [{ id: "w", kind: "table", source: { consoleId } }];
    const { id } = (await send("POST", "/dashboards", { title: "Of a console", widgets })).json.data;
    expect((await send("GET", `/dashboards/${id}/data`)).json.data.widgets[0].rows).toEqual([{ n: 100_000 }]);
  });

  it("names the metric of a question without an answer", async () => {
    const answer = await run("select * from metric(order_count, orders.nothing) m");
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining("metric(order_count): ")]);
    const file = { name: "Other", type: "sqlite", config: { file: "other.sqlite" } };
    const { id } = (await send("POST", "/connectors", file)).json.data;
    const elsewhere = await run("select metric(order_count)", { connectionId: id });
    expect([elsewhere.status, elsewhere.json.error]).toEqual([400, expect.stringContaining("another connection")]);
  });

  it("keeps the position of an error behind it", async () => {
    const content = "select metric(order_count) as n,\n  nothing_here from orders";
    const { json } = await run(content);
    expect([json.code, json.details.line]).toEqual(["query_failed", 2]);
  });
});
