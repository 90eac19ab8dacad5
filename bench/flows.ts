import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { DataSource, LoadMode } from "../lib/features/connections/data-source";
import { duckdb } from "../lib/features/connections/drivers/duckdb";
import { postgres } from "../lib/features/connections/drivers/postgres";
import { startPostgres, type TestServer } from "../test/servers/postgres";
import { MIB, type Results, thousands } from "./query/measure";

/*
 * Measures a flow from database to database, against psql's COPY from table to table in the same run. A flow also
 * validates every value, stores its position with every batch and can be killed at any moment.
 */

const ROWS = 1_000_000;
const BATCH_ROWS = 5000;
const MANY = `create table many as select i as id, 'name ' || i as name, (((i * 7) % 1000) / 10.0)::numeric(10,2) as price,
  timestamptz '2026-01-01' + i * interval '1 second' as placed_at, i % 2 = 0 as flag from generate_series(1, ${ROWS}) i`;
const ANY = new AbortController().signal;

/** Prints rows per second, their ratio to COPY, and the growth of the process. */
export async function run(): Promise<void> {
  const server = await startPostgres();
  if (!server) throw new Error("PostgreSQL is not installed, so there is nothing to measure.");
  const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  process.env.DATA_DIR = folder;
  const results: Results = {};
  const { host, port, user, password, database } = server;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  const place = { workspaceId: "a".repeat(24), connectionId: "b".repeat(24) };
  const pg = await postgres.open({ ...place, config: { host, port, user, password, database }, readOnly: false });
  const duck = await duckdb.open({ ...place, config: { file: "bench.duckdb" }, readOnly: false });
  try {
    await client.query(MANY);
    await client.query("alter table many add primary key (id)");
    await client.query("vacuum analyze many");
    await client.query("create table copied (like many)");
    const copy = await copyRate(server);
    results["PostgreSQL to PostgreSQL, COPY by psql"] = `${thousands(copy)} rows/s`;
    const measured: [string, DataSource, LoadMode, boolean][] = [
      ["PostgreSQL to PostgreSQL, append", pg, "append", false],
      ["PostgreSQL to PostgreSQL, append in the key's order", pg, "append", true],
      ["PostgreSQL to PostgreSQL, replace", pg, "replace", false],
      ["PostgreSQL to PostgreSQL, upsert of rows that are all there", pg, "upsert", true],
      ["PostgreSQL to DuckDB, append", duck, "append", false],
      ["PostgreSQL to DuckDB, replace", duck, "replace", false],
    ];
    for (const [name, destination, mode, isOrdered] of measured) {
      const { rate, grownMib } = await flow(pg, destination, { mode, isOrdered, table: tableFor(mode, isOrdered) });
      const ratio = (rate / copy).toFixed(2);
      results[name] = `${thousands(rate)} rows/s, ${ratio}x COPY, ${grownMib.toFixed(0)} MiB more at most`;
    }
  } finally {
    await Promise.all([pg.close(), duck.close(), client.end()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  console.table(results);
}

function tableFor(mode: LoadMode, isOrdered: boolean): string {
  // The upsert changes the rows that were appended in order.
  return mode === "upsert" || isOrdered ? "ordered" : mode;
}

async function flow(
  source: DataSource,
  destination: DataSource,
  { mode, isOrdered, table }: { mode: LoadMode; isOrdered: boolean; table: string },
): Promise<{ rate: number; grownMib: number }> {
  if (!source.extract || !destination.load) throw new Error("These are no ends of a flow.");
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const startedAt = performance.now();
  const key = isOrdered ? { cursorField: "id", primaryKey: ["id"] } : { cursorField: null, primaryKey: [] };
  const { fields, batches } = await source.extract({
    ...{ entity: { name: "many" }, from: null, batchRows: BATCH_ROWS, signal: ANY },
    ...key,
  });
  const load = await destination.load({
    ...{ table: { name: table }, columns: fields, mode, primaryKey: isOrdered ? ["id"] : [] },
    ...{ load: `bench ${table}`, run: `${mode} ${isOrdered}`, visible: "batch", signal: ANY },
  });
  let rows = 0;
  for await (const { checkpoint, ...batch } of batches) {
    rows += (await load.write(batch, { position: checkpoint, rejectsMax: 0 })).written;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  await load.finish();
  if (rows !== ROWS) throw new Error(`${rows} rows were written instead of ${ROWS}.`);
  return { rate: rows / ((performance.now() - startedAt) / 1000), grownMib: (peak - before) / MIB };
}

/** One psql reads the table and another one writes its output. */
async function copyRate({ host, port, user, password, database }: TestServer): Promise<number> {
  const env = { ...process.env, PGPASSWORD: password };
  const psql = (command: string, stdio: ("pipe" | "ignore" | "inherit")[]) =>
    spawn("psql", ["-X", "-q", "-h", host, "-p", String(port), "-U", user, "-d", database, "-c", command], {
      env,
      stdio,
    });
  const startedAt = performance.now();
  const reader = psql("copy many to stdout", ["ignore", "pipe", "inherit"]);
  const writer = psql("copy copied from stdin", ["pipe", "ignore", "inherit"]);
  if (!reader.stdout || !writer.stdin) throw new Error("psql has no pipes.");
  reader.stdout.pipe(writer.stdin);
  const [code] = await once(writer, "exit");
  if (code !== 0) throw new Error(`psql ended with ${code}.`);
  return ROWS / ((performance.now() - startedAt) / 1000);
}
