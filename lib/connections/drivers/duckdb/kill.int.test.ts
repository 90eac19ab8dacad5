import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { SHARED_ENGINES_MAX } from "@/lib/engines/shared-file";
import { ensureSample } from "@/lib/sample";
import type { QueryableSource } from "../../data-source";
import { requireQueryable } from "../../queryable";
import { duckdb } from ".";
import { openFile, query, takeOwnDataDir } from "./testing/open-file";
import { engineProcesses } from "./testing/processes";

/** Within every bound of a statement, and a minute of planning in which DuckDB looks for no interrupt. */
const BLOCKING = `select ${"*, ".repeat(4000)}* from (select 1 as "${"n".repeat(500_000)}")`;
/** Some seconds of work, so that it runs when the engine is killed, and ends on an engine of its own. */
const SLOW = "select sum(i * i % 7)::varchar from range(210000000) t(i)";
/** The grace, a restart, and a machine that is busy with other tests. */
const RESTARTED_WITHIN_MS = 20_000;

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

/** Starts the statement that blocks the engine and gives it up; resolves when another process serves the file. */
async function killEngine(): Promise<void> {
  const before = processes();
  await block(source);
  await vi.waitFor(() => expect(processes().some((pid) => before.includes(pid))).toBe(false), {
    timeout: RESTARTED_WITHIN_MS,
  });
}

async function block(on: QueryableSource): Promise<void> {
  const stop = new AbortController();
  const blocked = query(on, BLOCKING, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("given up")), 500);
  await expect(blocked).rejects.toThrow("given up");
}

describe("an engine with a statement that goes on after its interrupt", () => {
  it("C3 is killed, and the next query meets a new one with every row", async () => {
    await killEngine();
    expect((await query(source, "select count(*) from t")).rows).toEqual([[10]]);
  });

  it("C3 is killed at the time limit of the statement, too", async () => {
    const before = processes();
    await expect(query(source, BLOCKING, { timeoutMs: 500 })).rejects.toMatchObject({
      kind: expect.stringMatching(/timeout|unavailable/),
    });
    await vi.waitFor(() => expect(processes().some((pid) => before.includes(pid))).toBe(false), {
      timeout: RESTARTED_WITHIN_MS,
    });
    expect((await query(source, "select count(*) from t")).rows).toEqual([[10]]);
  });

  it("C3 runs the queries of others again that only read, and fails those that write with a time to retry", async () => {
    const reads = [query(source, SLOW, { readOnly: true }), query(source, "select max(i) from t", { readOnly: true })];
    const write = query(source, `insert into t ${SLOW.replace("::varchar", "")}`);
    const refused = expect(write).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 2 });
    await killEngine();
    await refused;
    const [slow, max] = await Promise.all(reads);
    // 0, 1, 4, 2, 2, 4, 1 in turn: 14 in each of 30,000,000 rounds.
    expect(slow?.rows).toEqual([[String(30_000_000 * 14)]]);
    expect(max?.rows).toEqual([[9]]);
    expect((await query(source, "select count(*) from t")).rows).toEqual([[10]]);
  });

  it("C3 breaks off a result in the middle of its rows, never as if it were whole", async () => {
    const { batches } = await source.query(
      { query: "select range from range(100000000000)" },
      { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal },
    );
    const iterator = batches[Symbol.asyncIterator]();
    await iterator.next();
    await killEngine();
    const rest = async () => {
      for (;;) if ((await iterator.next()).done) return;
    };
    await expect(rest()).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 2 });
  });
});

describe("the sample of all workspaces", () => {
  const open = async (workspaceId: string) =>
    requireQueryable(
      await duckdb.open({ workspaceId, connectionId: "c".repeat(24), config: { sample: true }, readOnly: true }),
    );

  it("C3 answers other workspaces while one blocks its engine", async () => {
    await ensureSample();
    const ids = Array.from({ length: SHARED_ENGINES_MAX + 1 }, (_, index) => String(index).repeat(24));
    const [blocker, ...others] = await Promise.all(ids.map(open));
    if (!blocker) throw new Error("No workspace was opened.");
    const stop = new AbortController();
    const blocked = query(blocker, BLOCKING, { signal: stop.signal, readOnly: true });
    const failure = expect(blocked).rejects.toThrow("given up");
    const count = async (on: QueryableSource) =>
      (await query(on, "select count(*) from orders", { readOnly: true })).rows;
    expect(await Promise.all(others.map(count))).toEqual(others.map(() => [[100_000]]));
    stop.abort(new Error("given up"));
    await failure;
    // At once, while its engine is still to be killed: read again on the new one.
    expect(await count(blocker)).toEqual([[100_000]]);
    await Promise.all([blocker, ...others].map((each) => each.close()));
  });
});
