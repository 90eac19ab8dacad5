import { existsSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { engineSandbox } from "@/lib/platform/engines/sandbox";
import { AppError } from "@/lib/platform/http/errors";
import { openFile, query, takeOwnDataDir, WORKSPACE_ID } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { cpuMs, engineProcesses, isAlive } from "@/test/fixtures/connections/drivers/duckdb/processes";
import type { QueryableSource } from "../../data-source";

const ENDLESS = "select count(*) from range(1000000000) a, range(1000000000) b";
const WATCH_MS = 300;
/**
 * Maximum processor time of an idle engine, in ms. Housekeeping takes less than a fifth of the time; a query takes all
 * it can get.
 */
const IDLE_CPU_MS = WATCH_MS / 5;
/** Time for the engine to fall silent on a machine that is busy with other tests, in ms. */
const SILENCE_WITHIN_MS = 5000;

const dataDir = takeOwnDataDir();
let source: QueryableSource;

beforeAll(async () => {
  source = await openFile("life.duckdb");
  await query(source, "create table t as select i from range(10) r(i)");
});
afterAll(async () => {
  await source.close();
  dataDir.remove();
});

const processes = () => engineProcesses(dataDir.path, "life.duckdb");

async function cpuOfAWhile(): Promise<number> {
  const before = cpuMs(processes());
  await sleep(WATCH_MS);
  return cpuMs(processes()) - before;
}

async function fallsSilent(): Promise<void> {
  await vi.waitFor(async () => expect(await cpuOfAWhile()).toBeLessThan(IDLE_CPU_MS), { timeout: SILENCE_WITHIN_MS });
}

/** Waits for the restart. A request at the moment of the death is answered 503 too; the next ones wait. */
async function recovered(): Promise<void> {
  await vi.waitFor(() => query(source, "select 1"), { timeout: 30_000 });
}

describe("a query that never ends", () => {
  it("stops in the engine when it is cancelled (T52)", async () => {
    const stop = new AbortController();
    const running = query(source, ENDLESS, { signal: stop.signal });
    const failure = expect(running).rejects.toThrow("enough");
    await vi.waitFor(async () => expect(await cpuOfAWhile()).toBeGreaterThan(IDLE_CPU_MS), { timeout: 30_000 });
    stop.abort(new Error("enough"));
    await failure;
    await fallsSilent();
  });

  it("stops when its reader leaves in the middle of the rows (T53)", async () => {
    const { batches } = await source.query(
      { query: "select range, range * 2 from range(100000000000)" },
      { readOnly: true, timeoutMs: 30_000, signal: new AbortController().signal },
    );
    for await (const batch of batches) if (batch.rowCount > 0) break;
    await fallsSilent();
  });

  it("does not outrun a paused reader", async () => {
    const stop = new AbortController();
    const { batches } = await source.query(
      { query: "select repeat('x', 1000) from range(1000000000)" },
      { readOnly: true, timeoutMs: 30_000, signal: stop.signal },
    );
    const iterator = batches[Symbol.asyncIterator]();
    await iterator.next();
    await fallsSilent();
    await iterator.return?.();
  });

  it("ends at the engine's own time limit", async () => {
    await expect(query(source, ENDLESS, { timeoutMs: 300 })).rejects.toMatchObject({ kind: "timeout" });
    await fallsSilent();
  });

  it("does not block other queries", async () => {
    const stop = new AbortController();
    const endless = Array.from({ length: 5 }, () => query(source, ENDLESS, { signal: stop.signal }));
    const failures = Promise.allSettled(endless);
    await sleep(100);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => query(source, `select ${i}`)));
    expect(answers.map((answer) => answer.rows[0]?.[0])).toEqual([0, 1, 2, 3, 4]);
    stop.abort(new Error("enough"));
    expect((await failures).every((each) => each.status === "rejected")).toBe(true);
  });

  it("does not start if it was cancelled before", async () => {
    await expect(query(source, ENDLESS, { signal: AbortSignal.abort(new Error("early")) })).rejects.toThrow("early");
  });
});

describe("an engine", () => {
  it("answers 503 with Retry-After when killed during a query, and restarts", async () => {
    const running = query(source, ENDLESS);
    const failure = expect(running).rejects.toMatchObject({
      kind: "unavailable",
      status: 503,
      retryAfterSeconds: expect.any(Number),
    });
    await sleep(100);
    for (const pid of processes().reverse()) process.kill(pid, "SIGKILL");
    await failure;
    await recovered();
    expect((await query(source, "select count(*) from t")).rows).toEqual([[10]]);
  });

  it("keeps committed data when it is killed", async () => {
    for (let round = 0; round < 2; round += 1) {
      await query(source, "insert into t values (100)");
      for (const pid of processes().reverse()) process.kill(pid, "SIGKILL");
      await recovered();
    }
    expect((await query(source, "select count(*) from t where i = 100")).rows).toEqual([[2]]);
  });

  it("is shared by all connections of a file and ends with the last one", async () => {
    const [one, two] = [await openFile("shared.duckdb"), await openFile("shared.duckdb")];
    await query(one, "create table shared as select 1 as a");
    expect((await query(two, "select a from shared")).rows).toEqual([[1]]);
    const pids = engineProcesses(dataDir.path, "shared.duckdb");
    await one.close();
    expect((await query(two, "select a from shared")).rows).toEqual([[1]]);
    await two.close();
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 30_000);
  });

  it("can be opened and closed repeatedly", { tags: ["long"] }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const again = await openFile("again.duckdb");
      await query(again, "create table if not exists rounds (n int)");
      await query(again, `insert into rounds values (${round})`);
      await again.close();
    }
    const last = await openFile("again.duckdb");
    expect((await query(last, "select count(*) from rounds")).rows).toEqual([[5]]);
    await last.close();
  });

  it("is started again for a caller that arrives during its end", async () => {
    const first = await openFile("meanwhile.duckdb");
    await query(first, "create table if not exists m (a int)");
    const [second] = await Promise.all([openFile("meanwhile.duckdb"), first.close()]);
    const closing = second.close();
    const third = await openFile("meanwhile.duckdb");
    expect((await query(third, "select count(*) from m")).rows).toEqual([[0]]);
    await closing;
    await third.close();
  });

  it("finishes running queries before it ends", async () => {
    const closing = await openFile("closing.duckdb");
    const running = query(closing, "select count(*) from range(30000000)");
    await sleep(100);
    const [answer] = await Promise.all([running, closing.close()]);
    expect(answer.rows).toEqual([[30_000_000]]);
  });

  it("reports that its file is not a database, without the path", async () => {
    const broken = join(dataDir.path, "files", WORKSPACE_ID, "broken.duckdb");
    writeFileSync(broken, "not a database, but long enough to be looked at".repeat(100));
    const opened = await openFile("broken.duckdb");
    const failure = await query(opened, "select 1").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect(failure).toMatchObject({ kind: "source_unreachable", message: expect.stringContaining("broken.duckdb") });
    expect(String(failure)).not.toContain(dataDir.path);
    await opened.close();
  });
});

describe("the sandbox", () => {
  const isThere = engineSandbox({ filePath: "/x/y", socketFolder: "/x", readOnly: "file" }) !== undefined;

  // Without bubblewrap on the machine there is nothing to check; the log reports that at the start.
  it.runIf(isThere)("gives the engine no network, no other processes and no files but its own (T40)", async () => {
    await query(source, "select 1");
    const engine = processes().at(-1);
    for (const space of ["net", "pid", "mnt", "user", "ipc"]) {
      expect(readlinkSync(`/proc/${engine}/ns/${space}`)).not.toBe(readlinkSync(`/proc/self/ns/${space}`));
    }
    const root = `/proc/${engine}/root`;
    expect(existsSync(join(root, "files", "life.duckdb"))).toBe(true);
    expect(existsSync(join(root, dataDir.path))).toBe(false);
    for (const hidden of ["/etc/passwd", "/root", "/home", `${process.cwd()}/app`, `${dataDir.path}/store`]) {
      expect(existsSync(join(root, hidden)), hidden).toBe(false);
    }
  });
});

describe("files (T39)", () => {
  it.each([
    "/etc/passwd",
    "../x.duckdb",
    "a/b.duckdb",
    "a\\b.duckdb",
    "..",
    ".hidden",
    "",
    " ",
    "file:x.duckdb?mode=rwc",
    ":memory:",
    "x.duckdb.wal",
    "x.duckdb\u0000",
    `${"x".repeat(200)}.duckdb`,
    "md:remote",
  ])("named %j are rejected", async (name) => {
    await expect(openFile(name)).rejects.toMatchObject({ kind: "invalid_request" });
  });

  it("are not created by a read-only connection", async () => {
    await expect(openFile("missing.duckdb", true)).rejects.toMatchObject({ kind: "source_unreachable" });
    expect(existsSync(join(dataDir.path, "files", WORKSPACE_ID, "missing.duckdb"))).toBe(false);
  });

  it("that are links are rejected", async () => {
    const outside = join(dataDir.path, "outside.duckdb");
    writeFileSync(outside, "");
    symlinkSync(outside, join(dataDir.path, "files", WORKSPACE_ID, "link.duckdb"));
    await expect(openFile("link.duckdb")).rejects.toMatchObject({ kind: "invalid_request" });
  });
});
