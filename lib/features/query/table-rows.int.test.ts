import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { splitCases } from "@/test/cases";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { writeNow } from "./history-writer";

const dataDir = takeOwnDataDir();
const database = takeOwnDatabase();
const LONG = "x".repeat(5000);

let cookie = "";
let workspaceId = "";
const connections: Record<string, string> = {};

const TABLES: Record<string, string[]> = {
  duckdb: [
    "create table long_texts (id integer primary key, v varchar)",
    `insert into long_texts select i, repeat('x', 5000) || (i % 2) from range(1, 8) r(i)`,
    "create table twins (a integer, b varchar)",
    "insert into twins select 1, 'same' from range(9) union all select 2, 'other' from range(3)",
    "create view twins_seen as select * from twins",
    "create table order_1 (order_1 integer primary key, Order_2 varchar)",
    "insert into order_1 values (1, 'b'), (2, 'a'), (3, 'a')",
    "create table shapes (id integer primary key, v union(n integer, t varchar))",
    "insert into shapes values (1, 1), (2, 'x')",
    "create schema other",
    "create table other.goods (id integer primary key)",
    "insert into other.goods values (2)",
    "create table goods (id integer primary key)",
    "insert into goods values (1)",
    "create table spans (id integer primary key, v interval)",
    "insert into spans values (1, interval '24 hours'), (2, interval '1 day'), (3, interval '1 hour'), (4, null)",
    // A cell has at most 16 MiB. This one is between small ones, in this order and by size.
    "create table large_cells (id integer primary key, v varchar)",
    "insert into large_cells values (1, 'a'), (2, repeat('b', 17000000)), (3, 'c')",
    "create table large_first (id integer primary key, v blob)",
    "insert into large_first values (1, repeat('b', 17000000)::blob), (2, 'c'::blob)",
    "create table long_then_large (id integer primary key, v varchar)",
    "insert into long_then_large values (1, repeat('a', 5000)), (2, repeat('b', 17000000)), (3, 'c')",
  ],
  sqlite: [
    "create table large_cells (id integer primary key, v text)",
    "insert into large_cells values (1, 'a'), (2, 'b' || hex(zeroblob(9000000))), (3, 'c')",
    "create table large_first (id integer primary key, v blob)",
    "insert into large_first values (1, zeroblob(17000000)), (2, x'63')",
    "create table long_then_large (id integer primary key, v text)",
    "insert into long_then_large values (1, 'a' || hex(zeroblob(3000))), (2, 'b' || hex(zeroblob(9000000))), (3, 'c')",
    "create table loose_key (id text primary key, v integer)",
    "insert into loose_key values (null, 1), (null, 1), (null, 1), ('a', 1), ('b', 2), (null, 2)",
    "create table hidden_rowid (rowid integer, v text)",
    "insert into hidden_rowid values (1, 'x'), (1, 'x'), (1, 'x'), (2, 'y')",
    "create table mixed (id integer primary key, v)",
    "insert into mixed values (1, 1), (2, '1'), (3, x'31'), (4, 1.5), (5, null), (6, 'z'), (7, 9007199254740993)",
    "create view mixed_seen as select v from mixed",
  ],
};

beforeAll(async () => {
  const registered = await call("POST", "/api/auth/register", {
    body: { email: "pages@example.com", password: "seven herons by the mill" },
  });
  cookie = cookieOf(registered);
  workspaceId = registered.json.data.workspace.id;
  for (const [type, statements] of Object.entries(TABLES)) {
    const made = await call("POST", `/api/workspaces/${workspaceId}/connectors`, {
      cookie,
      body: { name: type, type, config: { file: `pages.${type}` }, readOnly: false },
    });
    connections[type] = made.json.data.id;
    for (const query of statements) {
      const answer = await call("POST", `${on(type)}/execute`, { cookie, body: { query } });
      expect(answer.status, JSON.stringify(answer.json)).toBe(200);
    }
  }
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await database.drop();
  dataDir.remove();
});

const on = (type: string) => `/api/workspaces/${workspaceId}/databases/${connections[type]}`;
const ask = (type: string, body: Record<string, unknown>) => call("POST", `${on(type)}/rows`, { cookie, body });

type Row = Record<string, unknown>;

async function pages(type: string, body: Record<string, unknown>): Promise<{ rows: Row[]; isStable: boolean }> {
  const rows: Row[] = [];
  let after: string | undefined;
  for (let count = 0; count < 40; count += 1) {
    const answer = await ask(type, { ...body, ...(after !== undefined && { after }) });
    expect(answer.status, JSON.stringify(answer.json)).toBe(200);
    rows.push(...answer.json.data.rows);
    if (answer.json.data.next === null) return { rows, isStable: answer.json.data.isStable };
    after = answer.json.data.next;
  }
  throw new Error("The pages did not end.");
}

describe("C9 rows of a table", () => {
  const sorted = (name: string, column: string, descending = false) => ({
    table: { name },
    sort: [{ column, descending }],
    limit: 2,
  });

  test.each<[type: string, body: ReturnType<typeof sorted>, ids: unknown[]]>([
    ["duckdb", sorted("long_texts", "v"), [2, 4, 6, 1, 3, 5, 7]],
    ["duckdb", sorted("long_texts", "v", true), [1, 3, 5, 7, 2, 4, 6]],
    ["duckdb", sorted("spans", "v"), [3, 1, 2, 4]],
    ["duckdb", sorted("spans", "v", true), [1, 2, 3, 4]],
    ["sqlite", sorted("mixed", "v"), [1, 4, 7, 2, 6, 3, 5]],
    ["sqlite", sorted("mixed", "v", true), [3, 6, 2, 7, 4, 1, 5]],
    ["sqlite", sorted("loose_key", "v"), ["a", null, null, null, "b", null]],
    ["sqlite", sorted("loose_key", "id"), ["a", "b", null, null, null, null]],
  ])("are each returned once from %s, %j", async (type, body, ids) => {
    const { rows, isStable } = await pages(type, body);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(isStable).toBe(true);
  });

  test.each<[type: string, name: string, column: string, count: number, isStable: boolean]>([
    ["duckdb", "twins", "b", 12, true],
    ["duckdb", "twins_seen", "b", 12, true],
    ["sqlite", "hidden_rowid", "v", 4, true],
    ["sqlite", "mixed_seen", "v", 7, true],
  ])("without a key are each returned once from %s, %s", async (type, name, column, count, isStable) => {
    for (const descending of [false, true]) {
      const answer = await pages(type, { ...sorted(name, column, descending), limit: 5 });
      expect(answer.rows).toHaveLength(count);
      expect(answer.isStable).toBe(isStable);
    }
  });

  test("of a view without sorting are marked as not stable", async () => {
    const { rows, isStable } = await pages("duckdb", { table: { name: "twins_seen" }, limit: 5 });
    expect(rows).toHaveLength(12);
    expect(isStable).toBe(false);
  });

  test("have only the table's columns, whatever their names", async () => {
    const { rows } = await pages("duckdb", sorted("order_1", "Order_2"));
    expect(rows).toEqual([
      { order_1: 2, Order_2: "a" },
      { order_1: 3, Order_2: "a" },
      { order_1: 1, Order_2: "b" },
    ]);
    const answer = await ask("duckdb", { table: { name: "order_1" } });
    expect(answer.json.data.fields.map(({ name }: { name: string }) => name)).toEqual(["order_1", "Order_2"]);
    const entities = await call("GET", `/api/workspaces/${workspaceId}/connectors/${connections.duckdb}/entities`, {
      cookie,
    });
    expect(JSON.stringify(entities.json.data)).not.toContain("rowId");
  });

  test("are not sorted by a type without an order", async () => {
    const answer = await ask("duckdb", sorted("shapes", "v"));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: "invalid_request", details: [{ path: "sort.0.column" }] });
  });

  test("return 410 when a page starts after a long value whose row was deleted", async () => {
    const first = await ask("duckdb", sorted("long_texts", "v"));
    expect(first.json.data.rows.map(({ v }: Row) => v)).toEqual([`${LONG}0`, `${LONG}0`]);
    await call("POST", `${on("duckdb")}/execute`, { cookie, body: { query: "delete from long_texts where id = 4" } });
    const answer = await ask("duckdb", { ...sorted("long_texts", "v"), after: first.json.data.next });
    expect(answer.status).toBe(410);
  });
});

describe("a row with a cell over 16 MiB", () => {
  const ordered = (name: string, sort?: { column: string; descending: boolean }) => ({
    table: { name },
    ...(sort && { sort: [sort] }),
  });
  const up = { column: "v", descending: false };
  const down = { column: "v", descending: true };

  const cells = ["duckdb", "sqlite"].flatMap((type): [type: string, body: Row, before: number[]][] => [
    [type, ordered("large_cells"), [1]],
    [type, ordered("large_cells", up), [1]],
    [type, ordered("large_cells", down), [3]],
    [type, ordered("large_cells", { column: "id", descending: true }), [3]],
    [type, ordered("large_first"), []],
    [type, ordered("large_first", up), []],
    // The row before it has a sort value that its page reads again.
    [type, ordered("long_then_large", up), [1]],
    [type, ordered("long_then_large", down), [3]],
  ]);
  describe.each(splitCases(cells, 3))("read to its end", ({ tags, cases }) => {
    test.each(cases)("C9 returns 413 from %s instead of the end, %j", { tags }, async (type, body, before) => {
      const ids: unknown[] = [];
      let after: string | undefined;
      let answer = await ask(type, { ...body, limit: 1 });
      for (let page = 0; page < 3 && answer.status === 200 && answer.json.data.next !== null; page += 1) {
        ids.push(...answer.json.data.rows.map(({ id }: Row) => id));
        after = answer.json.data.next;
        answer = await ask(type, { ...body, limit: 1, after });
      }
      expect(ids).toEqual(before);
      expect(answer.status).toBe(413);
      expect(answer.json).toMatchObject({ code: "too_large", error: expect.stringContaining("16 MiB") });
    });
  });

  test.each(["duckdb", "sqlite"])(
    "C9 ends a page of %s before the row, and the next page returns 413",
    async (type) => {
      const first = await ask(type, { table: { name: "large_cells" }, limit: 10 });
      expect(first.status).toBe(200);
      expect(first.json.data.rows).toEqual([{ id: 1, v: "a" }]);
      const second = await ask(type, { table: { name: "large_cells" }, limit: 10, after: first.json.data.next });
      expect(second.status).toBe(413);
    },
  );

  test.each(["duckdb", "sqlite"])("C9 lets a filter of %s skip the row", async (type) => {
    const filters = [{ column: "id", op: "above", value: "2" }];
    const answer = await ask(type, { table: { name: "large_cells" }, filters });
    expect(answer.json.data.rows).toEqual([{ id: 3, v: "c" }]);
    expect(answer.json.data.next).toBeNull();
  });
});

describe("C10 the default schema", () => {
  test.each<[type: string, table: Row, id: unknown]>([
    ["duckdb", { name: "goods" }, 1],
    ["duckdb", { name: "goods", schema: "main" }, 1],
    ["duckdb", { name: "goods", schema: "other" }, 2],
    ["sqlite", { name: "mixed", schema: "main" }, 1],
  ])("of %s can be named or omitted: %j", async (type, table, id) => {
    const answer = await ask(type, { table });
    expect(answer.json.data.rows[0].id).toBe(id);
  });

  test("is no other schema", async () => {
    expect((await ask("duckdb", { table: { name: "goods", schema: "third" } })).status).toBe(404);
    expect((await ask("sqlite", { table: { name: "mixed", schema: "temp" } })).status).toBe(404);
  });
});
