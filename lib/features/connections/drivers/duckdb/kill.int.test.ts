import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureSample, samplePath } from "@/lib/features/connections/sample";
import { buildSample } from "@/lib/platform/embedded/engine/build-sample";
import { openFile, query, takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { cpuMs, engineProcesses } from "@/test/fixtures/connections/drivers/duckdb/processes";
import { SAMPLE_LAST_DAY } from "@/test/fixtures/connections/sample-day";
import { makeFromTemplate } from "@/test/servers/template";
import type { QueryableSource } from "../../data-source";
import { requireQueryable } from "../../queryable";
import { duckdb } from ".";

/** Within every limit of a statement, and a minute of planning in which DuckDB checks no interrupt. */
const BLOCKING = `select ${"*, ".repeat(4000)}* from (select 1 as "${"n".repeat(500_000)}")`;
/** A few seconds of work, so that it runs when the engine is killed, and completes on the next one. */
const SLOW = "select sum(i * i % 7)::varchar from range(280000000) t(i)";
/** Processor time that the engine uses only once it plans. Parsing the text takes a fraction of it. */
const BLOCKED_CPU_MS = 1500;
/** Time for the grace period, a restart, and a machine that is busy with other tests. */
const RESTARTED_WITHIN_MS = 60_000;
/** Limits of statements that are to complete: a busy machine takes many times as long. */
const PATIENT = { timeoutMs: 110_000 };
/** Time limits, in ms. One may pass before the engine plans the statement, which its interrupt then ends. */
const TIME_LIMITS_MS = [2000, 8000, 20_000];

vi.setConfig({ testTimeout: 300_000 });
const dataDir = takeOwnDataDir();
let source: QueryableSource;

beforeAll(async () => {
  source = await openFile("kill.duckdb");
  await query(source, "create table t as select i from range(10) r(i)");
});
afterAll(async () => {
  await source.close();
  dataDir.remove();
});

const processes = () => engineProcesses(dataDir.path, "kill.duckdb");

/** Starts the statement that blocks the engine; resolves when the engine works on it. */
async function block(on: QueryableSource): Promise<{ giveUp: () => Promise<void> }> {
  const before = cpuMs(processes());
  const stop = new AbortController();
  const blocked = query(on, BLOCKING, { ...PATIENT, signal: stop.signal });
  const failure = expect(blocked).rejects.toThrow("given up");
  await vi.waitFor(() => expect(cpuMs(processes()) - before).toBeGreaterThan(BLOCKED_CPU_MS), {
    timeout: RESTARTED_WITHIN_MS,
  });
  return {
    giveUp: async () => {
      stop.abort(new Error("given up"));
      await failure;
    },
  };
}

const isRunning = (before: readonly number[]) => processes().some((pid) => before.includes(pid));

async function restarted(before: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(isRunning(before)).toBe(false), { timeout: RESTARTED_WITHIN_MS });
}

describe("an engine with a statement that ignores its interrupt", () => {
  it("C3 is killed at the statement's time limit as well", { tags: ["long"] }, async () => {
    const before = processes();
    for (const timeoutMs of TIME_LIMITS_MS) {
      const workedMs = cpuMs(processes());
      await expect(query(source, BLOCKING, { timeoutMs })).rejects.toMatchObject({
        kind: expect.stringMatching(/timeout|unavailable/),
      });
      if (!isRunning(before) || cpuMs(processes()) - workedMs > BLOCKED_CPU_MS) break;
    }
    await restarted(before);
    // While the engine restarts, it answers 503 with a time to retry.
    const count = async () => (await query(source, "select count(*) from t", PATIENT)).rows;
    await vi.waitFor(async () => expect(await count()).toEqual([[10]]), { timeout: RESTARTED_WITHIN_MS });
  });

  it("C3 is killed after a cancellation: other reads run again, other writes fail with a retry time", {
    tags: ["long"],
  }, async () => {
    const before = processes();
    const { giveUp } = await block(source);
    const write = query(source, "insert into t select count(*) from range(1000000000) a, range(1000000000) b", PATIENT);
    const refused = expect(write).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 2 });
    const streamed = await source.query(
      { query: "select range from range(100000000000)" },
      { ...PATIENT, readOnly: true, signal: new AbortController().signal },
    );
    const iterator = streamed.batches[Symbol.asyncIterator]();
    await iterator.next();
    const reads = Promise.allSettled(
      [SLOW, "select max(i) from t"].map((text) => query(source, text, { ...PATIENT, readOnly: true })),
    );
    await giveUp();
    await refused;
    // A partial result never looks complete.
    const rest = async () => {
      for (;;) if ((await iterator.next()).done) return;
    };
    await expect(rest()).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 2 });
    await restarted(before);
    // 0, 1, 4, 2, 2, 4, 1 repeat: 14 in each of 40,000,000 rounds.
    expect(await reads).toMatchObject([
      { status: "fulfilled", value: { rows: [[String(40_000_000 * 14)]] } },
      { status: "fulfilled", value: { rows: [[9]] } },
    ]);
    expect((await query(source, "select count(*) from t", PATIENT)).rows).toEqual([[10]]);
  });
});

describe("the sample of all workspaces", () => {
  const open = async (workspaceId: string) =>
    requireQueryable(
      await duckdb.open({ workspaceId, connectionId: "c".repeat(24), config: { sample: true }, readOnly: true }),
    );

  it("C3 answers other workspaces while one blocks its engine", { tags: ["long"] }, async () => {
    const sample = samplePath();
    mkdirSync(dirname(sample), { recursive: true });
    await makeFromTemplate("shop.duckdb", sample, (path) => buildSample(path, SAMPLE_LAST_DAY));
    await ensureSample();
    const ids = Array.from({ length: 3 }, (_, index) => String(index).repeat(24));
    const [blocker, ...others] = await Promise.all(ids.map(open));
    if (!blocker) throw new Error("No workspace was opened.");
    const stop = new AbortController();
    const blocked = query(blocker, BLOCKING, { ...PATIENT, signal: stop.signal, readOnly: true });
    const failure = expect(blocked).rejects.toThrow("given up");
    const count = async (on: QueryableSource) =>
      (await query(on, "select count(*) from orders", { ...PATIENT, readOnly: true })).rows;
    expect(await Promise.all(others.map(count))).toEqual(others.map(() => [[100_000]]));
    stop.abort(new Error("given up"));
    await failure;
    // Immediately, while its engine is still to be killed: the new engine repeats the read.
    expect(await count(blocker)).toEqual([[100_000]]);
    await Promise.all([blocker, ...others].map((each) => each.close()));
  });
});
