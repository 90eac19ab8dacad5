import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { type JsonService, startJsonService } from "@/test/servers/json-service";
import { startPostgres, type TestServer } from "@/test/servers/postgres";

/* Values as flows move them, from their sources to the destination tables. */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let ana: FlowAuthor;
let server: TestServer | null = null;
let service: JsonService;
let postgres = "";
let duckdb = "";
let sqlite = "";
/** Responses of the service by page, as text. */
let pages: string[] = [];
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  service = await startJsonService(({ url }) => ({ body: pages[Number(url.searchParams.get("page")) - 1] ?? "[]" }));
  server = await startPostgres();
  if (!server) throw new Error("These tests need PostgreSQL.");
  const { host, port, database, user, password } = server;
  postgres = await ana.connect("postgres", { host, port, database, user, password, ssl: "disable" });
  duckdb = await ana.file("duckdb");
  sqlite = await ana.file("sqlite");
}, 180_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await service.stop();
  await server?.stop();
  await own.drop();
});

let tables = 0;

describe("C19 numbers of a service", () => {
  async function makeFlow(mode: "full" | "incremental", more: Record<string, unknown> = {}) {
    const source = await ana.connect(
      "rest",
      {
        baseUrl: service.address,
        resources: [{ name: "orders", path: "/" }],
        pagination: { kind: "page" },
      },
      { readOnly: true },
    );
    const table = `orders_${tables++}`;
    const { flow } = await ana.make({
      type: "sync",
      mode,
      source: { connectionId: source, entities: [{ name: "orders", cursorField: "at", primaryKey: ["id"] }] },
      destination: { connectionId: postgres, table, write: "append" },
      ...more,
    });
    const amounts = async () =>
      (await ana.sql(postgres, `select amount::text as a from ${table} order by id`)).map(({ a }) => a);
    return { flow, table, amounts };
  }

  it("C19 widens an integer column for a later decimal without changing a value", async () => {
    const { flow, amounts } = await makeFlow("incremental");
    pages = ['[{"id":1,"at":1,"amount":9007199254740993},{"id":2,"at":2,"amount":5}]'];
    expect(await ana.run(flow.id)).toMatchObject({ status: "success" });
    pages.push('[{"id":3,"at":3,"amount":0.5},{"id":4,"at":4,"amount":12345678901234567890.123456789}]');
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { written: 2 } });
    expect(await amounts()).toEqual(["9007199254740993", "5", "0.5", "12345678901234567890.123456789"]);
  });

  it("C19 widens it within one run as well", async () => {
    const { flow, amounts } = await makeFlow("full");
    pages = ['[{"id":1,"at":1,"amount":9223372036854775807}]', '[{"id":2,"at":2,"amount":0.1}]'];
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", error: null });
    expect(await amounts()).toEqual(["9223372036854775807", "0.1"]);
  });

  it.each(["postgres", "duckdb", "sqlite"] as const)(
    "C19 rejects by name what the doubles of %s would round, and writes the rest",
    async (name) => {
      const connectionId = { postgres, duckdb, sqlite }[name];
      const table = `doubles_${tables++}`;
      const type = name === "sqlite" ? "real" : "double precision";
      await ana.sql(connectionId, `create table ${table} (id bigint, "at" bigint, amount ${type})`);
      const { flow } = await makeFlow("full", { destination: { connectionId, table, write: "append" } });
      pages = [
        '[{"id":1,"at":1,"amount":0.1},{"id":2,"at":2,"amount":12345678901234567890.123456789},{"id":3,"at":3,"amount":4}]',
      ];
      const run = await ana.run(flow.id);
      expect(run).toMatchObject({ status: "success", counts: { written: 2, failed: 1 } });
      expect(run.logs.find(({ level }: { level: string }) => level === "warn").text).toMatch(
        /row 2, amount was rejected: 12345678901234567890\.123456789 exceeds the precision of a double/,
      );
      const rows = await ana.sql(connectionId, `select amount from ${table} order by id`);
      expect(rows.map(({ amount }) => amount)).toEqual([0.1, 4]);
    },
  );
});

describe("C18 infinite cursors", () => {
  const CASES: [string, () => string, string, string[], string[], string][] = [
    ["double of PostgreSQL", () => postgres, "double precision", ["1", "2.5"], ["'NaN'", "'Infinity'", "'-Infinity'"], "3"],
    ["numeric of PostgreSQL", () => postgres, "numeric", ["1", "12345678901234567890.5"], ["'NaN'", "'Infinity'"], "12345678901234567890.6"],
    ["date of PostgreSQL", () => postgres, "date", ["'0044-03-15 BC'", "'9999-12-31'"], ["'infinity'", "'-infinity'"], "'10000-01-01'"],
    ["timestamp of PostgreSQL", () => postgres, "timestamp", ["'0044-03-15 12:00 BC'", "'2026-01-01'"], ["'infinity'", "'-infinity'"], "'9999-12-31 23:59:59.999999'"],
    ["timestamptz of PostgreSQL", () => postgres, "timestamptz", ["'2026-01-01Z'"], ["'infinity'"], "'2126-01-01Z'"],
    ["double of DuckDB", () => duckdb, "double", ["1", "2.5"], ["'nan'::double", "'inf'::double", "'-inf'::double"], "3"],
    ["date of DuckDB", () => duckdb, "date", ["'2026-01-01'"], ["'infinity'::date", "'-infinity'::date"], "'9999-12-31'"],
    ["timestamp of DuckDB", () => duckdb, "timestamp", ["'2026-01-01'"], ["'infinity'::timestamp"], "'9999-12-31 23:59:59'"],
    ["real of SQLite", () => sqlite, "real", ["1", "2.5"], ["9e999", "-9e999"], "3"],
  ]; // biome-ignore format: a line each

  const QUICK = ["numeric of PostgreSQL", "timestamp of DuckDB"];
  const quick = CASES.filter(([name]) => QUICK.includes(name));
  const others = CASES.filter(([name]) => !QUICK.includes(name));
  it.each(quick)("C18 of a %s hide no later row", (...given) => keepsReading(...given));
  it.each(others)("C18 of a %s hide no later row", { tags: ["long"] }, (...given) => keepsReading(...given));

  async function keepsReading(...[_, into, type, finite, endless, later]: (typeof CASES)[number]): Promise<void> {
    const connectionId = into();
    const from = `endless_${tables++}`;
    await ana.sql(connectionId, `create table ${from} (id integer primary key, v ${type})`);
    const values = [...finite, ...endless].map((value, index) => `(${index + 1}, ${value})`);
    await ana.sql(connectionId, `insert into ${from} values ${values.join(", ")}`);
    const { flow } = await ana.make({
      type: "sync",
      mode: "incremental",
      source: { connectionId, entities: [{ name: from, cursorField: "v", primaryKey: ["id"] }] },
      destination: { connectionId: postgres, table: `${from}_copy`, write: "append" },
    });
    const first = await ana.run(flow.id);
    expect(first).toMatchObject({
      status: "success",
      error: null,
      counts: { written: finite.length, skipped: endless.length },
    });
    expect(first.logs.find(({ level }: { level: string }) => level === "warn").text).toMatch(
      /skipped, because v is infinite/,
    );
    const { checkpoint } = (await ana.send("GET", `/flows/${flow.id}`)).json.data;
    expect(JSON.stringify(checkpoint)).not.toMatch(/infinity|nan/i);
    await ana.sql(connectionId, `insert into ${from} values (100, ${later})`);
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", error: null, counts: { written: 1 } });
    const ids = (await ana.sql(postgres, `select id from ${from}_copy order by id`)).map(({ id }) => Number(id));
    expect(ids).toEqual([...finite.map((__, index) => index + 1), 100]);
  }
});

describe("C16 tables of a destination", () => {
  const make = (body: Record<string, unknown>) => ana.send("POST", "/flows", { name: "Long", trigger: false, ...body });
  const query = (destination: Record<string, unknown>) => ({
    type: "query",
    source: { connectionId: postgres, query: "select 1 as id" },
    destination: { connectionId: postgres, write: "append", ...destination },
  });

  it("C16 are not saved with a name that the database would truncate, with the reason", async () => {
    const name = "ü".repeat(32);
    const refused = await make(query({ table: name }));
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(/longer than 63 bytes/)]);
    const entity = await make({
      type: "sync",
      source: { connectionId: sqlite, entities: [{ name: "x".repeat(64) }] },
      destination: { connectionId: postgres, write: "append" },
    });
    expect([entity.status, entity.json.details?.[0]?.path]).toEqual([400, "source.entities.0.name"]);
    const saved = await make(query({ table: name.slice(0, 31) }));
    expect(saved.status).toBe(201);
    const changed = await ana.send("PATCH", `/flows/${saved.json.data.flow.id}`, {
      destination: { connectionId: postgres, write: "append", table: name },
    });
    expect(changed.status).toBe(400);
  });

  it.each(["postgres", "duckdb"] as const)("C16 of %s are created with their schema", async (name) => {
    const connectionId = { postgres, duckdb }[name];
    const { flow } = await ana.make(query({ connectionId, schema: "Lake of a team", table: "made" }));
    expect(await ana.run(flow.id)).toMatchObject({ status: "success", error: null });
    expect(await ana.sql(connectionId, 'select id from "Lake of a team".made')).toEqual([{ id: 1 }]);
  });

  it("C16 of a schema that can't be created name it in the first sentence", async () => {
    if (!server) return;
    await ana.sql(postgres, "create role loader login password 'loader-pa55word' nosuperuser");
    const { host, port, database } = server;
    const connectionId = await ana.connect("postgres", { host, port, database, user: "loader", password: "loader-pa55word", ssl: "disable" }); // biome-ignore format: one connection
    const { flow } = await ana.make(query({ connectionId, schema: "closed", table: "made" }));
    const run = await ana.run(flow.id);
    expect([run.status, run.error]).toEqual(["failure", expect.stringMatching(/^The schema closed does not exist/)]);
  });
});
