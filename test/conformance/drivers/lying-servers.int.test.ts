import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { EngineClient } from "@/lib/platform/engines/client";
import { leaseEngine } from "@/lib/platform/engines/service";
import { AppError } from "@/lib/platform/http/errors";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { randomOf } from "@/test/random";
import { startClickHouseStandIn } from "@/test/servers/clickhouse-stand-in";
import { type Lie, type LyingProxy, someLies, startLyingProxy } from "@/test/servers/lying-proxy";
import { startTrinoStandIn } from "@/test/servers/trino-stand-in";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, change, openWith, startSubject } from "./subjects";

/*
 * Any server response may be malicious (T47, T54). A proxy between each driver and an honest server changes the
 * responses. LIES=20000 tries as many for each; LIES_SEED repeats a run.
 */

const COUNT = Number(process.env.LIES ?? 6);
const SEED = Number(process.env.LIES_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Deadline of each question, in ms; the drivers get no other help. */
const DEADLINE_MS = 600;
/** A busy machine may exceed the deadline, but it may not wait for ever. */
const SETTLED_MS = 30_000;
/** Concurrent lies, which mostly wait for a deadline. */
const AT_ONCE = Number(process.env.LIES_AT_ONCE ?? 8);
/** Enough to see the fault. */
const FAULTS_MAX = 3;
const MEMORY_MAX = 700 * 1024 * 1024;

type Target = {
  /** Opens a driver on the port or socket of the proxy. */
  open(proxy: LyingProxy): Promise<QueryableSource>;
  openHonest(): Promise<QueryableSource>;
  startProxy(): Promise<LyingProxy>;
  questions: readonly string[];
  stop(): Promise<void>;
};

const SQL_QUESTIONS = [
  "select * from lied order by a",
  "select a, b from lied where a > 1",
  "select no_such_column from lied",
];
const dataDir = takeOwnDataDir();

async function startTarget(name: string): Promise<Target | null> {
  if (name === "clickhouse") return startClickHouseTarget();
  if (name === "trino") return startTrinoTarget();
  if (name === "engine") return startEngineTarget();
  const subject = await startSubject(name as "postgres");
  if (!subject?.server) return null;
  const { server, driver, config } = subject;
  const isMongo = name === "mongodb";
  const writer = await subject.open(false);
  if (isMongo) await change(writer, "db.lied.insertMany([{a: 1, b: 'one'}, {a: 2, b: 'two'}, {a: 3, c: [1, {d: 2}]}])");
  else {
    await change(writer, "create table lied (a int primary key, b varchar(20), c timestamp null)");
    await change(
      writer,
      "insert into lied values (1, 'one', null), (2, 'two', '2026-01-01 00:00:00'), (3, null, null)",
    );
  }
  await writer.close();
  const at = (port: number) =>
    isMongo
      ? { ...config, connectionString: String(config.connectionString).replace(/:\d+\//, `:${port}/`) }
      : { ...config, port };
  return {
    open: (proxy) => openWith(driver, at(proxy.port)),
    openHonest: () => subject.open(true),
    startProxy: () => startLyingProxy({ port: server.port }),
    questions: isMongo
      ? ["db.lied.find({})", "db.lied.aggregate([{$group: {_id: '$b', n: {$sum: 1}}}])"]
      : SQL_QUESTIONS,
    stop: () => subject.stop(),
  };
}

async function startClickHouseTarget(): Promise<Target> {
  const { clickhouse } = await import("@/lib/features/connections/drivers/clickhouse");
  const server = await startClickHouseStandIn();
  const config = { host: "127.0.0.1", port: server.port, user: server.user, password: server.password };
  return {
    open: (proxy) => openWith(clickhouse, { ...config, port: proxy.port }),
    openHonest: () => openWith(clickhouse, config),
    startProxy: () => startLyingProxy({ port: server.port }),
    questions: ["select 1", "select repeat('x', 2000)", "select frm", "select nowhere"],
    stop: () => server.stop(),
  };
}

async function startTrinoTarget(): Promise<Target> {
  const { trino } = await import("@/lib/features/connections/drivers/trino");
  const server = await startTrinoStandIn();
  const config = { host: "127.0.0.1", port: server.port, catalog: "lake", schema: "shop", user: "reader" };
  return {
    open: (proxy) => openWith(trino, { ...config, port: proxy.port }),
    openHonest: () => openWith(trino, config),
    startProxy: () => startLyingProxy({ port: server.port }),
    questions: ["select * from lied", "select nowhere from lied"],
    stop: () => server.stop(),
  };
}

async function startEngineTarget(): Promise<Target> {
  const { duckdb } = await import("@/lib/features/connections/drivers/duckdb");
  const open = () => openWith(duckdb, { file: "lied.duckdb" }, false);
  const keeper = await open();
  await change(keeper, "create table lied (a int primary key, b varchar, c timestamp)");
  await change(keeper, "insert into lied values (1, 'one', null), (2, 'two', '2026-01-01 00:00:00'), (3, null, null)");
  const { absolutePath } = await import("@/lib/platform/process/paths");
  const path = `${absolutePath(dataDir.path)}/files/${"a".repeat(24)}/lied.duckdb`;
  const lease = await leaseEngine({ path, readOnlyFile: false, trusted: false });
  let liars = 0;
  return {
    open: async (proxy) => {
      const client = new EngineClient(async () => proxy.path);
      return {
        query: ({ query, params }, options) =>
          client.execute(
            {
              type: "execute",
              query: String(query),
              ...(params && { params }),
              readOnly: options.readOnly,
              timeoutMs: options.timeoutMs,
              cellBytesMax: null,
            },
            options.signal,
          ),
        entities: async (signal) => (await client.ask({ type: "entities" }, signal)).entities,
        test: async (signal) => ({ serverVersion: (await client.ask({ type: "version" }, signal)).version }),
        close: () => client.close(),
      };
    },
    openHonest: open,
    startProxy: async () => {
      liars += 1;
      const path = `${dataDir.path}/liar-${liars}.sock`;
      return startLyingProxy({ path: await lease.socket() }, path);
    },
    questions: SQL_QUESTIONS,
    stop: async () => {
      await lease.release();
      await keeper.close();
    },
  };
}

/** Duration of the slowest lie, in ms. */
let slowest = 0;
const escaped: unknown[] = [];
const keep = (error: unknown) => void escaped.push(error instanceof Error ? error.stack : error);
const theirs = {
  uncaughtException: process.listeners("uncaughtException"),
  unhandledRejection: process.listeners("unhandledRejection"),
};

beforeAll(() => {
  // The runner's listeners would end the run at the first error, without naming the lie.
  process.removeAllListeners("uncaughtException").removeAllListeners("unhandledRejection");
  process.on("uncaughtException", keep).on("unhandledRejection", keep);
  // Console output of a library bypasses our log (T107).
  for (const name of ["log", "info", "warn", "error", "trace"] as const) {
    vi.spyOn(console, name).mockImplementation((...words: unknown[]) => keep(words));
  }
});
afterAll(() => {
  vi.restoreAllMocks();
  process.off("uncaughtException", keep).off("unhandledRejection", keep);
  for (const listener of theirs.uncaughtException) process.on("uncaughtException", listener);
  for (const listener of theirs.unhandledRejection) process.on("unhandledRejection", listener);
  dataDir.remove();
});

/** Sends every question to the proxy. @returns the fault; null when each question was answered or failed in time */
async function interrogate(target: Target, proxy: LyingProxy): Promise<string | null> {
  const source = await target.open(proxy);
  const ends: unknown[] = [];
  let step = "";
  const since = performance.now();
  const work = (async () => {
    const within = () => ({ signal: AbortSignal.timeout(DEADLINE_MS), timeoutMs: DEADLINE_MS });
    const tries: [string, () => Promise<unknown>][] = [
      ["test", () => source.test(within().signal)],
      ...target.questions.map((question): [string, () => Promise<unknown>] => [
        question,
        () => ask(source, question, within()),
      ]),
      ["entities", () => source.entities(within().signal)],
    ];
    for (const [name, each] of tries) {
      step = name;
      await each().catch((error: unknown) => ends.push(error));
    }
    step = "close";
    await source.close();
  })();
  const isSettled = await Promise.race([
    work.then(
      () => true,
      // An error of closing; errors of the questions are kept above.
      (error: unknown) => {
        ends.push(new Error(`It has failed to close: ${error}`, { cause: error }));
        return true;
      },
    ),
    sleep(SETTLED_MS, false),
  ]);
  slowest = Math.max(slowest, performance.now() - since);
  if (!isSettled) return `has not ended, but stands at: ${step}`;
  const strange = ends.find((error) => !(error instanceof AppError) && !isTimeout(error));
  return strange === undefined ? null : strange instanceof Error ? String(strange.stack) : String(strange);
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === "TimeoutError";

/** LIES_TO=postgres,mongodb tests only those. */
const DRIVERS = process.env.LIES_TO?.split(",") ?? ["postgres", "mariadb", "mongodb", "clickhouse", "trino", "engine"];

describe.each(DRIVERS)("the driver of %s", (name) => {
  let target: Target | null = null;

  beforeAll(async () => {
    target = await startTarget(name);
  }, 120_000);
  afterAll(() => target?.stop());

  test(
    `T47 T54 survives ${COUNT} lying servers, seed ${SEED}`,
    async (context) => {
      if (!target) return context.skip();
      const asked = target;
      escaped.length = 0;
      const first = await asked.startProxy();
      expect(await interrogate(asked, first)).toBeNull();
      const honest = first.said();
      await first.stop();
      const memory = process.memoryUsage().rss;
      const faults: unknown[] = [];
      let most = memory;
      let next = 0;
      const work = async () => {
        const proxy = await asked.startProxy();
        while (next < COUNT && faults.length < FAULTS_MAX) {
          const number = next++;
          const lies: Lie[] = someLies(randomOf(SEED + number), honest);
          proxy.tell(lies);
          const before = escaped.length;
          const fault = await interrogate(asked, proxy);
          most = Math.max(most, process.memoryUsage().rss);
          if (fault !== null || escaped.length > before)
            faults.push({ number, lies, fault, escaped: escaped.slice(before) });
        }
        await proxy.stop();
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const mebibytes = Math.round((most - memory) / 1024 / 1024);
      process.stderr.write(
        `\n${name}: ${next} lies from seed ${SEED}, the longest ${Math.round(slowest)} ms, ${mebibytes} MiB more\n`,
      );
      expect({ seed: SEED, faults }).toEqual({ seed: SEED, faults: [] });
      expect(most - memory).toBeLessThan(MEMORY_MAX);
      const source = await asked.openHonest();
      expect(await source.test(new AbortController().signal)).toBeDefined();
      expect((await ask(source, asked.questions[0] ?? "")).rows.length).toBeGreaterThan(0);
      await source.close();
      expect(escaped).toEqual([]);
    },
    120_000 + COUNT * 1000,
  );
});
