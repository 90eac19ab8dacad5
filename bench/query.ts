import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Batch, DataSource } from "../lib/connections/data-source";
import { duckdb } from "../lib/connections/drivers/duckdb";
import { byteStream } from "../lib/query/serialize/byte-stream";
import { csv } from "../lib/query/serialize/csv";
import { readJsonRows } from "../lib/query/serialize/json";
import { ndjson } from "../lib/query/serialize/ndjson";

/*
 * What the way from DuckDB through the engine's process, its socket and a serializer costs, against the bare driver in
 * the same run: ratios, since machines differ (budgets of the design, section 6).
 */

const ROWS = 1_000_000;
const MANY = `select i as id, 'name ' || i as name, ((i * 7) % 1000) / 10 as price,
  timestamp '2026-01-01' + to_seconds(i) as placed_at, i % 2 = 0 as flag from range(${ROWS}) t(i)`;
const WARM_UP = 50;
const SAMPLES = 1000;
const MIB = 1024 * 1024;

/** Prints a table of the query path's costs. */
export async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  process.env.DATA_DIR = dataDir;
  const source = await duckdb.open({
    workspaceId: "a".repeat(24),
    connectionId: "b".repeat(24),
    config: { file: "bench.duckdb" },
    readOnly: false,
  });
  const instance = await DuckDBInstance.create(":memory:");
  const bare = await instance.connect();
  try {
    const results: Record<string, string> = {};
    const bareOne = await medianMs(async () => (await bare.runAndReadAll("select 1 as a")).getRowObjectsJson());
    const oursOne = await medianMs(() => drain(source, "select 1 as a"));
    results["select 1, bare driver, p50"] = `${bareOne.toFixed(2)} ms`;
    results["select 1, through the engine, p50"] = `${oursOne.toFixed(2)} ms (+${(oursOne - bareOne).toFixed(2)} ms)`;

    const bareColumns = await rowsPerSecond(async () => {
      const result = await bare.stream(MANY);
      for await (const chunk of result) chunk.getColumns();
    });
    const bareRows = await rowsPerSecond(async () => {
      const result = await bare.stream(MANY);
      for await (const rows of result.yieldRowObjectJson()) void rows.length;
    });
    results["1,000,000 x 5, bare driver, columns"] = `${thousands(bareColumns)} rows/s`;
    results["1,000,000 x 5, bare driver, row objects"] = `${thousands(bareRows)} rows/s`;
    for (const [name, format] of Object.entries({ ndjson, csv })) {
      await drainBytes(source, format);
      const before = process.memoryUsage.rss();
      const { rate, firstMs, peak, bytes } = await drainBytes(source, format);
      results[`1,000,000 x 5, ${name}`] =
        `${thousands(rate)} rows/s = ${(rate / bareRows).toFixed(2)}x bare rows, ${(rate / bareColumns).toFixed(2)}x bare columns; ` +
        `first bytes ${firstMs.toFixed(0)} ms; memory +${((peak - before) / MIB).toFixed(0)} MiB; ${(bytes / MIB).toFixed(0)} MiB sent`;
    }
    for (const rows of [1000, 10_000, 50_000]) {
      const ms = await medianMs(async () => {
        const { fields, batches } = await execute(source, MANY);
        await readJsonRows({ fields, batches }, { rows, bytes: 64 * MIB, cellBytes: 16 * MIB });
      }, 20);
      results[`JSON answer of ${rows} rows, p50`] = `${ms.toFixed(1)} ms`;
    }
    console.table(results);
  } finally {
    await source.close();
    bare.closeSync();
    instance.closeSync();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function execute(source: DataSource, query: string) {
  return source.execute({ query }, { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal });
}

async function drain(source: DataSource, query: string): Promise<void> {
  const { batches } = await execute(source, query);
  for await (const batch of batches) void batch.rowCount;
}

async function drainBytes(source: DataSource, format: typeof csv) {
  const startedAt = performance.now();
  const { fields, batches } = await execute(source, MANY);
  const iterator: AsyncIterator<Batch> = batches[Symbol.asyncIterator]();
  let firstMs = 0;
  let peak = 0;
  let bytes = 0;
  for await (const chunk of byteStream(iterator, format(fields), null, () => {})) {
    firstMs ||= performance.now() - startedAt;
    bytes += chunk.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  return { rate: ROWS / ((performance.now() - startedAt) / 1000), firstMs, peak, bytes };
}

async function medianMs(work: () => Promise<unknown>, samples = SAMPLES): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < samples + Math.min(WARM_UP, samples); count += 1) {
    const since = performance.now();
    await work();
    if (count >= Math.min(WARM_UP, samples)) times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

async function rowsPerSecond(work: () => Promise<void>): Promise<number> {
  await work();
  const since = performance.now();
  await work();
  return ROWS / ((performance.now() - since) / 1000);
}

function thousands(value: number): string {
  return `${Math.round(value / 1000)}k`;
}
