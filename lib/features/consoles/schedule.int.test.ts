import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { openResult } from "@/lib/features/results/service";
import type { RunQueued } from "@/lib/features/runs/enqueue";
import { appendLog } from "@/lib/features/runs/logs";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import { databaseReady } from "@/lib/platform/db/ready";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { CONSOLE_RUN_QUEUED_EVENT, executeConsoleRun, queueConsoleTick, recoverConsoleRun } from "./schedule";

const own = takeOwnDatabase();
let ana: Person;
let author: ConsoleAuthor;
let connectionId = "";
let events: JobEvent[] = [];
beforeAll(async () => {
  await databaseReady();
  ana = await seedPerson("Ana");
  author = authorOf({ key: await seedKey(ana.workspaceId, ana) }, ana.workspaceId);
  connectionId = (await call("GET", `/api/workspaces/${ana.workspaceId}/connectors`, ana)).json.data[0].id;
});
beforeEach(() => {
  events = [];
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
});
afterAll(async () => {
  await writeNow();
  await own.drop();
});

const OWNERS = { scheduled_query: queueConsoleTick };
const DAILY = { cron: "0 7 * * *", timezone: "Europe/Vienna" };
let made = 0;
const make = (content: string, extra: Record<string, unknown> = {}) =>
  author.make(`s${made++}`, { content, connectionId, access: "workspace", ...extra });
const at = (id: string, rest: string) => `/api/workspaces/${ana.workspaceId}/consoles/${id}${rest}`;
const put = (id: string, body: unknown = DAILY) => call("PUT", at(id, "/schedule"), { ...ana, body });
const runsOf = async (id: string) => (await call("GET", at(id, "/runs"), ana)).json.data.items;
const makeDue = (id: string, nextAt = new Date(Date.now() - 60_000)) =>
  collections.schedules().updateOne({ resourceId: new ObjectId(id) }, { $set: { nextAt } });
/** Runs the queued runs, as the job runner does. */
async function runJobs(): Promise<void> {
  for (const { data } of events.splice(0).filter(({ name }) => name === CONSOLE_RUN_QUEUED_EVENT)) {
    await executeConsoleRun(data as RunQueued);
  }
}

describe("the schedule of a console", () => {
  it("is set, shown with its next runs, changed, disabled and removed", async () => {
    const { id } = await make("select 1 as one");
    const answer = await put(id, { cron: " 30  2 28 3 * ", timezone: "europe/berlin" });
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    expect(answer.json.data).toMatchObject({ cron: "30 2 28 3 *", timezone: "Europe/Berlin", enabled: true });
    expect(answer.json.data.nextRuns).toHaveLength(5);
    expect(answer.json.data.nextRuns[0]).toMatch(/-03-28T01:[03]0:00\.000Z$/);
    const shown = (await call("GET", at(id, ""), ana)).json.data;
    expect(shown.schedule).toEqual(answer.json.data);
    const listed = (await call("GET", at("", "").slice(0, -1), ana)).json.data;
    expect(listed.find((each: { id: string }) => each.id === id).schedule).toEqual(answer.json.data);
    const off = await put(id, { ...DAILY, enabled: false });
    expect(off.json.data).toMatchObject({ enabled: false, nextRuns: [] });
    expect((await call("DELETE", at(id, "/schedule"), ana)).status).toBe(200);
    expect((await call("DELETE", at(id, "/schedule"), ana)).status).toBe(200);
    expect((await call("GET", at(id, ""), ana)).json.data.schedule).toBeNull();
  });

  it.each([
    [{ cron: "61 * * * *", timezone: "UTC" }, "cron"],
    [{ cron: "0 0 30 2 *", timezone: "UTC" }, "cron"],
    [{ cron: "* * * * * *", timezone: "UTC" }, "cron"],
    [{ cron: "0 9 * * *", timezone: "Mars/Base" }, "timezone"],
    [{ cron: "0 9 * * *" }, "timezone"],
    [{ timezone: "UTC" }, "cron"],
    [{ ...DAILY, enabled: "yes" }, "enabled"],
  ])("%j is rejected by its field", async (body, path) => {
    const { id } = await make("select 1");
    const answer = await put(id, body);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(answer.json.details[0].path).toBe(path);
  });

  it("is announced to viewers, of a private console to its owner only", async () => {
    for (const access of ["workspace", "private"]) {
      const { id } = await make("select 1", { access });
      const told = () =>
        collections
          .events()
          .find({ "data.resourceId": id, kind: "console" }, { sort: { position: -1 } })
          .toArray();
      await writeEvents();
      const before = (await told()).length;
      await put(id);
      await call("DELETE", at(id, "/schedule"), ana);
      await writeEvents();
      const after = await told();
      expect(after).toHaveLength(before + 2);
      expect(after[0]?.userId?.toHexString() ?? null).toBe(access === "private" ? ana.id : null);
    }
  });

  it("is rejected for a console that can't run", async () => {
    const empty = await make(" ");
    const loose = await author.make(`s${made++}`, { content: "select 1" });
    for (const { id } of [empty, loose]) {
      expect((await put(id)).status).toBe(400);
      expect((await call("POST", at(id, "/schedule/run"), ana)).status).toBe(400);
    }
    expect((await put(String(new ObjectId()))).status).toBe(404);
  });
});

describe("a run of a console in the background", () => {
  it("is started manually, and keeps the first rows of its result", async () => {
    const { id } = await make("select n, 'row ' || n as label from range(50) t(n)");
    const started = await call("POST", at(id, "/schedule/run"), ana);
    expect([started.status, started.json.error]).toEqual([202, undefined]);
    expect(started.json.data.run).toMatchObject({ status: "queued", triggerType: "manual", resultPreview: null });
    expect((await call("POST", at(id, "/schedule/run"), ana)).json.code).toBe("already_running");
    await runJobs();
    const [run] = await runsOf(id);
    expect(run).toMatchObject({
      status: "success",
      rowCount: 50,
      error: null,
      resourceName: expect.stringMatching(/^s\d/),
    });
    expect(run.resultPreview).toMatchObject({ rowCount: 50, keptRows: 50 });
    expect(run.resultPreview.rows).toHaveLength(20);
    expect(run.resultPreview.rows[1]).toEqual({ n: 1, label: "row 1" });
    expect((await call("GET", at(id, ""), ana)).json.data.lastRun).toMatchObject({ id: run.id, status: "success" });
    expect(events.map(({ name }) => name)).toEqual(["flow.run.terminal"]);
    const doc = await collections.runs().findOne({ _id: new ObjectId(run.id) });
    expect((await openResult(new ObjectId(ana.workspaceId), doc?.resultId as ObjectId)).preview.rowCount).toBe(50);
  });

  it("binds the default values of the console's variables", async () => {
    const variables = { first: "a", second: { type: "number", value: "9007199254740993" } };
    const { id } = await make("select {{first}} as a, {{second}} as b", { variables });
    await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    expect((await runsOf(id))[0]).toMatchObject({
      status: "success",
      error: null,
      resultPreview: { rows: [{ a: "a", b: "9007199254740993" }] },
    });
    await author.save(id, { version: 1, variables: { first: "a" } });
    await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    expect((await runsOf(id))[0]).toMatchObject({ status: "failure", error: "Enter a value for second." });
  });

  it.each([
    [{ minRows: 4 }, "Expected at least 4 rows. The query returned 3."],
    [{ minRows: 1, maxRows: 2 }, "Expected at most 2 rows. The query returned 3."],
    [{ maxRows: 0 }, "Expected at most 0 rows. The query returned 3."],
    [{ minRows: 3, maxRows: 3 }, null],
    [null, null],
  ])("with the conditions %j ends as its number of rows requires, and keeps the rows", async (expected, error) => {
    const { id } = await make("select * from range(3)", { expect: expected });
    await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    expect((await runsOf(id))[0]).toMatchObject({
      status: error === null ? "success" : "failure",
      error,
      rowCount: 3,
      resultPreview: { keptRows: 3 },
    });
  });

  it("is read with the end of its log, and not as another console's", async () => {
    const { id } = await make("select 1 as one");
    const other = await make("select 2 as two");
    await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    const [run] = await runsOf(id);
    await appendLog(new ObjectId(ana.workspaceId), new ObjectId(run.id), [{ level: "warn", text: "It is cut." }]);
    const read = await call("GET", at(id, `/runs/${run.id}`), ana);
    expect(read.status).toBe(200);
    expect(read.json.data).toMatchObject({ ...run, logs: [{ level: "warn", text: "It is cut." }] });
    expect((await call("GET", at(other.id, `/runs/${run.id}`), ana)).status).toBe(404);
    expect((await call("GET", at(id, `/runs/${new ObjectId()}`), ana)).status).toBe(404);
  });

  it("is listed for those who see the console, with its query", async () => {
    const shared = await make("select 'all' as who");
    const secret = await make("select 'ana' as who", { access: "private" });
    for (const { id } of [shared, secret]) await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    const bob = await seedMember(ana.workspaceId, "member");
    const list = async (who: Person, query = "") =>
      (await call("GET", `/api/workspaces/${ana.workspaceId}/runs${query}`, who)).json.data.items;
    const of = async (who: Person) => (await list(who)).map((run: { resourceId: string }) => run.resourceId);
    expect((await of(ana)).slice(0, 2)).toEqual([secret.id, shared.id]);
    expect((await of(bob))[0]).toBe(shared.id);
    expect(await of(bob)).not.toContain(secret.id);
    expect(await list(ana, "?resourceType=flow")).toEqual([]);
    const succeeded = await list(ana, "?status=success&limit=1");
    expect(succeeded).toMatchObject([{ resourceId: secret.id, status: "success" }]);
    const executions = (await call("GET", `/api/workspaces/${ana.workspaceId}/executions?limit=1`, ana)).json.data;
    expect(executions.items[0].runId).toBe(succeeded[0].id);
  });

  it("by a key is triggered by the API", async () => {
    const { id } = await make("select 1");
    expect((await author.send("POST", `/${id}/schedule/run`)).json.data.run.triggerType).toBe("api");
  });

  it("that fails has the database's message, and can be retried", async () => {
    const { id } = await make("select * from nowhere");
    await call("POST", at(id, "/schedule/run"), ana);
    await runJobs();
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ status: "failure", rowCount: null, resultPreview: null });
    expect(run.error).toMatch(/nowhere/);
    expect((await call("POST", at(id, "/schedule/run"), ana)).status).toBe(202);
  });

  it("is cancelled before and during its run", async () => {
    const { id } = await make("select count(*) from range(100000000000) a");
    const first = (await call("POST", at(id, "/schedule/run"), ana)).json.data.run;
    expect((await call("POST", at(id, `/runs/${first.id}/cancel`), ana)).json.data.run.status).toBe("cancelled");
    expect((await call("POST", at(id, `/runs/${first.id}/cancel`), ana)).status).toBe(409);
    expect((await call("POST", at(id, `/runs/${new ObjectId()}/cancel`), ana)).status).toBe(404);
    await runJobs();
    expect(await runsOf(id)).toHaveLength(1);
    await call("POST", at(id, "/schedule/run"), ana);
    const ended = runJobs();
    await expect.poll(async () => (await runsOf(id))[0].status).toBe("running");
    const [run] = await runsOf(id);
    const asked = await call("POST", at(id, `/runs/${run.id}/cancel`), ana);
    expect(asked.json.data.run).toMatchObject({ status: "running", cancelRequestedAt: expect.any(String) });
    await ended;
    expect((await runsOf(id))[0]).toMatchObject({ status: "cancelled", error: null });
  });

  it("belongs to a private console's owner only", async () => {
    const member = await seedMember(ana.workspaceId, "member");
    const { id } = await author.make(`s${made++}`, { content: "select 1", connectionId, access: "private" });
    for (const [method, path] of [
      ["PUT", "/schedule"],
      ["DELETE", "/schedule"],
      ["POST", "/schedule/run"],
      ["GET", "/runs"],
      ["GET", `/runs/${new ObjectId()}`],
    ] as const) {
      const answer = await call(method, at(id, path), { ...member, ...(method === "PUT" && { body: DAILY }) });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe("a tick", () => {
  it("is one run on any number of servers", async () => {
    const { id } = await make("select 1 as one");
    await put(id, { cron: "* * * * *", timezone: "UTC" });
    for (let n = 0; n < 5; n++) {
      await makeDue(id);
      const queued = await Promise.all(Array.from({ length: 6 }, () => queueDueRuns(OWNERS)));
      expect(queued.reduce((sum, each) => sum + each, 0)).toBe(1);
      await runJobs();
    }
    const runs = await runsOf(id);
    expect(runs.map((run: { status: string; triggerType: string }) => [run.status, run.triggerType])).toEqual(
      Array.from({ length: 5 }, () => ["success", "scheduled"]),
    );
    await call("DELETE", at(id, "/schedule"), ana);
  });

  it("that was missed runs once, and the next one is in the future", async () => {
    const { id } = await make("select 1 as one");
    await put(id, { cron: "*/5 * * * *", timezone: "UTC" });
    await makeDue(id, new Date(Date.now() - 24 * 3_600_000));
    expect(await queueDueRuns(OWNERS)).toBe(1);
    expect(await queueDueRuns(OWNERS)).toBe(0);
    const doc = await collections.schedules().findOne({ resourceId: new ObjectId(id) });
    expect(doc?.nextAt?.getTime()).toBeGreaterThan(Date.now());
    await runJobs();
    expect(await runsOf(id)).toHaveLength(1);
    await call("DELETE", at(id, "/schedule"), ana);
  });

  it("waits for the previous run, and none is lost with a server", async () => {
    const { id } = await make("select 1 as one");
    await put(id, { cron: "*/5 * * * *", timezone: "UTC" });
    await call("POST", at(id, "/schedule/run"), ana);
    await makeDue(id);
    expect(await queueDueRuns(OWNERS)).toBe(0);
    await runJobs();
    // Another server would check after this server's check has expired.
    await collections.schedules().updateOne({ resourceId: new ObjectId(id) }, { $unset: { lookedAtUntil: true } });
    expect(await queueDueRuns(OWNERS)).toBe(1);
    // Simulate a crash after the run was queued and before the schedule was advanced.
    const [run] = await runsOf(id);
    const { key } = (await collections.runs().findOne({ _id: new ObjectId(run.id) })) as { key: string };
    await makeDue(id, new Date(key.slice(key.indexOf(":", 17) + 1)));
    await queueDueRuns(OWNERS);
    await runJobs();
    expect(await runsOf(id)).toHaveLength(2);
    await call("DELETE", at(id, "/schedule"), ana);
  });

  it("runs with the current permissions of the schedule's owner", async () => {
    const bob = await seedMember(ana.workspaceId, "member");
    const { id } = await make("select 1 as one");
    expect((await call("PUT", at(id, "/schedule"), { ...bob, body: DAILY })).json.data.ownerId).toBe(bob.id);
    await collections.memberships().deleteMany({ userId: new ObjectId(bob.id) });
    await makeDue(id);
    await queueDueRuns(OWNERS);
    await runJobs();
    expect((await runsOf(id))[0]).toMatchObject({
      status: "failure",
      error: expect.stringMatching(/no longer a member/),
    });
    await call("DELETE", at(id, "/schedule"), ana);
  });

  it("skips a deleted console, whose schedule is restored with it", async () => {
    const { id } = await make("select 1 as one");
    await put(id);
    await call("DELETE", at(id, ""), ana);
    await makeDue(id);
    expect(await queueDueRuns(OWNERS)).toBe(0);
    const back = await call("POST", at(id, "/restore"), { ...ana, body: {} });
    expect(back.json.data.schedule).toMatchObject({ ...DAILY, enabled: true });
    await collections.consoles().deleteOne({ _id: new ObjectId(id) });
    await makeDue(id);
    await queueDueRuns(OWNERS);
    expect(await collections.schedules().countDocuments({ resourceId: new ObjectId(id) })).toBe(0);
  });
});

describe("a run whose server died", () => {
  it("is restarted if it was queued, and fails as interrupted if it was running", async () => {
    const { id } = await make("select 1 as one");
    await call("POST", at(id, "/schedule/run"), ana);
    events = [];
    const run = await collections.runs().findOne({ resourceId: new ObjectId(id) });
    if (!run) throw new Error("no run");
    expect(await recoverConsoleRun(run)).toBe("woken");
    expect(await recoverConsoleRun({ ...run, status: "running" })).toBe("give_up");
    await runJobs();
    expect((await runsOf(id))[0].status).toBe("success");
  });
});

it("marks a scheduled console's connection as in use", async () => {
  const { id } = await make("select 1 as one");
  await put(id);
  const answer = await call("DELETE", `/api/workspaces/${ana.workspaceId}/connections/sources/${connectionId}`, ana);
  expect([answer.status, answer.json.code]).toEqual([409, "in_use"]);
  expect(answer.json.details).toContainEqual({ kind: "scheduled_console", id, name: expect.stringMatching(/^s\d/) });
});
