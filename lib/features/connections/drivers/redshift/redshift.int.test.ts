import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, openWith } from "@/test/conformance/drivers/subjects";
import { type RedshiftStandIn, startRedshiftStandIn } from "@/test/servers/redshift-stand-in";
import type { QueryableSource } from "../../data-source";
import { redshift } from ".";

/*
 * The driver with a stand-in: PostgreSQL with Redshift's catalogue, which refuses what Redshift refuses. Nothing here
 * ran on a real cluster (docs/develop/security.md).
 */

const ANY = new AbortController().signal;
const ROWS = 2500;

const started = await startRedshiftStandIn();
if (started === null) throw new Error("PostgreSQL is not installed: the Redshift driver cannot be tested.");
const standIn: RedshiftStandIn = started;
let reading: QueryableSource;
let writing: QueryableSource;

beforeAll(async () => {
  await standIn.admin(`
    create table orders (id bigint primary key, total numeric(10,2), note varchar(40), placed_at timestamptz, paid boolean);
    insert into orders select n, n / 4.0, 'note ' || n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 hour',
      n % 2 = 0 from generate_series(1, ${ROWS}) n;
    create table lines (id int, order_id bigint references orders (id));
    create schema lake; create view lake.events as select id, placed_at as at from orders;
    create role reader login password 'reads-Only'; grant select on all tables in schema public to reader;`);
  const { host, port, user, password, database } = standIn;
  const config = { host, port, user, password, database, ssl: "disable" };
  reading = await openWith(redshift, config, true);
  writing = await openWith(redshift, config, false);
});
afterAll(async () => {
  await reading?.close();
  await writing?.close();
  await standIn.stop();
});

it("signs in without settings that Redshift does not know, and tells the version and the rights", async () => {
  const facts = await reading.test(ANY);
  expect(facts.serverVersion).toBe("Redshift");
  expect(facts.warning).toMatch(/superuser/);
  const { host, port, database } = standIn;
  const user = { user: "reader", password: "reads-Only" };
  const reader = await openWith(redshift, { host, port, database, ...user, ssl: "disable" }, true);
  expect(await reader.test(ANY)).toEqual({ serverVersion: "Redshift" });
  await reader.close();
});

it("reads every row in portions that a single-node cluster allows", async () => {
  const answer = await ask(reading, "select id, total, note, placed_at, paid from orders order by id");
  expect(answer.rows).toHaveLength(ROWS);
  expect(answer.fields.map(({ type }) => type)).toEqual(["int64", "decimal", "string", "timestamptz", "boolean"]);
  expect(answer.rows.at(-1)).toEqual([ROWS, "625.00", `note ${ROWS}`, "2026-04-15T04:00:00Z", true]);
});

it("leaves a suspended portal, and uses the session again", async () => {
  for (let round = 0; round < 3; round += 1) {
    const { rows } = await ask(reading, "select id from orders order by id", { rowsMax: 10 });
    expect(rows[0]).toEqual([1]);
  }
  expect((await ask(reading, "select count(*) from orders")).rows).toEqual([[ROWS]]);
});

it("binds values as parameters", async () => {
  const text = "it's \\ '; drop table orders; --";
  const { rows } = await ask(reading, "select cast($1 as varchar(100)) as t, cast($2 as integer) as n", {
    params: [text, 7],
  });
  expect(rows).toEqual([[text, 7]]);
});

it("lists tables, views, columns and declared keys", async () => {
  const entities = await reading.entities(ANY);
  expect(entities.find(({ name }) => name === "orders")).toMatchObject({
    kind: "table",
    columns: [
      { name: "id", type: "bigint", nullable: false, primaryKey: true },
      { name: "total", type: "numeric(10,2)", nullable: true, primaryKey: false },
      { name: "note", type: "character varying(40)" },
      { name: "placed_at" },
      { name: "paid" },
    ],
  });
  expect(entities.find(({ name }) => name === "lines")?.foreignKeys).toEqual([
    { columns: ["order_id"], references: { name: "orders", columns: ["id"] } },
  ]);
  expect(entities.find(({ name }) => name === "events")).toMatchObject({ schema: "lake", kind: "view" });
  expect(await reading.defaultSchema?.(ANY)).toBe("public");
  expect(await reading.schemas?.(ANY)).toEqual([
    { name: "lake", tables: 1 },
    { name: "public", tables: 2 },
  ]);
});

it("returns a table's definition, and not_found for one that was dropped", async () => {
  expect(await reading.ddl?.({ name: "orders", kind: "table" }, ANY)).toMatch(/^CREATE TABLE "orders"/);
  await expect(reading.ddl?.({ name: "gone", kind: "table" }, ANY)).rejects.toMatchObject({ kind: "not_found" });
});

it("explains a statement as text", async () => {
  const { rows } = await ask(reading, `${redshift.explain?.plan} select * from orders`);
  expect(String(rows[0])).toMatch(/orders/);
});

describe("T50 a read-only connection", () => {
  const CHANGES = [
    "delete from orders",
    "with gone as (delete from orders returning *) select * from gone",
    "select 1; delete from orders",
    "select * into evil from orders",
    "truncate orders",
    "select 'a\\', '; delete from orders; --'",
  ];

  it.each(CHANGES)("refuses %j before the server sees it", async (query) => {
    await expect(ask(reading, query)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(?:read_only|not_allowed)$/),
    });
    expect(standIn.conversations.flat()).not.toContain(query);
  });

  it("begins every statement with BEGIN READ ONLY, and ends it with ROLLBACK", async () => {
    const query = "select 1 as only_here";
    await ask(reading, query);
    const texts = standIn.conversations.find((each) => each.includes(query)) ?? [];
    const at = texts.indexOf(query);
    expect(texts[at - 1]).toMatch(/^BEGIN READ ONLY;/);
    // No one waits for the clean-up.
    await expect.poll(() => texts.slice(at + 1, at + 3)).toEqual(["ROLLBACK", "RESET ALL"]);
  });

  it("keeps no change of a function even where the server ignores READ ONLY", async () => {
    await standIn.admin(
      "create function sneak() returns int language sql as 'insert into lines values (99, 1) returning 1'",
    );
    await expect(ask(reading, "select sneak()")).rejects.toMatchObject({ kind: "read_only" });
    standIn.ignoreReadOnly(true);
    expect((await ask(reading, "select sneak()")).rows).toEqual([[1]]);
    standIn.ignoreReadOnly(false);
    expect((await ask(reading, "select count(*) from lines where id = 99")).rows).toEqual([[0]]);
  });
});

it("changes rows where writing is allowed, and closes a session that did", async () => {
  const change = (query: string) => ask(writing, query, { readOnly: false });
  await change("insert into lines values (1, 1)");
  expect((await ask(reading, "select id from lines")).rows).toEqual([[1]]);
  // A temporary table exists as long as its session.
  await change("create temporary table scratch (a int)");
  const tables = async () =>
    (await ask(reading, "select count(*) from pg_class where relname = 'scratch'")).rows[0]?.[0];
  await expect.poll(tables).toBe(0);
});

it("cancels a statement on the server when its reader aborts", async () => {
  // Holds a lock while it runs. Between the messages of one statement PostgreSQL ignores a cancel request.
  await standIn.admin(
    "create function hold() returns int language plpgsql as 'begin perform pg_advisory_xact_lock(77); return 1; end'",
  );
  const abort = new AbortController();
  const slow = ask(reading, "select count(*) from (select hold()) h, orders a, orders b, orders c", {
    signal: abort.signal,
  });
  const locks = async () =>
    (await ask(writing, "select count(*) from pg_locks where locktype = 'advisory' and objid = 77")).rows[0]?.[0];
  await expect.poll(locks).toBe(1);
  abort.abort(new Error("left"));
  await expect(slow).rejects.toThrow("left");
  await expect.poll(locks).toBe(0);
});

it("stops a statement at the server's time limit", async () => {
  const slow = ask(reading, "select count(*) from orders a, orders b, orders c", { timeoutMs: 200 });
  await expect(slow).rejects.toMatchObject({ kind: "timeout" });
});

describe("as the source of a flow", () => {
  const request = { primaryKey: [], batchRows: 1000, signal: ANY, from: null };

  it("reads a whole table in batches", async () => {
    const { fields, batches } =
      (await reading.extract?.({ ...request, entity: { name: "orders" }, cursorField: null })) ?? {};
    let count = 0;
    for await (const batch of batches ?? []) count += batch.rowCount;
    expect(fields?.map(({ name }) => name)).toEqual(["id", "total", "note", "placed_at", "paid"]);
    expect(count).toBe(ROWS);
  });

  it.each(["id", "note", "placed_at"])("continues after the checkpoint of the cursor %s", async (cursorField) => {
    const read = async (from: unknown) => {
      const stream = await reading.extract?.({
        ...request,
        entity: { name: "orders" },
        cursorField,
        from: from as null,
      });
      let rows = 0;
      let checkpoint: unknown = null;
      for await (const batch of stream?.batches ?? []) {
        rows += batch.rowCount;
        checkpoint = batch.checkpoint ?? checkpoint;
      }
      return { rows, checkpoint };
    };
    const first = await read(null);
    expect(first.rows).toBe(ROWS);
    expect((await read(first.checkpoint)).rows).toBe(0);
  });

  it("can't be a destination", () => {
    expect(writing.load).toBeUndefined();
  });
});

it("lists tables without keys where the catalogue of keys is refused", async () => {
  const { host, port, database } = standIn;
  await standIn.admin("revoke select on pg_catalog.pg_constraint from public");
  const user = { user: "reader", password: "reads-Only" };
  const reader = await openWith(redshift, { host, port, database, ...user, ssl: "disable" }, true);
  const orders = (await reader.entities(ANY)).find(({ name }) => name === "orders");
  await reader.close();
  await standIn.admin("grant select on pg_catalog.pg_constraint to public");
  expect(orders?.columns?.map(({ name }) => name)).toContain("id");
  expect(orders?.columns?.some(({ primaryKey }) => primaryKey)).toBe(false);
});
