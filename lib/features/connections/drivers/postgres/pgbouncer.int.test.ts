import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ANY, type FlowSource, field, loadRows, read } from "@/test/conformance/drivers/flow-steps";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { startPgBouncer } from "@/test/servers/pgbouncer";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";

/* PgBouncer in transaction mode: each transaction may run on another server connection. */

let server: TestServer | null = null;
let bouncer: Awaited<ReturnType<typeof startPgBouncer>> = null;
let source: FlowSource & QueryableSource;
let reader: QueryableSource;
beforeAll(async () => {
  server = await startPostgres();
  bouncer = server && (await startPgBouncer(server));
  if (!bouncer) {
    process.stderr.write("\nNOT TESTED: PgBouncer or PostgreSQL is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = bouncer;
  const options = "pgbouncer=true&connect_timeout=10&application_name=shop&sslmode=prefer";
  const config = { connectionString: `postgresql://${user}:${password}@${host}:${port}/${database}?${options}` };
  source = (await openWith(postgres, config, false)) as FlowSource & QueryableSource;
  reader = await openWith(postgres, config, true);
}, 120_000);
afterAll(async () => {
  await source?.close();
  await reader?.close();
  await bouncer?.stop();
  await server?.stop();
});

const INTERVAL =
  "select interval '1 year 2 months 3 days 04:05:06.789' as i, timestamptz '2026-01-02 03:04:05+02' as t";
const SHOWN = ["P1Y2M3DT4H5M6.789S", "2026-01-02T01:04:05Z"];

describe("PgBouncer in transaction mode", () => {
  test("C45 reads intervals and instants, read-only and not", async (context) => {
    if (!bouncer) return context.skip();
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await ask(reader, INTERVAL)).rows).toEqual([SHOWN]);
      expect((await ask(source, INTERVAL, { readOnly: false })).rows).toEqual([SHOWN]);
    }
  });

  test("C45 repeats point queries through a pooler that the connection does not name", async (context) => {
    if (!bouncer) return context.skip();
    const { host, port, user, password, database } = bouncer;
    const unaware = await openWith(postgres, { host, port, user, password, database }, true);
    await change(source, "create table points as select i as id from generate_series(1, 50) i");
    const asked = Array.from({ length: 40 }, (_, id) => ask(unaware, `select id from points where id = ${id + 1}`));
    expect((await Promise.all(asked)).map(({ rows }) => rows)).toEqual(asked.map((_, id) => [[id + 1]]));
    await unaware.close();
  });

  test("C45 reads intervals while another session of the pooler has other settings", async (context) => {
    if (!bouncer) return context.skip();
    await change(
      source,
      "alter role postgres set intervalstyle = 'sql_standard'",
      "alter role postgres set datestyle = 'German, DMY'",
    );
    await change(source, "alter role postgres set timezone = 'Asia/Tokyo'");
    const asked = Array.from({ length: 20 }, (_, at) =>
      ask(at % 2 === 0 ? reader : source, INTERVAL, { readOnly: at % 2 === 0 }),
    );
    for (const { rows } of await Promise.all(asked)) expect(rows).toEqual([SHOWN]);
    await change(source, "alter role postgres reset all");
  });

  test("C45 runs statements with parameters, changes and RETURNING", async (context) => {
    if (!bouncer) return context.skip();
    await change(source, "create table kept (id int primary key, i interval)");
    await change(source, "insert into kept select n, n * interval '1 day' from generate_series(1, 3000) n");
    const all = await ask(reader, "select id from kept where id > $1 order by id", { params: [0] });
    expect(all.rows).toHaveLength(3000);
    const gone = await ask(source, "delete from kept where id = $1 returning i", { params: [3], readOnly: false });
    expect(gone.rows).toEqual([["P3D"]]);
    await change(source, "vacuum kept");
    expect((await ask(reader, "select count(*) from kept")).rows.flat().map(Number)).toEqual([2999]);
  });

  test("C45 leaves no setting behind on the pooler's server connections", async (context) => {
    if (!bouncer) return context.skip();
    const client = new Client({ ...bouncer, ssl: false });
    await client.connect();
    try {
      for (const statement of [
        "create table other (id int)",
        "vacuum kept",
        "drop table other",
        "update kept set id = id",
      ]) {
        await change(source, statement);
        for (const setting of ["statement_timeout", "client_connection_check_interval", "intervalstyle"]) {
          const { rows } = await client.query(`select setting, reset_val from pg_settings where name = '${setting}'`);
          expect([statement, setting, rows[0]?.setting]).toEqual([statement, setting, rows[0]?.reset_val]);
        }
      }
    } finally {
      await client.end();
    }
  });

  test("C45 lists tables and server facts", async (context) => {
    if (!bouncer) return context.skip();
    expect((await source.entities(ANY)).map(({ name }) => name)).toContain("kept");
    expect((await source.test(ANY)).serverVersion).toMatch(/^PostgreSQL/);
  });

  test("C45 loads and extracts rows", async (context) => {
    if (!bouncer) return context.skip();
    const rows = Array.from({ length: 2500 }, (_, id) => [id, `row ${id}`]);
    const columns = [field("id", "int64"), field("label", "string")];
    await loadRows(source, { table: { name: "loaded" }, columns }, rows);
    const extracted = await read(source, { entity: { name: "loaded" } });
    expect(extracted.rows).toHaveLength(2500);
  });

  test("C45 is cancelled through the pooler", async (context) => {
    if (!bouncer) return context.skip();
    const stop = new AbortController();
    const asked = ask(reader, "select pg_sleep(60)", { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 300);
    await expect(asked).rejects.toThrow("enough");
    expect((await ask(reader, "select 1")).rows).toEqual([[1]]);
  });

  test("C45 fails with the database's message and continues", async (context) => {
    if (!bouncer) return context.skip();
    for (const [at, readOnly] of [
      [reader, true],
      [source, false],
    ] as const) {
      // biome-ignore format: one look
      await expect(ask(at, "select nowhere", { readOnly })).rejects.toThrow('column "nowhere" does not exist');
      expect((await ask(at, "select 1", { readOnly })).rows).toEqual([[1]]);
    }
  });
});
