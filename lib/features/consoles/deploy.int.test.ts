import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { RUN_ENDED_EVENT } from "@/lib/features/runs/ends";
import type { RunQueued } from "@/lib/features/runs/enqueue";
import { sweepRuns } from "@/lib/features/runs/sweep";
import { databaseReady } from "@/lib/platform/db/ready";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { CONSOLE_RUN_QUEUED_EVENT, executeConsoleRun, recoverConsoleRun } from "./schedule";

const server = vi.hoisted(() => ({ isStopping: false, callbacks: new Set<() => void | Promise<void>>() }));
vi.mock("@/lib/platform/process/shutdown", () => ({
  isShuttingDown: () => server.isStopping,
  onShutdown: (callback: () => void) => {
    server.callbacks.add(callback);
    return () => server.callbacks.delete(callback);
  },
  afterRequests: () => () => {},
}));

const own = takeOwnDatabase();
let ana: Person;
let author: ConsoleAuthor;
const connections = { readOnly: "", writable: "" };
let events: JobEvent[] = [];
beforeAll(async () => {
  await databaseReady();
  ana = await seedPerson("Ana");
  author = authorOf({ key: await seedKey(ana.workspaceId, ana) }, ana.workspaceId);
  for (const kind of ["writable", "readOnly"] as const) {
    // Use a separate file: building the sample takes long on a busy machine.
    const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
      ...ana,
      body: { name: kind, type: "duckdb", config: { file: `${kind}.duckdb` }, readOnly: false },
    });
    const { id } = made.json.data;
    connections[kind] = id;
    await call("POST", `/api/workspaces/${ana.workspaceId}/databases/${id}/execute`, {
      ...ana,
      body: { query: "create table any_table as select 1 as a" },
    });
    await collections.connections().updateOne({ _id: new ObjectId(id) }, { $set: { readOnly: kind === "readOnly" } });
  }
});
beforeEach(() => {
  events = [];
  server.isStopping = false;
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
});
afterAll(async () => {
  await writeNow();
  await own.drop();
});

const SLOW = "select count(*) from range(100000000000)";
const DRAIN_MS = 50;
const NEVER_MS = 60_000;
const MAY_HAVE_WRITTEN = /may have applied all of it, a part or nothing/;
let made = 0;
const at = (id: string, rest: string) => `/api/workspaces/${ana.workspaceId}/consoles/${id}${rest}`;
const runOf = (id: string) => collections.runs().findOne({ resourceId: new ObjectId(id) });
const ends = () => events.filter(({ name }) => name === RUN_ENDED_EVENT);
const wakes = () => events.filter(({ name }) => name === CONSOLE_RUN_QUEUED_EVENT);
const stopServer = () => {
  server.isStopping = true;
  for (const callback of server.callbacks) void callback();
};

/** Saves a console and starts a background run of it; `over` resolves when this server has finished with the run. */
async function begun(kind: keyof typeof connections, content: string, drainMs: number) {
  const { id } = await author.make(`d${made++}`, { content, connectionId: connections[kind], access: "workspace" });
  await call("POST", at(id, "/schedule/run"), ana);
  const [event] = wakes();
  events = [];
  const over = executeConsoleRun(event?.data as RunQueued, { drainMs });
  await expect.poll(async () => (await runOf(id))?.status).toBe("running");
  return { id, over };
}
/** Waits until the database executes the console's query. */
async function executing(id: string): Promise<void> {
  await expect
    .poll(async () => {
      await writeNow();
      const filter = { "origin.id": new ObjectId(id), status: "running" as const };
      return collections.executions().countDocuments(filter as never);
    })
    .toBe(1);
}

describe("a scheduled console of a server that stops", () => {
  it("C30 is queued again on a read-only connection, and succeeds at the next start", async () => {
    const { id, over } = await begun("readOnly", SLOW, DRAIN_MS);
    await executing(id);
    stopServer();
    await over;
    expect(await runOf(id)).toMatchObject({ status: "queued", error: null });
    expect(ends()).toHaveLength(0);
    const [wake] = wakes();
    server.isStopping = false;
    await collections.consoles().updateOne({ _id: new ObjectId(id) }, { $set: { content: "select 1 as one" } });
    await executeConsoleRun(wake?.data as RunQueued);
    expect(await runOf(id)).toMatchObject({ status: "success", rowCount: 1, work: { starts: 2 } });
    expect(ends()).toHaveLength(1);
  });

  it.each([
    ["an insert", `create table if not exists t as ${SLOW}`],
    ["a select, which may call what writes", SLOW],
  ])("C30 fails on a writable connection with %s, and says what may have happened", async (_, content) => {
    const { id, over } = await begun("writable", content, DRAIN_MS);
    await executing(id);
    stopServer();
    await over;
    expect(await runOf(id)).toMatchObject({ status: "failure", error: expect.stringMatching(MAY_HAVE_WRITTEN) });
    expect([ends().length, wakes().length]).toEqual([1, 0]);
  });

  it.each(["readOnly", "writable"] as const)("C30 ends within its drain time (%s)", async (kind) => {
    const { id, over } = await begun(kind, "select count(*) as n from range(30000000)", NEVER_MS);
    stopServer();
    await over;
    expect(await runOf(id)).toMatchObject({ status: "success", rowCount: 1 });
    expect(ends()).toHaveLength(1);
  });

  it("C30 is cancelled while it drains", async () => {
    const { id, over } = await begun("readOnly", SLOW, NEVER_MS);
    await executing(id);
    stopServer();
    const run = await runOf(id);
    expect((await call("POST", at(id, `/runs/${run?._id}/cancel`), ana)).status).toBe(200);
    await over;
    expect(await runOf(id)).toMatchObject({ status: "cancelled" });
    expect(ends()).toHaveLength(1);
  });
});

describe("a scheduled console of a server that was killed", () => {
  it.each([
    ["readOnly", "queued again"],
    ["writable", "interrupted"],
  ] as const)("C30 is recovered by its connection: %s is %s", async (kind, _) => {
    const { id, over } = await begun(kind, SLOW, NEVER_MS);
    await executing(id);
    // Simulate a dead server: its lease has expired.
    const long = new Date(Date.now() - 3_600_000);
    await collections.runs().updateOne({ resourceId: new ObjectId(id) }, { $set: { "work.dueAt": long } });
    await sweepRuns({ scheduled_query: recoverConsoleRun });
    if (kind === "readOnly") {
      expect([ends().length, wakes().length]).toEqual([0, 1]);
      await collections.consoles().updateOne({ _id: new ObjectId(id) }, { $set: { content: "select 1 as one" } });
      await executeConsoleRun(wakes()[0]?.data as RunQueued);
      expect(await runOf(id)).toMatchObject({ status: "success", work: { lapses: 1 } });
    } else {
      expect(await runOf(id)).toMatchObject({
        status: "failure",
        error: expect.stringMatching(/server stopped during/),
      });
    }
    await over;
    expect(ends()).toHaveLength(1);
  });

  it("C30 is interrupted if its connection became writable after its first attempt", { tags: ["long"] }, async () => {
    const { id, over } = await begun("readOnly", SLOW, DRAIN_MS);
    await executing(id);
    stopServer();
    await over;
    expect(await runOf(id)).toMatchObject({ status: "queued", isRepeatable: true });
    const [wake] = wakes();
    Object.assign(server, { isStopping: false });
    events = [];
    const connectionId = new ObjectId(connections.writable);
    await collections.consoles().updateOne({ _id: new ObjectId(id) }, { $set: { connectionId } });
    const second = executeConsoleRun(wake?.data as RunQueued, { drainMs: NEVER_MS });
    await executing(id);
    expect(await runOf(id)).not.toHaveProperty("isRepeatable");
    const dueAt = new Date(Date.now() - 3_600_000);
    await collections.runs().updateOne({ resourceId: new ObjectId(id) }, { $set: { "work.dueAt": dueAt } });
    await sweepRuns({ scheduled_query: recoverConsoleRun });
    expect(await runOf(id)).toMatchObject({ status: "failure", error: expect.stringMatching(/server stopped during/) });
    await second;
    expect([ends().length, wakes().length]).toEqual([1, 0]);
  });
});
