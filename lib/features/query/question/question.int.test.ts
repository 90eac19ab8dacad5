import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { env } from "@/lib/platform/env";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let ana: Person;
let connectionId: string;
const path = () => `/api/workspaces/${ana.workspaceId}/databases/${connectionId}/question`;
const ask = (question: object, more: object = {}) =>
  call("POST", path(), { cookie: ana.cookie, body: { question: { table: { name: "order" }, ...question }, ...more } });
const run = (query: string) =>
  call("POST", `/api/workspaces/${ana.workspaceId}/databases/${connectionId}/execute`, {
    cookie: ana.cookie,
    body: { query },
  });
const revenue = {
  joins: [{ table: { name: "customers" }, on: [{ from: { column: "customer_id" }, column: "id" }] }],
  summaries: [{ function: "sum", column: { column: "price" } }],
  groups: [{ column: { table: "customers", column: "region" } }],
};

beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  ana = await seedPerson("Ana");
  const body = { name: "Shop", type: "sqlite", config: { file: "shop.sqlite" }, readOnly: false };
  const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, { cookie: ana.cookie, body });
  connectionId = made.json.data.id;
  for (const statement of [
    "create table customers (id integer primary key, region text)",
    'create table "order" (id integer primary key, customer_id integer, price integer)',
    "insert into customers values (1, 'north'), (2, 'it''s')",
    'insert into "order" values (1, 1, 5), (2, 1, 7), (3, 2, 9)',
  ]) {
    expect((await run(statement)).status).toBe(200);
  }
});
afterAll(own.drop);

describe("questions", () => {
  it("answers as a query does, with its statement, and keeps it in the history", async () => {
    const { json } = await ask(revenue);
    expect(json.data).toMatchObject({
      rows: [
        { region: "it's", sum_price: 9 },
        { region: "north", sum_price: 12 },
      ],
      ...{ rowCount: 2, truncated: false, dialect: "sqlite" },
    });
    expect((await run(json.data.sql)).json.data.rows).toEqual(json.data.rows);
    const executions = await call("GET", `/api/workspaces/${ana.workspaceId}/executions`, { cookie: ana.cookie });
    const found = executions.json.data.items.find(
      (each: { executionId: string }) => each.executionId === json.data.executionId,
    );
    expect(found).toMatchObject({ query: json.data.sql, origin: { kind: "adhoc", id: connectionId } });
  });

  it("returns the statement and its columns for a dry run, the same each time", async () => {
    const [one, two] = await Promise.all([ask(revenue, { dryRun: true }), ask(revenue, { dryRun: true })]);
    expect(one.json.data).toEqual(two.json.data);
    expect(one.json.data).toEqual({
      sql: expect.stringContaining("left join"),
      dialect: "sqlite",
      columns: [
        { name: "region", role: "group" },
        { name: "sum_price", role: "summary" },
      ],
    });
  });

  it("keeps the digits of a number in its body", async () => {
    const long = new ExactNumber("9007199254740993");
    const filters = [{ column: { column: "price" }, op: "lt", values: [long] }];
    const formulas = [{ name: "left", left: { number: long }, sign: "-", right: { column: { column: "price" } } }];
    const { json } = await ask({ filters, formulas }, { dryRun: true });
    expect(json.data.sql).toContain('"order".price < 9007199254740993');
    expect(json.data.sql).toContain('((9007199254740993) - "order".price)');
    const bad = await ask({ formulas: [{ ...formulas[0], left: { number: "1;2" } }] });
    expect(bad.json.details[0].path).toBe("formulas.0.left.number");
  });

  it("streams a result, also for a key that only reads", async () => {
    const key = await seedKey(ana.workspaceId, ana, "read");
    const body = { question: { table: { name: "order" }, ...revenue } };
    const csv = await call("POST", path(), { key, body, headers: { accept: "text/csv" } });
    expect(csv.text).toBe("region,sum_price\r\nit's,9\r\nnorth,12\r\n");
  });

  it("cuts at the limit of the request, and says so", async () => {
    const { json } = await ask({ columns: [{ column: "id" }], sorts: [{ by: "id" }] }, { limit: 2 });
    expect(json.data).toMatchObject({ rows: [{ id: 1 }, { id: 2 }], truncated: true });
    expect((await ask({ limit: 1_000_001 })).status).toBe(400);
  });

  it("names the place of a fault", async () => {
    const answer = await ask({ groups: [{ column: { column: "nope" } }] });
    expect(answer.json).toMatchObject({
      code: "invalid_request",
      details: [{ path: "groups.0.column", message: "Unknown column “nope”." }],
    });
    const zone = await ask({ timezone: "Mars/Olympus" });
    expect(zone.json.details[0].path).toBe("timezone");
    expect((await ask({ table: { name: "gone" } })).status).toBe(404);
  });

  it("shows another workspace neither the connection nor its tables", async () => {
    const ben = await seedPerson("Ben");
    const body = { question: { table: { name: "order" } }, dryRun: true };
    const foreign = `/api/workspaces/${ben.workspaceId}/databases/${connectionId}/question`;
    expect((await call("POST", foreign, { cookie: ben.cookie, body })).status).toBe(404);
    expect((await call("POST", path(), { cookie: ben.cookie, body })).status).toBe(403);
    expect((await call("POST", path(), { body })).status).toBe(401);
  });
});
