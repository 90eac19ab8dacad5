import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { EVENT_STREAMS_END_MS, FRONT_MATTER, git } from "./operations";
import { descendantsOf } from "./servers";
import type { Database, Flow, World } from "./world";

/** Covers a dead server's leases, its retries, and the receivers' retries of up to five minutes. */
const QUIET_MS = 420_000;
const FINAL_RUNS_MS = 300_000;
/** File engines close after a minute without use. */
const ENGINES_IDLE_MS = 75_000;
const MINUTE_MS = 60_000;
/** Each server has a separate engine for the rows of its datasets. */
const TABLES = "/files/tables";
const SAMPLE_OF_CONSOLES = 25;

export type Totals = { lostRows: number; doubledRows: number; checkedRows: number };

/** Waits until nothing is queued or running. @returns the remaining work after the time limit */
export async function becomeQuiet(world: World): Promise<string[]> {
  const until = performance.now() + QUIET_MS;
  for (;;) {
    const left = await unfinished(world);
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(1000);
  }
}

async function unfinished({ servers }: World): Promise<string[]> {
  const count = async (name: string, collection: string, filter: object) => {
    const found = await servers.store.collection(collection).countDocuments(filter);
    return found > 0 ? [`${found} ${name}`] : [];
  };
  const [runs, ends, deliveries, events] = await Promise.all([
    count("runs without an end", "runs", { isUnfinished: true }),
    count("ends that are not told", "runs", { endPendingSince: { $exists: true } }),
    count("deliveries on their way", "deliveries", { status: { $in: ["queued", "retrying"] } }),
    count("webhook events that wait", "flow_events", { isPending: true }),
  ]);
  return [...runs, ...ends, ...deliveries, ...events];
}

/** Pauses the schedules, so that the state can settle. */
export async function stopSchedules(world: World): Promise<void> {
  await world.insist("PUT", `/consoles/${world.scheduledConsoleId}/schedule`, {
    cron: "* * * * *",
    timezone: "UTC",
    enabled: false,
  });
  for (const { id } of world.flows) await world.insist("PATCH", `/flows/${id}`, { schedule: null });
}

/** Runs each flow again whose target has to equal its source. */
export async function runAllFlows(world: World): Promise<void> {
  for (const flow of world.flows.filter(({ kind }) => kind !== "append")) {
    const reply = await world.insist("POST", "/flows", { flowId: flow.id }, [202]);
    const runId = reply.json?.data?.run?.id;
    const until = performance.now() + FINAL_RUNS_MS;
    for (;;) {
      const run = await world.servers.store.collection("runs").findOne({ _id: new ObjectId(String(runId)) });
      if (run?.status === "success") break;
      if (run?.completedAt || performance.now() > until) {
        world.fault(`the last run of ${flow.name} is ${run?.status}: ${run?.error}`);
        break;
      }
      await sleep(200);
    }
  }
}

type Row = { id: number; cents: number; seq: number; note: string };

async function readTable(world: World, database: Database, table: string, where = ""): Promise<Row[]> {
  const rows = await world.rowsOf(
    database,
    `select id, cents, seq, coalesce(note, '(null)') as note from ${table} ${where} order by id`,
  );
  return rows.map(({ id, cents, seq, note }) => ({
    id: Number(id),
    cents: Number(cents),
    seq: Number(seq),
    note: String(note),
  }));
}

/** Compares each destination with its source. Call it when no flow runs. */
export async function checkFlows(world: World, totals: Totals): Promise<void> {
  for (const flow of world.flows) {
    if (flow.kind === "append") await checkAppended(world, flow, totals);
    else await checkEqual(world, flow, totals);
  }
}

async function checkEqual(world: World, { name, from, to, kind }: Flow, totals: Totals): Promise<void> {
  if (!from) return;
  const wanted = await readTable(world, from.database, from.table, kind === "query" ? "where kind = 'a'" : "");
  const found = await readTable(world, to.database, to.table).catch(() => []);
  totals.checkedRows += wanted.length;
  const byId = new Map(found.map((row) => [row.id, row]));
  const lost = wanted.filter(({ id }) => !byId.has(id)).length;
  const doubled = found.length - byId.size;
  const ids = new Set(wanted.map(({ id }) => id));
  const foreign = found.filter(({ id }) => !ids.has(id)).length;
  const stale = wanted.filter((row) => {
    const other = byId.get(row.id);
    return other !== undefined && (other.cents !== row.cents || other.seq !== row.seq || other.note !== row.note);
  }).length;
  totals.lostRows += lost + stale;
  totals.doubledRows += doubled + foreign;
  if (lost + doubled + stale + foreign > 0)
    world.fault(
      `${name}: ${lost} rows lost, ${doubled} doubled, ${stale} stale, ${foreign} that the source never had, of ${wanted.length}`,
    );
}

/** Checks that a flow in append mode has written each row once for each run. */
async function checkAppended(world: World, { id, name, from, to }: Flow, totals: Totals): Promise<void> {
  const place = { resourceId: new ObjectId(id) };
  const runs = await world.servers.store.collection("runs").find(place).project({ counts: 1, status: 1 }).toArray();
  const told = runs.reduce((sum, run) => sum + (run.counts?.written ?? 0), 0);
  const groups = await world
    .rowsOf(
      to.database,
      `select n, count(*) as ids from (select id, count(*) as n from ${to.table} group by id) g group by n`,
    )
    .catch(() => []);
  const written = groups.reduce((sum, { n, ids }) => sum + Number(n) * Number(ids), 0);
  totals.checkedRows += written;
  if (written < told) totals.lostRows += told - written;
  if (written > told) totals.doubledRows += written - told;
  if (written !== told) world.fault(`${name}: ${written} rows are there, its runs have written ${told}`);
  const wholes = runs.filter(({ status }) => status === "success").length;
  const cut = runs.some(({ status, counts }) => status !== "success" && (counts?.written ?? 0) > 0);
  const rows = world.sourceRows[`${from?.database}.${from?.table}`] ?? 0;
  const isWhole =
    wholes === 0 || cut || (groups.length === 1 && Number(groups[0]?.n) === wholes && Number(groups[0]?.ids) === rows);
  if (!isWhole)
    world.fault(
      `${name}: ${wholes} whole runs, and rows by how often they are there: ${JSON.stringify(groups.map(({ n, ids }) => [Number(n), Number(ids)]))}`,
    );
}

/** Checks that at no moment a row is duplicated or lacks a source. */
export async function checkMeanwhile(world: World): Promise<void> {
  for (const { name, to, kind } of world.flows) {
    if (kind === "append") continue;
    const [row] = await world
      .rowsOf(to.database, `select count(*) as n, count(distinct id) as ids from ${to.table}`)
      .catch(() => []);
    if (row && Number(row.n) !== Number(row.ids))
      world.fault(`${name}: ${row.n} rows have ${row.ids} ids in the middle of the test`);
  }
}

export async function checkWritten(world: World, totals: Totals): Promise<void> {
  const byDatabase = Map.groupBy(world.written, ({ database }) => database);
  for (const [database, entries] of byDatabase) {
    const rows = await world.rowsOf(database, "select token, count(*) as n from ledger group by token");
    const found = new Map(rows.map(({ token, n }) => [String(token), Number(n)]));
    for (const { token, rows: allowed } of entries) {
      const n = found.get(token) ?? 0;
      totals.checkedRows += n;
      if (allowed.includes(n)) continue;
      const wanted = allowed.at(-1) ?? 0;
      if (n < wanted) totals.lostRows += wanted - n;
      else totals.doubledRows += n - wanted;
      world.fault(`${database}: an insert has ${n} rows where ${allowed.join(" or ")} have to be`);
    }
  }
}

export async function checkEvents(world: World, totals: Totals): Promise<void> {
  for (const { to, sent } of world.hooks) {
    const rows = await world
      .rowsOf(to.database, `select event_id, count(*) as n from ${to.table} group by event_id`)
      .catch(() => []);
    const found = new Map(rows.map(({ event_id, n }) => [String(event_id), Number(n)]));
    const lost = [...sent].filter(([id, state]) => state === "accepted" && !found.has(id)).length;
    const doubled = [...found.values()].reduce((sum, n) => sum + n - 1, 0);
    const foreign = [...found.keys()].filter((id) => !sent.has(id)).length;
    totals.checkedRows += found.size;
    totals.lostRows += lost;
    totals.doubledRows += doubled + foreign;
    if (lost + doubled + foreign > 0)
      world.fault(`${to.table}: ${lost} events lost, ${doubled} doubled, ${foreign} never sent, of ${sent.size}`);
  }
}

/** Checks that each finished run has one delivery, which arrived with one id and one body. */
export async function checkDeliveries(world: World, totals: Totals): Promise<number> {
  const { store } = world.servers;
  const ruled = [...world.flows.map(({ id }) => id), world.scheduledConsoleId].map((id) => new ObjectId(id));
  const runs = await store
    .collection("runs")
    .find({ resourceId: { $in: ruled }, status: { $in: ["success", "failure"] } })
    .project({ _id: 1 })
    .toArray();
  const deliveries = await store
    .collection("deliveries")
    .find({ resourceId: { $in: ruled } })
    .toArray();
  const byRun = Map.groupBy(deliveries, ({ runId }) => String(runId));
  const hits = world.receiver.hits.filter(({ path }) => path === "/in");
  const byId = Map.groupBy(hits, ({ headers }) => headers["webhook-id"] ?? "");
  for (const run of runs) {
    const [delivery, ...more] = byRun.get(String(run._id)) ?? [];
    if (!delivery) {
      totals.lostRows += 1;
      world.fault("a run has no delivery");
    } else if (delivery.status !== "sent") world.fault(`a delivery is ${delivery.status}`);
    if (more.length > 0) {
      totals.doubledRows += more.length;
      world.fault("a run has several deliveries");
    }
  }
  const runsTold = new Map<string, Set<string>>();
  for (const [id, same] of byId) {
    if (new Set(same.map(({ raw }) => raw.toString())).size > 1) world.fault("one webhook-id came with two bodies");
    const runId = JSON.parse(same[0]?.raw.toString() ?? "{}").runId;
    const ids = runsTold.get(runId) ?? new Set();
    runsTold.set(runId, ids.add(id));
  }
  for (const ids of runsTold.values()) if (ids.size > 1) world.fault("one run was told under two ids");
  for (const run of runs) {
    if (!runsTold.has(String(run._id))) {
      totals.lostRows += 1;
      world.fault("a run was never told to the receiver");
    }
  }
  return runs.length;
}

/** Checks for one tick each minute, on any number of servers. */
export async function checkTicks(world: World, stoppedAt: number): Promise<string> {
  const place = { resourceId: new ObjectId(world.scheduledConsoleId), triggerType: "scheduled" };
  const runs = await world.servers.store.collection("runs").find(place).project({ key: 1, createdAt: 1 }).toArray();
  if (new Set(runs.map(({ key }) => key)).size !== runs.length) world.fault("a tick has two runs");
  const minutes = Math.floor(stoppedAt / MINUTE_MS) - Math.floor(world.scheduledAt / MINUTE_MS);
  return `${runs.length} runs in ${minutes} minutes`;
}

/** Checks that the history and a clone contain exactly the saved consoles. */
export async function checkConsoles(world: World): Promise<void> {
  const url = `${world.anyServer().url.replace("//", `//any:${world.key}@`)}/git/${world.slug}.git`;
  const { folder } = world.servers;
  const clone = join(folder, "last-clone");
  await git(folder, "clone", "--quiet", url, clone);
  await git(clone, "fsck", "--strict", "--full", "--no-progress");
  const subjects = (await git(clone, "log", "--format=%s")).stdout.split("\n");
  const counts = new Map<string, number>();
  for (const subject of subjects) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  const shas = new Set((await git(clone, "log", "--format=%H")).stdout.split("\n"));
  const files = new Set((await git(clone, "ls-tree", "-r", "-z", "--name-only", "HEAD")).stdout.split("\0"));
  for (const sha of world.pushed) if (!shas.has(sha)) world.fault("a pushed commit is not in main");
  for (const saved of world.consoles) {
    const lost = saved.messages.filter((message) => !counts.has(message)).length;
    const doubled = saved.messages.filter((message) => (counts.get(message) ?? 0) > 1).length;
    if (lost > 0) world.fault(`${lost} saves of a console have no commit`);
    if (doubled > 0) world.fault(`${doubled} saves of a console have two commits`);
    const file = `consoles/${saved.name}.sql`;
    if (files.has(file) === saved.isDeleted)
      world.fault(
        `a console that is ${saved.isDeleted ? "deleted" : "there"} is ${saved.isDeleted ? "" : "not "}in the clone`,
      );
    if (saved.isDeleted) continue;
    const { stdout } = await git(clone, "show", `HEAD:${file}`).catch(() => ({ stdout: "" }));
    if (!saved.contents.includes(stdout.replace(FRONT_MATTER, "")))
      world.fault(`a console's file holds another text than was saved: ${JSON.stringify([stdout, saved.contents])}`);
  }
  for (const saved of world.consoles.filter(({ isDeleted }) => !isDeleted).slice(0, SAMPLE_OF_CONSOLES)) {
    const { content } = (await world.insist("GET", `/consoles/${saved.id}`)).json.data;
    if (!saved.contents.includes(content)) world.fault("a console holds another text than was saved");
  }
}

/** Returns what the databases and the servers still hold without any request. */
export async function checkLeaks(world: World): Promise<string[]> {
  await sleep(ENGINES_IDLE_MS);
  const left: string[] = [];
  const owners = new Map<string, number>();
  const { rows } = await world.pg.query(
    "select state, left(query, 80) as query from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle'",
  );
  for (const row of rows) world.fault(`PostgreSQL still has a session ${row.state}: ${row.query}`);
  const [threads] = await world.mysql.query(
    "select command, left(info, 80) as info from information_schema.processlist where command not in ('Sleep', 'Daemon') and id <> connection_id()",
  );
  for (const { command, info } of threads as { command: string; info: string }[])
    world.fault(`MariaDB still has a thread ${command}: ${info}`);
  for (const server of world.servers.all) {
    if (server.webPid === null) continue;
    const children = descendantsOf(server.webPid);
    const files = children.flatMap(({ command }) => /^(?!bwrap).* --file (\S+)/.exec(command)?.[1] ?? []);
    for (const file of files.filter((each) => each !== TABLES)) owners.set(file, (owners.get(file) ?? 0) + 1);
    left.push(`server ${server.index} has ${children.length} processes, engines of: ${files.join(", ") || "none"}`);
  }
  for (const [file, count] of owners) if (count > 1) world.fault(`${count} engines have the file ${file}`);
  return left;
}

export function checkEnds(world: World, isIdle: boolean): string {
  const ends = world.ends.toSorted((a, b) => a.ms - b.ms);
  const times = ends.map(({ ms }) => ms);
  const longest = times.at(-1) ?? 0;
  for (const { what, ms } of ends) {
    if (isIdle && ms > EVENT_STREAMS_END_MS) world.fault(`an event stream ended ${ms.toFixed(0)} ms after ${what}`);
  }
  const middle = times[Math.floor(times.length / 2)] ?? 0;
  return `${times.length} streams ended, p50 ${middle.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`;
}
