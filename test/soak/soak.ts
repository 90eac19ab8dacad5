import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomOf } from "@/test/random";
import {
  becomeQuiet,
  checkConsoles,
  checkDeliveries,
  checkEnds,
  checkEvents,
  checkFlows,
  checkLeaks,
  checkMeanwhile,
  checkTicks,
  checkWritten,
  runAllFlows,
  stopSchedules,
  type Totals,
} from "./checks";
import { OPERATIONS } from "./operations";
import { descendantsOf, killIfThere, memoryMib, Servers } from "./servers";
import { buildWorld, Cut, World } from "./world";

/*
 * Random operations of every kind on two production servers and one store, one of which is killed repeatedly. A model
 * holds the expected state; at the end, nothing may be lost, duplicated, stuck or left open.
 */

export type SoakOptions = {
  minutes: number;
  seed: number;
  /** Whether the machine is idle, so that times can be checked. */
  isIdle: boolean;
};

const SERVERS = 2;
const WORKERS = 8;
const WORKER_PAUSE_MS = 250;
const CHECKPOINT_MS = 60_000;
const METRICS_MS = 5000;
const FIRST_KILL_MS = 30_000;
const KILL_EVERY_MS = [40_000, 100_000] as const;
const ENGINE_KILL_EVERY_MS = [30_000, 90_000] as const;
const BACKEND_KILL_EVERY_MS = [20_000, 60_000] as const;
const STORE_KILL_EVERY_MS = [90_000, 240_000] as const;
const AWAY_MS = [0, 15_000] as const;
const HEALTH_P99_MS = 200;
const METRICS_TOKEN = "a-token-of-the-soak-test";
const MINUTE_MS = 60_000;
/** Log lines of this level are errors of the server itself (docs/operate/monitoring.md). */
const FAULT_LEVEL = 50;
/** Logged errors that follow from this test's own kills. */
const EXPECTED_LOGS = /never/;

/** Runs the test and prints its summary. @returns whether all checks passed */
export async function run({ minutes, seed, isIdle }: SoakOptions): Promise<boolean> {
  print(`seed ${seed}, ${minutes} minutes`);
  const servers = new Servers({ PUBLIC_URL: "http://127.0.0.1:3999", METRICS_TOKEN });
  const world = new World(servers, randomOf(seed));
  const probes: ChildProcess[] = [];
  for (const signal of ["SIGINT", "SIGTERM"]) {
    // Its children have separate process groups: no one else would stop them.
    process.once(signal, () => void Promise.allSettled([servers.stop(), world.close()]).then(() => process.exit(130)));
  }
  try {
    await servers.start(SERVERS);
    await buildWorld(world);
    print(`${SERVERS} servers are up: ${servers.all.map(({ url }) => url).join(", ")}; their data: ${servers.dataDir}`);
    const probe = fork(
      join(process.cwd(), "test", "soak", "health-probe.ts"),
      servers.all.map(({ url }) => url),
      { execArgv: [] },
    );
    probes.push(probe);
    const metrics = new Metrics(world);
    const kills = await operate(world, minutes * MINUTE_MS, seed, metrics);
    return await summarise(world, kills, metrics, probe, isIdle);
  } finally {
    for (const probe of probes) probe.kill();
    const logs = servers.all.map((server) => {
      const file = join("/tmp", `soak-${process.pid}-server-${server.index}.log`);
      writeFileSync(file, servers.linesOf(server).join("\n"));
      return file;
    });
    print(`logs: ${logs.join(", ")}`);
    await servers.stop().catch(() => {});
    await world.close().catch(() => {});
    servers.remove();
  }
}

type Kills = { servers: number; engines: number; backends: number; stores: number };

/** Runs operations and kills until the time is over. */
async function operate(world: World, forMs: number, seed: number, metrics: Metrics): Promise<Kills> {
  const until = Date.now() + forMs;
  const kills: Kills = { servers: 0, engines: 0, backends: 0, stores: 0 };
  const isOver = () => Date.now() >= until;
  const repeat = async (every: readonly [number, number], work: () => Promise<unknown>, first?: number) => {
    await sleepUntil(first ?? world.between(...every), isOver);
    while (!isOver()) {
      await work().catch((error: Error) => world.fault(`the test itself failed: ${error.message}`));
      await sleepUntil(world.between(...every), isOver);
    }
  };
  const work = async (index: number) => {
    const random = randomOf(seed * 1000 + index);
    while (!isOver()) {
      await operateOnce(world, random);
      await sleep(random() * 2 * WORKER_PAUSE_MS);
    }
  };
  await Promise.all([
    ...Array.from({ length: WORKERS }, (_, index) => work(index)),
    repeat(KILL_EVERY_MS, () => killServer(world, kills), FIRST_KILL_MS),
    repeat(ENGINE_KILL_EVERY_MS, () => killEngine(world, kills)),
    repeat(BACKEND_KILL_EVERY_MS, () => killBackend(world, kills)),
    repeat(STORE_KILL_EVERY_MS, () => killStore(world, kills)),
    repeat([CHECKPOINT_MS, CHECKPOINT_MS], () => checkpoint(world, kills, until)),
    repeat([METRICS_MS, METRICS_MS], () => metrics.read()),
  ]);
  return kills;
}

async function sleepUntil(ms: number, isOver: () => boolean): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() < until && !isOver()) await sleep(Math.min(500, until - Date.now()));
}

const TOTAL_WEIGHT = Object.values(OPERATIONS).reduce((sum, { weight }) => sum + weight, 0);

async function operateOnce(world: World, random: () => number): Promise<void> {
  let at = random() * TOTAL_WEIGHT;
  for (const [name, { weight, work }] of Object.entries(OPERATIONS)) {
    at -= weight;
    if (at >= 0) continue;
    const count = world.operations.get(name) ?? { done: 0, cut: 0 };
    world.operations.set(name, count);
    try {
      await work(world);
      count.done += 1;
    } catch (error) {
      if (error instanceof Cut) count.cut += 1;
      else world.fault(`${name} failed: ${(error as Error).message.slice(0, 300)}`);
    }
    return;
  }
}

async function killServer(world: World, kills: Kills): Promise<void> {
  const server = world.pick(world.servers.all);
  if (!world.servers.all.every(({ isUp }) => isUp)) return;
  kills.servers += 1;
  // Its engines and its part of the store end with it: the other server takes them over.
  world.disturbances.push({ at: Date.now(), what: "engine" });
  await world.servers.crash(server, world.between(...AWAY_MS));
}

async function killEngine(world: World, kills: Kills): Promise<void> {
  const engines = world.servers.all
    .flatMap(({ webPid, isUp }) => (isUp && webPid !== null ? descendantsOf(webPid) : []))
    .filter(({ command }) => /engine/.test(command) && !/bwrap/.test(command));
  const engine = world.pick(engines);
  if (!engine) return;
  kills.engines += 1;
  world.disturbances.push({ at: Date.now(), what: "engine" });
  killIfThere(engine.pid);
}

async function killStore(world: World, kills: Kills): Promise<void> {
  // A starting server has not joined yet.
  if (!world.servers.all.every(({ isUp }) => isUp)) return;
  kills.stores += 1;
  world.disturbances.push({ at: Date.now(), what: "store" });
  await world.servers.crashStore();
}

async function killBackend(world: World, kills: Kills): Promise<void> {
  kills.backends += 1;
  world.disturbances.push({ at: Date.now(), what: "database" });
  if (world.random() < 0.5) {
    await world.pg.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and application_name like 'millrace%' order by random() limit 1",
    );
  } else {
    const [rows] = await world.mysql.query(
      "select id from information_schema.processlist where id <> connection_id() and command <> 'Daemon' order by rand() limit 1",
    );
    const id = (rows as { id: number }[])[0]?.id;
    if (id !== undefined) await world.mysql.query(`kill connection ${id}`).catch(() => {});
  }
}

async function checkpoint(world: World, kills: Kills, until: number): Promise<void> {
  await checkMeanwhile(world);
  const done = [...world.operations.values()].reduce((sum, each) => sum + each.done, 0);
  const cut = [...world.operations.values()].reduce((sum, each) => sum + each.cut, 0);
  const memory = world.servers.all.map(({ webPid }) => (webPid === null ? 0 : memoryMib(webPid))).join(" and ");
  print(
    `${((until - Date.now()) / MINUTE_MS).toFixed(1)} min left: ${done} operations, ${cut} cut, ${kills.servers} servers, ${kills.engines} engines, ${kills.backends} connections and ${kills.stores} stores killed, ${world.faults.size} kinds of faults, ${memory} MiB, load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** Values of GET /metrics, over all processes of a server. */
class Metrics {
  readonly #world: World;
  readonly delays: number[][] = [];
  readonly memory: number[][] = [];

  constructor(world: World) {
    this.#world = world;
  }

  async read(): Promise<void> {
    for (const server of this.#world.servers.all) {
      if (!server.isUp) continue;
      const text = await fetch(`${server.url}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
        signal: AbortSignal.timeout(10_000),
      })
        .then((answer) => answer.text())
        .catch(() => "");
      const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN);
      note(this.delays, server.index, value("nodejs_eventloop_lag_p99_seconds") * 1000);
      note(this.memory, server.index, value("process_resident_memory_bytes") / 1024 / 1024);
    }
  }
}

function note(lists: number[][], index: number, value: number): void {
  const list = lists[index] ?? [];
  lists[index] = list;
  if (Number.isFinite(value)) list.push(value);
}

async function summarise(
  world: World,
  kills: Kills,
  metrics: Metrics,
  probe: ChildProcess,
  isIdle: boolean,
): Promise<boolean> {
  const { servers } = world;
  probe.send("report");
  const [{ samples, lateMs }] = (await once(probe, "message")) as [{ samples: Sample[]; lateMs: number[] }];
  probe.disconnect();
  for (const { index, isUp } of servers.all) if (!isUp) world.fault(`server ${index} did not start again`);
  for (const { index, deaths } of servers.all) {
    if (deaths.length > 0) world.fault(`server ${index} exited unexpectedly with ${deaths.join(", ")}`);
  }
  await stopSchedules(world);
  const stoppedAt = Date.now();
  print("operations ended; waiting for running work");
  for (const left of await becomeQuiet(world)) world.fault(`still there at the end: ${left}`);
  await runAllFlows(world);
  for (const left of await becomeQuiet(world)) world.fault(`still there after the last runs: ${left}`);

  const totals: Totals = { lostRows: 0, doubledRows: 0, checkedRows: 0 };
  const check = (name: string, work: Promise<unknown>) =>
    work.catch((error: Error) => world.fault(`${name} could not be checked: ${error.message.slice(0, 300)}`));
  await check("flows", checkFlows(world, totals));
  await check("writes", checkWritten(world, totals));
  await check("webhook events", checkEvents(world, totals));
  let told = 0;
  await check(
    "deliveries",
    checkDeliveries(world, totals).then((count) => {
      told = count;
    }),
  );
  await check("consoles", checkConsoles(world));
  const ticks = await checkTicks(world, stoppedAt);
  const ends = checkEnds(world, isIdle);
  const left = await checkLeaks(world);
  for (const [text, count] of loggedFaults(world)) world.fault(`logged ${count} times: ${text}`);
  const health = healthOf(world, samples, isIdle);
  const codes = await servers.stop();
  if (codes.some((code) => code !== "0")) world.fault(`servers ended with ${codes.join(", ")}`);

  const late = quantiles(lateMs);
  const delays = metrics.delays.map(
    (list, index) =>
      `server ${index}: p99 of 5 s, middle ${quantiles(list).p50} ms, longest ${quantiles(list).max} ms, memory at most ${quantiles(metrics.memory[index] ?? []).max} MiB`,
  );
  print("");
  for (const [name, { done, cut }] of world.operations)
    print(`  ${name.padEnd(18)} ${String(done).padStart(6)} done ${String(cut).padStart(4)} cut`);
  print(
    `answers: ${[...world.statuses]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${count} x ${status}`)
      .join(", ")}`,
  );
  print(
    `kills: ${kills.servers} servers, ${kills.engines} engines, ${kills.backends} database connections, ${kills.stores} stores`,
  );
  print(`rows: ${totals.checkedRows} checked, ${totals.lostRows} lost, ${totals.doubledRows} doubled`);
  print(
    `writes ${world.written.length}, webhook events ${world.hooks.reduce((sum, { sent }) => sum + sent.size, 0)}, pushes ${world.pushed.length}, ends told ${told}, ticks: ${ticks}`,
  );
  print(`rights: ${ends}`);
  for (const line of health) print(line);
  print(`event loops: ${delays.join("; ")}`);
  print(
    `the probe's own timer: late by p50 ${late.p50} ms, p99 ${late.p99} ms, longest ${late.max} ms; load ${loadavg()
      .map((each) => each.toFixed(1))
      .join(" ")}`,
  );
  for (const line of left) print(line);
  print(`faults: ${world.faults.size}`);
  for (const [text, count] of world.faults) print(`  ${count} x ${text}`);
  return world.faults.size === 0;
}

type Sample = { server: number; at: number; ms: number; status: number };

/** Checks the liveness of each server while it was running. */
function healthOf(world: World, samples: Sample[], isIdle: boolean): string[] {
  return world.servers.all.map((server) => {
    const living = samples.filter(
      (sample) =>
        sample.server === server.index && !world.servers.wasAway(server, sample.at - 500, sample.at + sample.ms),
    );
    const bad = living.filter(({ status }) => status !== 200);
    const statuses = [...Map.groupBy(bad, ({ status }) => status)].map(
      ([status, { length }]) => `${length} x ${status}`,
    );
    const since = bad.length > 0 ? new Date(bad[0]?.at ?? 0).toISOString() : "";
    if (bad.length > 0) {
      world.fault(
        `server ${server.index} did not answer ${bad.length} of ${living.length} questions about its health, ${statuses.join(", ")}, since ${since}`,
      );
    }
    const { p50, p99, max } = quantiles(living.map(({ ms }) => ms));
    if (isIdle && p99 >= HEALTH_P99_MS) world.fault(`the health of server ${server.index} takes ${p99} ms`);
    return `health of server ${server.index}: p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms, of ${living.length}${isIdle ? "" : " (not judged)"}`;
  });
}

function quantiles(values: number[]): { p50: number; p99: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Counts the errors that the servers have logged, by their first words. */
function loggedFaults(world: World): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of world.servers.all.flatMap((server) => world.servers.linesOf(server))) {
    if (!line.startsWith("{")) continue;
    const entry = parse(line);
    if (!entry || Number(entry.level) < FAULT_LEVEL) continue;
    const error = entry.err as { message?: string; stack?: string } | undefined;
    const text = `${entry.msg}: ${error?.message ?? ""} ${error?.stack?.split("\n")[1]?.trim() ?? ""}`
      .replace(/[0-9a-f]{24}|[0-9a-f-]{36}/g, "{id}")
      .slice(0, 300);
    if (!EXPECTED_LOGS.test(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
