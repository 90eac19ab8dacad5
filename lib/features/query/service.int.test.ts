import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { Caller } from "@/lib/platform/access/caller";
import { databaseReady } from "@/lib/platform/db/ready";
import type { AppError } from "@/lib/platform/http/errors";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { ADHOC, NOTHING_VISIBLE } from "@/test/fixtures/query/origins";
import { memoryInUse, watchMemory } from "@/test/retained-memory";
import { cancelExecution, listExecutions as listWith } from "./executions";
import { writeNow } from "./history-writer";
import type { ExecuteAnswer, ResultFormat } from "./schema";
import { executeQuery, type QueryRequest, runQuery } from "./service";

const ENDLESS = "select count(*) from range(1000000000) a, range(1000000000) b";
const MIB = 1024 * 1024;

const dataDir = takeOwnDataDir();
const database = takeOwnDatabase();
const workspaceId = new ObjectId();
const userId = new ObjectId();
const connection = connectionTo("service.duckdb");

beforeAll(async () => {
  await databaseReady();
  await ask("select 1", { connection: connectionTo("service.duckdb", false) });
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await database.drop();
  dataDir.remove();
});

function connectionTo(file: string, readOnly = true): ConnectionDoc {
  const now = new Date();
  return {
    _id: new ObjectId(),
    workspaceId,
    name: file,
    type: "duckdb",
    category: "database",
    readOnly,
    config: { file },
    secrets: {},
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  };
}

/** The user who runs all queries here. */
const callerOf = (id: ObjectId) => callerIn(id, { _id: userId, role: "admin" });

/** There is no other user and no console here, so nothing is hidden. */
const listExecutions = (caller: Caller, page: { limit?: number; cursor?: string } = {}) =>
  listWith(caller, page, NOTHING_VISIBLE);

function requestOf(query: string, rest: Partial<QueryRequest> = {}): QueryRequest {
  return { connection, origin: ADHOC, statement: { query }, signal: new AbortController().signal, ...rest };
}

async function ask(
  query: string,
  rest: Partial<QueryRequest> = {},
  caller = callerOf(workspaceId),
): Promise<ExecuteAnswer> {
  const response = await executeQuery(caller, requestOf(query, rest), "json");
  return ((await response.json()) as { data: ExecuteAnswer }).data;
}

const PACKING_MS = 600_000;
/** Heap limit: the test's 1,000,000 rows take twice as much. A few batches wait there for compression. */
const RETAINED_BYTES_MAX = 75 * MIB;

async function stream(query: string, format: ResultFormat, rest: Partial<QueryRequest> = {}): Promise<Response> {
  return executeQuery(callerOf(workspaceId), requestOf(query, rest), format);
}

/**
 * Measures the longest turn of the event loop so far, in CPU time of this thread: waiting for the CPU because of other
 * tests does not count.
 */
function longestTurn(): { stop(): number } {
  let longestMs = 0;
  let isOn = true;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop: () => {
      isOn = false;
      look();
      return longestMs;
    },
  };
}

describe("a JSON answer", () => {
  it("has the API's format, and an X-Execution-Id", async () => {
    const executionId = randomUUID();
    const response = await executeQuery(
      callerOf(workspaceId),
      requestOf("select 1 as id, 2 as id, 'x' as x", { executionId }),
      "json",
    );
    expect(response.headers.get("X-Execution-Id")).toBe(executionId);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        executionId,
        fields: [
          { name: "id", type: "int32", dbType: "INTEGER" },
          { name: "id_2", type: "int32", dbType: "INTEGER" },
          { name: "x", type: "string", dbType: "VARCHAR" },
        ],
        rows: [{ id: 1, id_2: 2, x: "x" }],
        rowCount: 1,
        truncated: false,
        affectedRows: null,
        moreResults: [],
        durationMs: expect.any(Number),
        databaseMs: expect.any(Number),
      },
    });
  });

  it("keeps a column named __proto__ and changes no prototype (T58)", async () => {
    const answer = await ask(`select '{"isAdmin": true}'::json as "__proto__"`);
    expect(Object.entries(answer.rows[0] ?? {})).toEqual([["__proto__", { isAdmin: true }]]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it.each([
    [undefined, 5000, 1000, true],
    [undefined, 1000, 1000, false],
    [3, 5, 3, true],
    [60_000, 60_000, 50_000, true],
  ])("with limit %s of %i rows has %i, truncated %s", async (limit, there, rowCount, truncated) => {
    const answer = await ask(`select range from range(${there})`, limit === undefined ? {} : { limit });
    expect([answer.rowCount, answer.rows.length, answer.truncated]).toEqual([rowCount, rowCount, truncated]);
  });

  it("stops at 64 MiB in total and 16 MiB per cell (T54)", async () => {
    const response = await executeQuery(
      callerOf(workspaceId),
      requestOf("select repeat('x', 1000000) as a from range(1000)"),
      "json",
    );
    const bytes = (await response.arrayBuffer()).byteLength;
    expect(bytes).toBeLessThanOrEqual(65 * MIB);
    expect(bytes).toBeGreaterThan(62 * MIB);
    const cut = await ask(
      `select i, repeat('x', case i when 2 then ${16 * MIB + 1} else 1 end) as a from range(5) t(i)`,
    );
    expect([cut.rowCount, cut.truncated]).toEqual([2, true]);
  });

  it("of 50,000 rows yields the event loop while it is built (F15)", async () => {
    const watch = longestTurn();
    const response = await executeQuery(
      callerOf(workspaceId),
      requestOf(
        "select i, 'name ' || i as name, i / 7 as part, now() as at_time, [i, i + 1] as list from range(50000) t(i)",
        {
          limit: 50_000,
        },
      ),
      "json",
    );
    const longestMs = watch.stop();
    expect(Number(response.headers.get("Content-Length"))).toBeGreaterThan(5 * MIB);
    expect(longestMs).toBeLessThan(50);
    await response.body?.cancel();
  });

  it("reports the database's time, never more than the total", async () => {
    const { durationMs, databaseMs } = await ask("select count(*) from range(20000000)");
    expect(databaseMs).toBeGreaterThan(0);
    expect(databaseMs).toBeLessThanOrEqual(durationMs);
  });
});

describe("a stream", () => {
  it("has no row limit, and obeys a given one", async () => {
    const whole = await (await stream("select range as n from range(120000)", "ndjson")).text();
    expect(whole.split("\n")).toHaveLength(120_001);
    expect(whole.endsWith('{"n":119999}\n')).toBe(true);
    const cut = await stream("select range as n from range(120000)", "csv", { limit: 2 });
    expect(await cut.text()).toBe("n\r\n0\r\n1\r\n");
    expect(cut.headers.get("Content-Type")).toMatch(/^text\/csv/);
    expect(cut.headers.get("X-Execution-Id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  // Sheets take a minute to compress on a busy machine.
  const FORMATS = { ndjson: ["long"], parquet: ["long"], xlsx: ["long"] };
  for (const [format, tags] of Object.entries(FORMATS) as ["ndjson" | "parquet" | "xlsx", string[]][])
    it(`of 1,000,000 rows as ${format} takes less than 100 MB of memory`, { timeout: PACKING_MS, tags }, async () => {
      const drain = async (rows: number) => {
        const watch = watchMemory();
        const response = await stream(
          `select i as id, 'name ' || i as name, (i * 7) % 1000 / 10 as price, i % 2 = 0 as flag, date '2026-01-01' as day from range(${rows}) t(i)`,
          format,
          // A busy machine compresses them for minutes.
          { timeoutMs: PACKING_MS },
        );
        let bytes = 0;
        for await (const chunk of response.body ?? []) bytes += chunk.length;
        return { peak: watch.stop(), bytes };
      };
      // Loads the code and starts the threads that a process keeps.
      await drain(250_000);
      const before = memoryInUse();
      const { peak, bytes } = await drain(1_000_000);
      // Compressed formats are a fraction of the text.
      expect(bytes).toBeGreaterThan(format === "ndjson" ? 50_000_000 : 5_000_000);
      expect(peak.retained - before.retained).toBeLessThan(RETAINED_BYTES_MAX);
      expect(peak.resident - before.resident).toBeLessThan(100 * MIB);
    });

  it("that fails before its first row returns an error status", async () => {
    await expect(stream("select nam from (select 1 as name)", "csv")).rejects.toMatchObject({ kind: "query_failed" });
    for (const format of ["ndjson", "parquet", "xlsx"] as const) {
      await expect(stream("select error('at once')", format)).rejects.toMatchObject({ message: "at once" });
    }
  });

  it.each(["ndjson", "parquet", "xlsx"] as const)(
    "as %s that fails later breaks, and never looks complete",
    async (format) => {
      const response = await stream(
        "select case when i < 200000 then i else error('late') end from range(300000) t(i)",
        format,
      );
      await expect(response.text()).rejects.toMatchObject({ message: "late" });
    },
  );
});

describe("the end of a query", () => {
  it("by its timeout is 504, long before its end (T52)", async () => {
    await expect(ask(ENDLESS, { timeoutMs: 300 })).rejects.toMatchObject({ kind: "timeout", status: 504 });
  });

  it("by cancellation is 409, and cancelling again finds nothing", async () => {
    const executionId = randomUUID();
    const running = ask(ENDLESS, { executionId });
    const failure = expect(running).rejects.toMatchObject({
      kind: "cancelled",
      status: 409,
      headers: { "X-Execution-Id": executionId },
    });
    await sleep(100);
    await cancelExecution(callerOf(workspaceId), executionId);
    await failure;
    await expect(cancelExecution(callerOf(workspaceId), executionId)).rejects.toMatchObject({ kind: "not_found" });
  });

  it("can't be caused from another workspace", async () => {
    const executionId = randomUUID();
    const stop = new AbortController();
    const running = ask(ENDLESS, { executionId, signal: stop.signal });
    const failure = expect(running).rejects.toThrow();
    await sleep(400);
    await expect(cancelExecution(callerOf(new ObjectId()), executionId)).rejects.toMatchObject({ kind: "not_found" });
    stop.abort();
    await failure;
  });

  it("by its client's leaving frees the slot (T53)", async () => {
    for (let round = 0; round < 12; round += 1) {
      const stop = new AbortController();
      const failure = expect(ask(ENDLESS, { signal: stop.signal })).rejects.toMatchObject({ kind: "cancelled" });
      setTimeout(() => stop.abort(), 20);
      await failure;
    }
    expect((await ask("select 1 as a")).rows).toEqual([{ a: 1 }]);
  });

  it("in the middle of a stream by its reader's leaving frees the slot too", async () => {
    for (let round = 0; round < 12; round += 1) {
      const response = await stream("select range from range(100000000000)", "ndjson");
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    expect((await ask("select 1 as a")).rows).toEqual([{ a: 1 }]);
  });

  it("keeps a running ID unique", async () => {
    const executionId = randomUUID();
    const stop = new AbortController();
    const failure = expect(ask(ENDLESS, { executionId, signal: stop.signal })).rejects.toThrow();
    await expect(ask("select 1", { executionId })).rejects.toMatchObject({ kind: "conflict" });
    stop.abort();
    await failure;
  });
});

describe("the queue", () => {
  it("runs five of a connection; the sixth can be cancelled while it waits", async () => {
    const busy = connectionTo("line.duckdb", false);
    const stop = new AbortController();
    const five = Array.from({ length: 5 }, () => ask(ENDLESS, { connection: busy, signal: stop.signal }));
    const ended = Promise.allSettled(five);
    await sleep(100);
    const executionId = randomUUID();
    const sixth = expect(ask("select 1", { connection: busy, executionId })).rejects.toMatchObject({
      kind: "cancelled",
    });
    await sleep(50);
    await cancelExecution(callerOf(workspaceId), executionId);
    await sixth;
    stop.abort();
    expect((await ended).every((each) => each.status === "rejected")).toBe(true);
    expect((await ask("select 1 as a", { connection: busy })).rows).toEqual([{ a: 1 }]);
  });

  it("rejects the fifty-first with Retry-After", async () => {
    const busy = connectionTo("line.duckdb", false);
    const stop = new AbortController();
    const asked = Array.from({ length: 56 }, () => ask(ENDLESS, { connection: busy, signal: stop.signal }));
    const outcomes = Promise.allSettled(asked);
    await expect(asked[55]).rejects.toMatchObject({ kind: "rate_limited", retryAfterSeconds: expect.any(Number) });
    stop.abort();
    const reasons = (await outcomes).map((each) =>
      each.status === "rejected" ? (each.reason as AppError).kind : "ran",
    );
    expect(reasons.filter((kind) => kind === "cancelled")).toHaveLength(55);
  });
});

describe("fifty-five clients that leave at once", () => {
  it.each([
    ["before the engine of the file has started", 0],
    ["while five run and fifty wait", 300],
  ])("%s free every slot: the next query is answered within seconds (T53, T55)", async (_, afterMs) => {
    const crowded = connectionTo(`crowd-${afterMs}.duckdb`, false);
    const stop = new AbortController();
    const asked = Array.from({ length: 55 }, () => ask(ENDLESS, { connection: crowded, signal: stop.signal }));
    const outcomes = Promise.allSettled(asked);
    await sleep(afterMs);
    stop.abort();
    expect((await outcomes).every((each) => each.status === "rejected")).toBe(true);
    const five = Array.from({ length: 5 }, (__, n) =>
      ask(`select ${n} as n`, { connection: crowded, timeoutMs: 8000 }),
    );
    expect((await Promise.all(five)).map(({ rows }) => rows[0])).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })));
  });
});

describe("a read-only connection", () => {
  it("stays read-only, and a writable one can be restricted for a query", async () => {
    const writable = connectionTo("narrow.duckdb", false);
    await ask("create table t (a int)", { connection: writable });
    await expect(ask("insert into t values (1)", { connection: writable, readOnly: true })).rejects.toMatchObject({
      kind: "read_only",
      status: 400,
    });
    expect((await ask("select count(*) as n from t", { connection: { ...writable, readOnly: true } })).rows).toEqual([
      { n: 0 },
    ]);
  });
});

describe("rows in memory", () => {
  it("are plain objects within the same limits", async () => {
    const result = await runQuery(
      callerOf(workspaceId),
      requestOf("select i, i as i from range(20) t(i)", { limit: 2 }),
    );
    expect(result).toMatchObject({
      rows: [
        { i: 0, i_2: 0 },
        { i: 1, i_2: 1 },
      ],
      rowCount: 2,
      truncated: true,
    });
  });
});

describe("history", () => {
  const own = new ObjectId();
  const askOwn = (query: string, rest: Partial<QueryRequest> = {}) =>
    ask(query, { connection: { ...connection, workspaceId: own }, ...rest }, callerOf(own));

  it("has every outcome, newest first, in pages", async () => {
    await askOwn("select 1 as good");
    await expect(askOwn("select nam")).rejects.toThrow();
    await expect(askOwn(ENDLESS, { timeoutMs: 400 })).rejects.toThrow();
    await writeNow();
    const first = await listExecutions(callerOf(own), { limit: 2 });
    const second = await listExecutions(callerOf(own), { limit: 2, cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ query, status, rowCount }) => [query, status, rowCount])).toEqual([
      [ENDLESS, "timeout", null],
      ["select nam", "failure", null],
      ["select 1 as good", "success", 1],
    ]);
    expect(second.nextCursor).toBeNull();
    expect(first.items[1]?.error).toContain("nam");
    await expect(listExecutions(callerOf(own), { cursor: "x" })).rejects.toMatchObject({ kind: "invalid_request" });
  });

  it("shows a running query, and cancels it from another server within seconds", async () => {
    const executionId = randomUUID();
    const running = askOwn(ENDLESS, { executionId });
    const failure = expect(running).rejects.toMatchObject({ kind: "cancelled" });
    const newest = async () => (await listExecutions(callerOf(own), { limit: 1 })).items[0];
    await vi.waitFor(async () => expect(await newest()).toMatchObject({ executionId, status: "running" }), 30_000);
    const { collections } = await import("@/lib/features/instance/collections");
    await collections.executions().updateOne({ workspaceId: own, executionId }, { $set: { cancelRequested: true } });
    await failure;
    await writeNow();
    expect(await newest()).toMatchObject({ executionId, status: "cancelled" });
  });

  it("stores 10,000 characters of a query", async () => {
    await askOwn(`select '${"x".repeat(20_000)}' as a`);
    await writeNow();
    expect((await listExecutions(callerOf(own), { limit: 1 })).items[0]?.query).toHaveLength(10_000);
  });
});
