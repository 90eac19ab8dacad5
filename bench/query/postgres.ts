import { Client } from "pg";
import Cursor from "pg-cursor";
import type { QueryableSource } from "../../lib/features/connections/data-source";
import { postgres } from "../../lib/features/connections/drivers/postgres";
import { requireQueryable } from "../../lib/features/connections/queryable";
import { arrow } from "../../lib/features/query/serialize/arrow";
import { csv } from "../../lib/features/query/serialize/csv";
import { ndjson } from "../../lib/features/query/serialize/ndjson";
import { startPostgres } from "../../test/servers/postgres";
import { drain, drainBytes, MIB, medianMs, type Results, readJson, rowsPerSecond, thousands } from "./measure";
import { measureProduct } from "./product";

const ROWS = 1_000_000;
const MANY = `select i as id, 'name ' || i as name, ((i * 7) % 1000) / 10.0 as price,
  timestamp '2026-01-01' + i * interval '1 second' as placed_at, i % 2 = 0 as flag from generate_series(1, ${ROWS}) i`;
/** A table, so that neither side waits for the rows to be computed. */
const TABLE = "many";
const ALL = `select * from ${TABLE}`;
/** Queries by the names that must be resolved, from none to names that need the whole catalogue. */
const READINGS = {
  "no name": "select 1 as a",
  "operators and a table": `select * from ${TABLE} where id + 1 = 8 limit 5`,
  "functions of PostgreSQL": `select lower(name), random() from ${TABLE} limit 5`,
  "a view": "select * from few",
};
const READINGS_SAMPLES = 300;
const AT_ONCE = 10;
const EACH = 500;
const CURSOR_ROWS = 2000;

/** Measures the overhead of the PostgreSQL driver over the bare libraries (pg, pg-cursor) in the same run. */
export async function measurePostgres(results: Results): Promise<void> {
  const server = await startPostgres();
  if (!server) {
    results.postgres = "not measured: PostgreSQL is not installed";
    return;
  }
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const clients = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const client = new Client(config);
      await client.connect();
      return client;
    }),
  );
  const source = requireQueryable(
    await postgres.open({
      workspaceId: "a".repeat(24),
      connectionId: "b".repeat(24),
      config,
      readOnly: true,
    }),
  );
  try {
    await clients[0]?.query(`create table ${TABLE} as ${MANY}`);
    await clients[0]?.query(`vacuum analyze ${TABLE}`);
    await clients[0]?.query(`create view few as select id, name from ${TABLE} limit 5`);
    await measureOne(results, clients, source);
    await measureReadings(results, clients[0] as Client, source);
    const rowsPerSecond = await measureMany(results, clients[0] as Client, source);
    await measureProduct(results, server, { client: clients[0] as Client, rowsPerSecond }, { all: ALL, rows: ROWS });
  } finally {
    await source.close();
    await Promise.all(clients.map((client) => client.end()));
    await server.stop();
  }
}

async function measureOne(results: Results, clients: readonly Client[], source: QueryableSource): Promise<void> {
  const bareOne = await medianMs(() => (clients[0] as Client).query("select 1 as a"));
  const oursOne = await medianMs(() => drain(source, "select 1 as a"));
  results["postgres: select 1, bare, p50"] = `${bareOne.toFixed(2)} ms`;
  results["postgres: select 1, ours, p50"] = `${oursOne.toFixed(2)} ms (+${(oursOne - bareOne).toFixed(2)} ms)`;
  const perSecond = async (work: (index: number) => Promise<unknown>) => {
    const since = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        for (let count = 0; count < EACH; count += 1) await work(index);
      }),
    );
    return (AT_ONCE * EACH) / ((performance.now() - since) / 1000);
  };
  const bare = await perSecond((index) => (clients[index] as Client).query("select 1 as a"));
  const ours = await perSecond(() => drain(source, "select 1 as a"));
  results["postgres: select 1, 10 at once, bare"] = `${Math.round(bare)}/s`;
  results["postgres: select 1, 10 at once, ours"] = `${Math.round(ours)}/s (${(ours / bare).toFixed(2)}x)`;
}

/** Measures the cost of resolving names on the server, against a bare read-only transaction. */
async function measureReadings(results: Results, client: Client, source: QueryableSource): Promise<void> {
  for (const [name, query] of Object.entries(READINGS)) {
    const bare = await medianMs(async () => {
      await client.query("BEGIN READ ONLY");
      await client.query(query);
      await client.query("ROLLBACK");
    }, READINGS_SAMPLES);
    const ours = await medianMs(() => drain(source, query), READINGS_SAMPLES);
    results[`postgres: a reading with ${name}, p50`] =
      `${ours.toFixed(2)} ms, bare transaction ${bare.toFixed(2)} ms (${(ours / bare).toFixed(1)}x)`;
  }
}

/** @returns rows per second of the bare library */
async function measureMany(results: Results, client: Client, source: QueryableSource): Promise<number> {
  for (const rows of [1000, 10_000, 50_000]) {
    const bare = await medianMs(async () => {
      const { rows: found } = await client.query(`${ALL} limit ${rows}`);
      return JSON.stringify(found).length;
    }, 20);
    const ours = await medianMs(() => readJson(source, `${ALL} limit ${rows}`, rows), 20);
    results[`postgres: ${rows} rows as JSON, p50`] = `${ours.toFixed(1)} ms, bare ${bare.toFixed(1)} ms`;
  }
  const bare = await rowsPerSecond(ROWS, async () => {
    const cursor = client.query(new Cursor(ALL));
    for (let rows = await cursor.read(CURSOR_ROWS); rows.length > 0; rows = await cursor.read(CURSOR_ROWS)) void rows;
    await cursor.close();
  });
  results["postgres: 1,000,000 x 5, bare cursor, row objects"] = `${thousands(bare)} rows/s`;
  for (const [name, format] of Object.entries({ ndjson, csv, arrow })) {
    await drainBytes(source, ALL, ROWS, format);
    const before = process.memoryUsage.rss();
    const { rate, firstMs, peak, bytes } = await drainBytes(source, ALL, ROWS, format);
    results[`postgres: 1,000,000 x 5, ${name}`] =
      `${thousands(rate)} rows/s = ${(rate / bare).toFixed(2)}x bare; first bytes ${firstMs.toFixed(0)} ms; ` +
      `memory +${((peak - before) / MIB).toFixed(0)} MiB; ${(bytes / MIB).toFixed(0)} MiB sent`;
  }
  return bare;
}
