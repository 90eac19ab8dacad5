import type { Batch, Field } from "@/lib/base/values/fields";
import type { QueryableSource } from "../../lib/features/connections/data-source";
import { type BinaryFormat, byteStream, type TextFormat } from "../../lib/features/query/serialize/byte-stream";
import { readJsonRows } from "../../lib/features/query/serialize/json";

const WARM_UP = 50;
const SAMPLES = 1000;
const TIMEOUT_MS = 60_000;
export const MIB = 1024 * 1024;

/** Results by the name of the measurement. */
export type Results = Record<string, string>;

export function execute(source: QueryableSource, query: string, readOnly = true) {
  return source.query({ query }, { readOnly, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal });
}

/** Reads a result and drops it. */
export async function drain(source: QueryableSource, query: string, readOnly = true): Promise<void> {
  const { batches } = await execute(source, query, readOnly);
  for await (const batch of batches) void batch.rowCount;
}

/** Reads a result through a serializer. @param rows expected number of rows */
export async function drainBytes(
  source: QueryableSource,
  query: string,
  rows: number,
  format: (fields: readonly Field[]) => TextFormat | BinaryFormat,
) {
  const startedAt = performance.now();
  const { fields, batches } = await execute(source, query);
  const iterator: AsyncIterator<Batch> = batches[Symbol.asyncIterator]();
  let firstMs = 0;
  let peak = 0;
  let bytes = 0;
  for await (const chunk of byteStream(iterator, format(fields), null, () => {})) {
    firstMs ||= performance.now() - startedAt;
    bytes += chunk.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  return { rate: rows / ((performance.now() - startedAt) / 1000), firstMs, peak, bytes };
}

/** Builds a JSON answer of that many rows, as the route does. */
export async function readJson(source: QueryableSource, query: string, rows: number): Promise<void> {
  const { fields, batches } = await execute(source, query);
  await readJsonRows({ fields, batches }, { rows, bytes: 64 * MIB, cellBytes: 16 * MIB });
}

export async function medianMs(work: () => Promise<unknown>, samples = SAMPLES): Promise<number> {
  const times: number[] = [];
  const warmUp = Math.min(WARM_UP, samples);
  for (let count = 0; count < samples + warmUp; count += 1) {
    const since = performance.now();
    await work();
    if (count >= warmUp) times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** The second run counts. */
export async function rowsPerSecond(rows: number, work: () => Promise<void>): Promise<number> {
  await work();
  const since = performance.now();
  await work();
  return rows / ((performance.now() - since) / 1000);
}

export function thousands(value: number): string {
  return `${Math.round(value / 1000)}k`;
}
