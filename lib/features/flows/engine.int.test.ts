import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataSourcePool } from "@/lib/features/connections/pool";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { bundleProcess } from "@/test/bundle";
import { splitCases } from "@/test/cases";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import { executeFlowRun } from "./execute";

/* Runs between real databases, some of which are killed (F2): every row arrives, and none twice. */

const own = takeOwnDatabase();
let ana: FlowAuthor;
let server: TestServer | null = null;
let postgres = "";
let sqlite = "";
let duckdb = "";
let runner = "";
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  server = await startPostgres();
  if (server) {
    const { host, port, database, user, password } = server;
    postgres = await ana.connect("postgres", { host, port, database, user, password, ssl: "disable" });
  }
  sqlite = await ana.file("sqlite");
  duckdb = await ana.file("duckdb");
  runner = await bundleProcess("test/fixtures/flows/run-process.ts");
}, 180_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await server?.stop();
  await own.drop();
});

const CONNECTIONS = { postgres: () => postgres, sqlite: () => sqlite, duckdb: () => duckdb };
type Kind = keyof typeof CONNECTIONS;
const WAYS: { from: Kind; to: Kind; tags: string[] }[] = [
  { from: "duckdb", to: "postgres", tags: [] },
  { from: "sqlite", to: "duckdb", tags: [] },
  { from: "postgres", to: "sqlite", tags: ["long"] },
  { from: "postgres", to: "postgres", tags: ["long"] },
];

let tables = 0;
const count = async (kind: Kind, table: string) => {
  const rows = await ana.sql(CONNECTIONS[kind](), `select count(*) as n, count(distinct id) as d from ${table}`);
  return [Number(rows[0]?.n), Number(rows[0]?.d)];
};

for (const { from, to, tags } of WAYS)
  describe(`from ${from} to ${to}`, { tags }, () => {
    const flowOf = (table: string, more: Record<string, unknown> = {}, write = "append") => ({
      type: "sync",
      source: { connectionId: CONNECTIONS[from](), entities: [{ name: table, cursorField: "v", primaryKey: ["id"] }] },
      destination: { connectionId: CONNECTIONS[to](), table: `${table}_copy`, write },
      ...more,
    });
    const read = (table: string) => ana.sql(CONNECTIONS[to](), `select id, v, label from ${table}_copy order by id`);
    const change = (query: string) => ana.sql(CONNECTIONS[from](), query);
    const begin = async () => {
      const table = `moved_${tables++}`;
      await change(`create table ${table} (id integer primary key, v integer, label varchar(50))`);
      await change(`insert into ${table} values (1, 10, 'one'), (2, 20, 'two'), (3, 20, 'three')`);
      return table;
    };
    const [one, two, three] = [
      { id: 1, v: 10, label: "one" },
      { id: 2, v: 20, label: "two" },
      { id: 3, v: 20, label: "three" },
    ];

    it("continues after the checkpoint, and includes later rows of its value", async () => {
      const table = await begin();
      const { flow } = await ana.make(flowOf(table, { mode: "incremental" }));
      expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 3, written: 3 } });
      expect(await read(table)).toEqual([one, two, three]);
      expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 0, written: 0 } });
      await change(`insert into ${table} values (4, 20, 'late'), (5, 30, 'new'), (6, 5, 'old')`);
      expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 2, written: 2 } });
      const [late, fresh] = [{ id: 4, v: 20, label: "late" }, { id: 5, v: 30, label: "new" }]; // biome-ignore format: one look
      expect(await read(table)).toEqual([one, two, three, late, fresh]);
      const { checkpoint } = (await ana.send("GET", `/flows/${flow.id}`)).json.data;
      expect(checkpoint).toEqual([{ entity: table, value: 30, updatedAt: expect.any(String) }]);
    });

    it("appends changed rows, and all of them in a backfill", async () => {
      const table = await begin();
      const { flow } = await ana.make(flowOf(table, { mode: "incremental" }));
      await ana.run(flow.id);
      await change(`update ${table} set v = 30, label = 'changed' where id = 1`);
      const again = { status: "success", counts: { read: 1, written: 1, failed: 0 } };
      expect(await ana.run(flow.id)).toMatchObject(again);
      const labels = async () => (await read(table)).map(({ id, label }) => `${id} ${label}`).sort();
      expect(await labels()).toEqual(["1 changed", "1 one", "2 two", "3 three"]);
      expect((await ana.send("POST", `/flows/${flow.id}/runs`, {})).status).toBe(202);
      await ana.runJobs();
      expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.lastRun).toMatchObject({
        status: "success",
        counts: { read: 3, written: 3, failed: 0 },
      });
      expect(await labels()).toEqual(["1 changed", "1 changed", "1 one", "2 two", "2 two", "3 three", "3 three"]);
    });

    it("updates existing rows, and reads again from a value", async () => {
      const table = await begin();
      const { flow } = await ana.make(flowOf(table, { mode: "incremental" }, "upsert"));
      await ana.run(flow.id);
      await change(`update ${table} set label = 'changed'`);
      expect(await ana.run(flow.id)).toMatchObject({ counts: { read: 0 } });
      const answer = await ana.send("POST", `/flows/${flow.id}/runs`, { from: 20 });
      expect([answer.status, answer.json.data.run.triggerType]).toEqual([202, "backfill"]);
      await ana.runJobs();
      expect(await read(table)).toEqual([one, { ...two, label: "changed" }, { ...three, label: "changed" }]);
      expect((await ana.send("POST", `/flows/${flow.id}/runs`, {})).status).toBe(202);
      await ana.runJobs();
      expect((await read(table))[0]).toEqual({ ...one, label: "changed" });
      expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.lastRun).toMatchObject({
        counts: { read: 3, written: 3 },
      });
      for (const body of [{ mode: "full", from: 1 }, { mode: "half" }, { from: {} }]) {
        expect((await ana.send("POST", `/flows/${flow.id}/runs`, body)).status).toBe(400);
      }
    });

    it("replaces everything and adds new columns", async () => {
      const table = await begin();
      const { flow } = await ana.make(flowOf(table, {}, "replace"));
      await ana.run(flow.id);
      await change(`delete from ${table} where id = 1`);
      await change(`alter table ${table} add column extra integer`);
      await change(`update ${table} set extra = id * 2`);
      expect(await ana.run(flow.id)).toMatchObject({ status: "success", counts: { read: 2, written: 2 } });
      expect(await ana.sql(CONNECTIONS[to](), `select id, extra from ${table}_copy order by id`)).toEqual([
        { id: 2, extra: 4 },
        { id: 3, extra: 6 },
      ]);
    });

    it("skips and names a rejected row, and fails with too many", async () => {
      const table = await begin();
      await ana.sql(
        CONNECTIONS[to](),
        `create table ${table}_copy (id bigint primary key, v bigint check (v < 1000), label varchar(50))`,
      );
      await change(`insert into ${table} values (4, 5000, 'large'), (5, 40, 'five')`);
      const { flow } = await ana.make(flowOf(table));
      const run = await ana.run(flow.id);
      expect(run).toMatchObject({ status: "success", counts: { read: 5, written: 4, failed: 1 } });
      expect(run.logs.filter(({ level }: { level: string }) => level === "warn")).toMatchObject([
        { text: expect.stringMatching(new RegExp(`^${table}: row 4`)) },
      ]);
      const many = Array.from({ length: 101 }, (_, index) => `(${index + 10}, 5000, 'x')`).join(", ");
      await change(`insert into ${table} values ${many}`);
      expect(await ana.run(flow.id)).toMatchObject({
        status: "failure",
        error: expect.stringMatching(/rejected row/),
      });
    });
  });

/** Starts another server, which executes a run. */
function executeElsewhere(runId: string): ChildProcess {
  const task = { workspaceId: ana.person.workspaceId, runId };
  return fork(runner, [JSON.stringify(task)], { env: process.env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

const written = async (runId: string) =>
  (await collections.runs().findOne({ _id: new ObjectId(runId) }))?.counts?.written ?? 0;

/** @returns false if it ended before it could be killed */
async function killWhen(child: ChildProcess, isTime: () => Promise<boolean>): Promise<boolean> {
  const closed = once(child, "close");
  while (!(await isTime())) {
    if (child.exitCode !== null) return false;
    await sleep(20);
  }
  const isKilled = child.kill("SIGKILL");
  await closed;
  return isKilled;
}

const startsOf = async (runId: string) =>
  (await collections.runs().findOne({ _id: new ObjectId(runId) }))?.work.starts ?? 0;

const isOver = async (runId: string) =>
  (await collections.runs().findOne({ _id: new ObjectId(runId) }))?.completedAt != null;

/** Lets the lease of a killed holder lapse. */
const lapse = (runId: string) =>
  collections.runs().updateOne({ _id: new ObjectId(runId) }, { $set: { "work.dueAt": new Date(Date.now() - 60_000) } });

const KILLED = [
  { ROWS: 200_000, KILLS: 2, writes: ["upsert"], tags: [] },
  { ROWS: 300_000, KILLS: 3, writes: ["append", "replace", "upsert"], tags: ["long"] },
];

describe.each(KILLED)(
  "a run of $ROWS rows whose server is killed $KILLS times (F2)",
  ({ ROWS, KILLS, writes, tags }) => {
    it.each(writes)("that %ss ends with exactly the source's rows", { tags, timeout: 240_000 }, async (write) => {
      if (!server) return;
      const table = `killed_${write}_${KILLS}`;
      await ana.sql(postgres, `create table ${table} (id integer primary key, v integer, label text)`);
      await ana.sql(postgres, `insert into ${table} select n, n, repeat('x', 40) from generate_series(1, ${ROWS}) n`);
      const copy = `${table}_copy`;
      await ana.sql(postgres, `create table ${copy} (id integer primary key, v integer, label text)`);
      await ana.sql(postgres, `insert into ${copy} values (0, 0, 'before')`);
      const { flow } = await ana.make({
        type: "sync",
        source: { connectionId: postgres, entities: [{ name: table, primaryKey: ["id"] }] },
        destination: { connectionId: postgres, table: copy, write },
      });
      const { run } = (await ana.send("POST", "/flows", { flowId: flow.id })).json.data;
      ana.events.length = 0;
      let kills = 0;
      while (kills < KILLS) {
        const before = await written(run.id);
        const child = executeElsewhere(run.id);
        const isAtWork = async () => (await startsOf(run.id)) > kills && (await written(run.id)) > before;
        // A fast machine may have written the rest by then.
        if (!(await killWhen(child, isAtWork)) || (await isOver(run.id))) break;
        kills += 1;
        const [seen = 0] = await count("postgres", copy);
        // Replaced completely or not at all; otherwise whole batches after the row that existed.
        if (write === "replace") expect([1, ROWS]).toContain(seen);
        else expect(seen).toBeLessThanOrEqual(ROWS + 1);
        await lapse(run.id);
      }
      await executeFlowRun({ workspaceId: ana.person.workspaceId, runId: String(run.id) });
      const rows = write === "replace" ? ROWS : ROWS + 1;
      expect(await count("postgres", copy)).toEqual([rows, rows]);
      const shown = (await ana.send("GET", `/flows/${flow.id}/runs/${run.id}`)).json.data;
      expect(shown).toMatchObject({ status: "success", counts: { read: ROWS, written: ROWS, failed: 0 } });
      expect(kills).toBeGreaterThan(0);
      expect(await startsOf(String(run.id))).toBe(kills + 1);
      expect(
        await ana.sql(postgres, "select tablename from pg_tables where tablename like '\\_millrace\\_stage%'"),
      ).toEqual([]);
      // The end of a run on another server was announced there.
      if (kills === KILLS) expect(ana.events.filter(({ name }) => name === "flow.run.terminal")).toHaveLength(1);
    });
  },
);

describe("a cancelled run", () => {
  it("stops within seconds and leaves nothing partial", async () => {
    if (!server) return;
    await ana.sql(postgres, "create view endless as select n as id from generate_series(1, 50000000) n");
    const { flow } = await ana.make({
      type: "sync",
      source: { connectionId: postgres, entities: [{ name: "endless" }] },
      destination: { connectionId: postgres, table: "ends", write: "replace" },
      trigger: true,
    });
    const [run] = (await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items;
    const over = ana.runJobs();
    while ((await written(run.id)) === 0) await sleep(50);
    const asked = await ana.send("POST", `/flows/${flow.id}/runs/${run.id}/cancel`);
    expect(asked.json.data.run.cancelRequestedAt).not.toBeNull();
    await over;
    const shown = (await ana.send("GET", `/flows/${flow.id}/runs/${run.id}`)).json.data;
    expect(shown).toMatchObject({ status: "cancelled", error: null, entities: [{ status: "cancelled" }] });
    expect(await ana.sql(postgres, "select count(*) as n from ends")).toEqual([{ n: 0 }]);
    expect(
      await ana.sql(postgres, "select tablename from pg_tables where tablename like '\\_millrace\\_stage%'"),
    ).toEqual([]);
  }, 120_000);
});

/** Each change of the connections that a run uses, and the pool's closing of idle ones. */
const DURING: Record<string, (ids: string[], turn: number) => Promise<unknown>> = {
  "new names and tags": (ids, turn) =>
    Promise.all(
      ids.map((id) =>
        ana.send("PATCH", `/connectors/${id}`, {
          name: `renamed ${id.slice(-6)} ${turn}`,
          tag: { name: `live ${turn}`, colour: "rose" },
        }),
      ),
    ),
  "idle close": async () => dataSourcePool().sweep(Date.now() + 86_400_000),
};

const HELD: [Kind, Kind][] = [
  ["postgres", "duckdb"],
  ["sqlite", "postgres"],
];
for (const { tags, cases } of splitCases(HELD, 2))
  describe.each(cases)("a run from %s to %s", { tags }, (from, to) => {
    // biome-ignore format: one look
    it.each(Object.keys(DURING))("C4 completes through %s", async (event) => {
    if (!server) return;
    const names = [1, 2, 3].map((part) => `held_${tables++}_${part}`);
    for (const name of names) {
      await ana.sql(CONNECTIONS[from](), `create table ${name} (id integer primary key)`);
      await ana.sql(
        CONNECTIONS[from](),
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into ${name} select i from n`,
      );
    }
    const { flow } = await ana.make({
      type: "sync",
      source: { connectionId: CONNECTIONS[from](), entities: names.map((name) => ({ name })) },
      destination: { connectionId: CONNECTIONS[to](), write: "replace" },
      trigger: true,
    });
    let isOver = false;
    const over = ana.runJobs().finally(() => {
      isOver = true;
    });
    let turns = 0;
    do {
      const ids = [CONNECTIONS[from](), CONNECTIONS[to]()];
      const answers = await DURING[event]?.(ids, turns++);
      if (Array.isArray(answers)) expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await ana.send("POST", `/databases/${CONNECTIONS[to]()}/execute`, { query: "select 1" });
    } while (!isOver);
    await over;
    const [run] = (await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items;
    expect(run).toMatchObject({ status: "success", error: null, counts: { read: 60_000, written: 60_000 } });
    for (const name of names) expect(await count(to, name)).toEqual([20_000, 20_000]);
    expect(turns).toBeGreaterThan(1);
    expect(dataSourcePool().counts().leases).toBe(0);
  }, 60_000);
  });
