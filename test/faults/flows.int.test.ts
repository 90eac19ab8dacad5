import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer as Postgres, startPostgres } from "@/test/servers/postgres";
import { memoryOf, registerAt, type Server, Servers } from "./two-servers";

/*
 * Flows of real servers whose processes are killed (F2, F14): at the end, the destination has each row of the source
 * once. `npm test` moves a part; FLOW_ROWS=1000000 FLOW_KILLS=6 is the number that the product promises, and waits for
 * the leases of dead servers.
 */

const ROWS = Number(process.env.FLOW_ROWS ?? 500_000);
const KILLS = Number(process.env.FLOW_KILLS ?? 2);
/** The test ends the leases of killed servers, instead of waiting. */
const IS_SHORT = process.env.FLOW_KILLS === undefined;
const MIB = 1024 * 1024;
/** Maximum growth of a server for any flow, in bytes. */
const GROWTH_MAX = 150 * MIB;
/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const TEST_TIMEOUT_MS = IS_SHORT ? 240_000 : 3_600_000;

let servers: Servers;
let postgres: Postgres | null = null;
let db: Client;
let first: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;
let into: { postgres: string; duckdb: string };

beforeAll(async () => {
  postgres = await startPostgres();
  if (!postgres) throw new Error("PostgreSQL is not installed.");
  const { host, port, database, user, password } = postgres;
  db = new Client({ host, port, database, user, password });
  await db.connect();
  await db.query(`create table many as select i as id, 'name ' || i as name, ((i * 7) % 1000) / 10.0 as price,
    timestamptz '2026-01-01' + i * interval '1 second' as placed_at from generate_series(1, ${ROWS}) i`);
  await db.query("alter table many add primary key (id)");
  // Each batch takes a moment, so that there is a running flow to stop on any machine.
  await db.query(`create function slowly() returns trigger language plpgsql as
    'begin perform pg_sleep(0.2); return null; end'`);
  servers = new Servers();
  first = await servers.start();
  ana = await registerAt(first);
  const connect = async (name: string, config: object) =>
    (await ana.send(first, "POST", "/connectors", { name, type: name, config, readOnly: false })).id as string;
  into = {
    postgres: await connect("postgres", { host, port, database, user, password, ssl: "disable" }),
    duckdb: await connect("duckdb", { file: "flows.duckdb" }),
  };
}, START_TIMEOUT_MS);
afterAll(async () => {
  await db?.end();
  await servers?.close();
  await postgres?.stop();
});

async function makeFlow(to: keyof typeof into, table: string): Promise<string> {
  if (to === "postgres") {
    await db.query(`create table ${table} (like many)`);
    await db.query(`create trigger slowly after insert on ${table} execute function slowly()`);
  }
  const made = await ana.send(first, "POST", "/flows", {
    name: table,
    type: "sync",
    source: { connectionId: into.postgres, entities: [{ name: "many", primaryKey: ["id"] }] },
    destination: { connectionId: into[to], table, write: "append" },
    trigger: false,
  });
  return made.flow.id;
}

const runs = () => servers.store.collection("runs");
const find = (runId: string) => runs().findOne({ _id: new ObjectId(runId) });

async function until<T>(look: () => Promise<T | null | false>, ms: number, what: string): Promise<T> {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > giveUpAt) throw new Error(`${what} has not happened within ${ms / 1000} s.`);
    await sleep(20);
  }
}

/** Returns the number of rows, the number of distinct ids, and the sum of all ids. */
async function contents(server: Server, to: keyof typeof into, table: string): Promise<number[]> {
  const query = `select count(*) as n, count(distinct id) as ids, sum(id) as total from ${table}`;
  const { rows } = await ana.send(server, "POST", `/databases/${into[to]}/execute`, { query });
  return [rows[0].n, rows[0].ids, rows[0].total].map(Number);
}
const ALL = [ROWS, ROWS, (ROWS * (ROWS + 1)) / 2];

/** Tracks the peak memory of a process while it lives. */
function watchMemory(pid: number): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid) ?? 0);
  }, 100);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

describe("a flow whose server is killed repeatedly (F2)", { tags: ["long"] }, () => {
  it.each(["postgres", "duckdb"] as const)(
    `writes its ${ROWS} rows into %s once each, with bounded memory`,
    async (to) => {
      const table = `killed_${to}`;
      const flowId = await makeFlow(to, table);
      const before = memoryOf(first.webPid) ?? 0;
      let grown = 0;
      let peakOf = watchMemory(first.webPid);
      const { run } = await ana.send(first, "POST", "/flows", { flowId });
      let kills = 0;
      let written = 0;
      let longestMs = 0;
      for (; kills < KILLS; kills += 1) {
        const share = written + ((ROWS - written) / (KILLS - kills + 1)) * 0.8;
        const stands = await until(
          async () => {
            const seen = await find(run.id);
            return (seen?.status === "success" || seen?.counts?.written >= share) && seen;
          },
          TEST_TIMEOUT_MS,
          "Its share of the rows",
        );
        if (stands.status === "success") break;
        grown = Math.max(grown, peakOf() - before);
        await servers.kill(first);
        const killedAt = performance.now();
        first = await servers.start();
        peakOf = watchMemory(first.webPid);
        const seen = await find(run.id);
        written = seen?.counts?.written ?? 0;
        if (IS_SHORT) await runs().updateOne({ _id: new ObjectId(run.id) }, { $set: { "work.dueAt": new Date(0) } });
        const starts = seen?.work.starts ?? 0;
        await until(
          async () => ((await find(run.id))?.work.starts ?? 0) > starts,
          TEST_TIMEOUT_MS,
          "That the run goes on",
        );
        longestMs = Math.max(longestMs, performance.now() - killedAt);
      }
      const ended = await until(
        async () => {
          const seen = await find(run.id);
          return seen?.completedAt && seen;
        },
        TEST_TIMEOUT_MS,
        "The end of the run",
      );
      grown = Math.max(grown, peakOf() - before);
      expect(ended).toMatchObject({ status: "success", error: null, work: { starts: kills + 1, lapses: kills } });
      expect(ended.counts).toEqual({ read: ROWS, written: ROWS, skipped: 0, failed: 0 });
      expect(await contents(first, to, table)).toEqual(ALL);
      expect(kills).toBe(KILLS);
      process.stdout.write(
        `F2: ${ROWS} rows to ${to}, ${kills} kills: all there, each once; taken up again after ${(longestMs / 1000).toFixed(1)} s at the most; the server grew by ${(grown / MIB).toFixed(0)} MiB\n`,
      );
      expect(grown).toBeLessThan(GROWTH_MAX);
    },
    TEST_TIMEOUT_MS,
  );
});

/** Returns the server that executes the active run: its executor holds the job. */
function holderOf(runId: string, among: readonly Server[]): Promise<Server> {
  return until(
    async () => {
      if (!((await find(runId))?.counts?.written > 0)) return null;
      const job = await servers.store.collection("job_runs").findOne({ state: "leased", functionId: /run-flow$/ });
      return among.find(({ worker }) => worker === job?.leaseBy) ?? null;
    },
    60_000,
    "That it is carried out",
  );
}

async function endsWhole(runId: string, table: string): Promise<void> {
  const ended = await until(async () => (await find(runId))?.completedAt, TEST_TIMEOUT_MS, "The end of the run");
  expect(ended).toBeInstanceOf(Date);
  const counts = { read: ROWS, written: ROWS, skipped: 0, failed: 0 };
  expect(await find(runId)).toMatchObject({ status: "success", error: null, work: { starts: 2, lapses: 0 }, counts });
  expect(await contents(first, "postgres", table)).toEqual(ALL);
}

/**
 * Whether the job was handed over: the server that released it notified the next one, before it ended. A sweep may
 * repeat the event, which has the same id.
 */
async function isHandedOver(runId: string, endedAt: Date): Promise<boolean> {
  const event = { payload: new RegExp(`${runId}:1:0"`), createdAt: { $lte: endedAt } };
  return (await servers.store.collection("job_events").countDocuments(event)) > 0;
}

describe("a server that is stopped during a flow (F14)", () => {
  const startsTwice = async (runId: string) => (await find(runId))?.work.starts === 2;

  it("releases it, and another one continues at once", { tags: ["long"], timeout: TEST_TIMEOUT_MS }, async () => {
    const flowId = await makeFlow("postgres", "handed_over");
    const second = await servers.start();
    const { run } = await ana.send(first, "POST", "/flows", { flowId });
    const holder = await holderOf(run.id, [first, second]);
    const stopped = servers.stop(holder);
    const since = performance.now();
    await until(() => startsTwice(run.id), TEST_TIMEOUT_MS, "That another server goes on");
    const seconds = (performance.now() - since) / 1000;
    expect(await stopped).toBe(0);
    expect(await isHandedOver(run.id, new Date())).toBe(true);
    first = holder === first ? second : first;
    await endsWhole(run.id, "handed_over");
    process.stdout.write(`F14: another server went on after ${seconds.toFixed(1)} s\n`);
  });

  it("continues it after a restart if it is alone", { tags: ["long"], timeout: TEST_TIMEOUT_MS }, async () => {
    const flowId = await makeFlow("postgres", "started_again");
    const { run } = await ana.send(first, "POST", "/flows", { flowId });
    await holderOf(run.id, [first]);
    expect(await servers.stop(first)).toBe(0);
    const endedAt = new Date();
    first = await servers.start();
    expect(await isHandedOver(run.id, endedAt)).toBe(true);
    await until(() => startsTwice(run.id), TEST_TIMEOUT_MS, "That it goes on");
    await endsWhole(run.id, "started_again");
  });
});
