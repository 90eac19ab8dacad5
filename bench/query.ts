import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { duckdb } from "../lib/features/connections/drivers/duckdb";
import { requireQueryable } from "../lib/features/connections/queryable";
import { csv } from "../lib/features/query/serialize/csv";
import { ndjson } from "../lib/features/query/serialize/ndjson";
import { drain, drainBytes, MIB, medianMs, type Results, readJson, rowsPerSecond, thousands } from "./query/measure";
import { measurePostgres } from "./query/postgres";

/*
 * Measures the overhead of the path from DuckDB through the engine's process, its socket and a serializer, against the
 * bare driver in the same run. The figures are ratios, since machines differ (budgets in docs/develop/design.md,
 * Keyboard).
 */

const ROWS = 1_000_000;
const MANY = `select i as id, 'name ' || i as name, ((i * 7) % 1000) / 10 as price,
  timestamp '2026-01-01' + to_seconds(i) as placed_at, i % 2 = 0 as flag from range(${ROWS}) t(i)`;

/** Prints a table of the query path's costs, of all databases or of the named one. */
export async function run([only]: string[] = []): Promise<void> {
  const results: Results = {};
  if (only !== "postgres") await measureDuckDb(results);
  if (only !== "duckdb") await measurePostgres(results);
  console.table(results);
}

async function measureDuckDb(results: Results): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  process.env.DATA_DIR = dataDir;
  const source = requireQueryable(
    await duckdb.open({
      workspaceId: "a".repeat(24),
      connectionId: "b".repeat(24),
      config: { file: "bench.duckdb" },
      readOnly: false,
    }),
  );
  const instance = await DuckDBInstance.create(":memory:");
  const bare = await instance.connect();
  try {
    const bareOne = await medianMs(async () => (await bare.runAndReadAll("select 1 as a")).getRowObjectsJson());
    const oursOne = await medianMs(() => drain(source, "select 1 as a"));
    results["select 1, bare driver, p50"] = `${bareOne.toFixed(2)} ms`;
    results["select 1, through the engine, p50"] = `${oursOne.toFixed(2)} ms (+${(oursOne - bareOne).toFixed(2)} ms)`;

    const bareColumns = await rowsPerSecond(ROWS, async () => {
      const result = await bare.stream(MANY);
      for await (const chunk of result) chunk.getColumns();
    });
    const bareRows = await rowsPerSecond(ROWS, async () => {
      const result = await bare.stream(MANY);
      for await (const rows of result.yieldRowObjectJson()) void rows.length;
    });
    results["1,000,000 x 5, bare driver, columns"] = `${thousands(bareColumns)} rows/s`;
    results["1,000,000 x 5, bare driver, row objects"] = `${thousands(bareRows)} rows/s`;
    for (const [name, format] of Object.entries({ ndjson, csv })) {
      await drainBytes(source, MANY, ROWS, format);
      const before = process.memoryUsage.rss();
      const { rate, firstMs, peak, bytes } = await drainBytes(source, MANY, ROWS, format);
      results[`1,000,000 x 5, ${name}`] =
        `${thousands(rate)} rows/s = ${(rate / bareRows).toFixed(2)}x bare rows, ${(rate / bareColumns).toFixed(2)}x bare columns; ` +
        `first bytes ${firstMs.toFixed(0)} ms; memory +${((peak - before) / MIB).toFixed(0)} MiB; ${(bytes / MIB).toFixed(0)} MiB sent`;
    }
    for (const rows of [1000, 10_000, 50_000]) {
      const ms = await medianMs(() => readJson(source, MANY, rows), 20);
      results[`JSON answer of ${rows} rows, p50`] = `${ms.toFixed(1)} ms`;
    }
  } finally {
    await source.close();
    bare.closeSync();
    instance.closeSync();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
