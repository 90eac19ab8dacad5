import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import type { RunQueued } from "@/lib/features/runs/enqueue";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call } from "@/test/client";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { type Person, removeMember, seedKey, seedMember } from "@/test/seed";
import { executeRefresh, queueRefreshTick, REFRESH_QUEUED_EVENT, recoverRefresh } from "./refresh";

const open = takeDashboardWorld();
let owner: Person;
let member: Person;
let author: DashboardAuthor;
let connectionId: string;
let run: DashboardWorld["run"];
let events: JobEvent[] = [];

const OWNERS = { dashboard: queueRefreshTick };
const HOURLY = { cron: "0 * * * *", timezone: "Europe/Vienna" };
const ENDLESS = "select count(*) from range(100000000000) a";

beforeAll(async () => {
  ({ owner, author, connectionId, run } = await open());
  member = await seedMember(owner.workspaceId, "member");
});
beforeEach(() => {
  events = [];
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
});

const at = (id: string, rest = "") => `/api/workspaces/${owner.workspaceId}/dashboards/${id}${rest}`;
/** Creates a dashboard with one dataset for each query, and a table of the first. */
async function make(queries: Record<string, string>, more: Record<string, unknown> = {}, by = author): Promise<string> {
  const datasets = Object.entries(queries).map(([name, query]) => ({
    id: name.toLowerCase(),
    name,
    source: { connectionId, query },
  }));
  const widgets = [{ id: "w", kind: "table", source: { datasetId: datasets[0]?.id }, spec: {} }];
  return (await by.make(randomUUID(), { access: "workspace", datasets, widgets, ...more })).id;
}
const rowsOf = async (id: string) => {
  const [widget] = (await call("GET", at(id, "/data"), owner)).json.data.widgets;
  return { rows: widget.rows, error: widget.error };
};
const refresh = (id: string, who: Parameters<typeof call>[2] = owner) => call("POST", at(id, "/refresh"), who);
const runOf = async (id: string, runId: string) => (await call("GET", at(id, `/runs/${runId}`), owner)).json.data;
/** Runs the queued refreshes, as the job runner does. */
async function runJobs(): Promise<void> {
  for (const { data } of events.splice(0).filter(({ name }) => name === REFRESH_QUEUED_EVENT)) {
    await executeRefresh(data as RunQueued);
  }
}

describe("a refresh of a dashboard", () => {
  it("reads everything, reports progress, and logs row counts", async () => {
    await run("create or replace table sales as select * from (values ('north', 1), ('south', 2)) t(region, amount)");
    const id = await make({ Sales: "select * from sales", Unused: "select 1 as one" });
    expect((await rowsOf(id)).rows).toHaveLength(2);
    await run("insert into sales values ('west', 3)");
    expect((await rowsOf(id)).rows).toHaveLength(2);
    const asked = await refresh(id);
    expect([asked.status, asked.json.error]).toEqual([202, undefined]);
    expect(asked.json.data.run).toMatchObject({ resourceType: "dashboard", resourceId: id, triggerType: "manual" });
    await runJobs();
    expect((await rowsOf(id)).rows).toHaveLength(3);
    const done = await runOf(id, asked.json.data.run.id);
    expect(done).toMatchObject({
      status: "success",
      rowCount: 4,
      entities: [
        { name: "dataset:sales", status: "done", counts: { read: 3 } },
        { name: "dataset:unused", status: "done", counts: { read: 1 } },
      ],
    });
    const texts = done.logs.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(expect.arrayContaining(["Sales: 3 rows", "Unused: 1 row"]));
    expect(texts.at(-1)).toBe("Run finished: 2 of 2 datasets refreshed");
    await writeEvents();
    const told = await collections
      .events()
      .find({ "data.resourceId": id, kind: "run" })
      .map(({ data }) => (data as { run: { status: string } }).run.status)
      .toArray();
    expect([told[0], told.at(-1)]).toEqual(["queued", "success"]);
    expect(told).toContain("running");
    expect((await call("GET", at(id), owner)).json.data.lastRun).toMatchObject({ id: done.id, status: "success" });
  });

  it("is one for concurrent requests", async () => {
    const id = await make({ One: "select 1 as one" });
    const asked = await Promise.all(Array.from({ length: 8 }, (_, n) => refresh(id, n % 2 ? owner : member)));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(asked.map(({ json }) => json.data.run.id)).size).toBe(1);
    await runJobs();
    expect((await refresh(id)).json.data.run.id).not.toBe(asked[0]?.json.data.run.id);
    await runJobs();
    expect((await call("GET", at(id, "/runs"), owner)).json.data.items).toHaveLength(2);
  });

  it("keeps the old rows of failed sources, reads the rest, and names the failures", async () => {
    await run("create or replace table stock as select 7 as n");
    const id = await make({ Stock: "select * from stock", Fine: "select 1 as one" });
    expect((await rowsOf(id)).rows).toEqual([{ n: 7 }]);
    await run("drop table stock");
    const asked = await refresh(id);
    await runJobs();
    const ended = await runOf(id, asked.json.data.run.id);
    expect(ended).toMatchObject({ status: "failure", rowCount: 1 });
    expect(ended.error).toMatch(/^Couldn.t refresh Stock\. Previous rows are kept/);
    expect(ended.entities.map(({ status }: { status: string }) => status)).toEqual(["failed", "done"]);
    const why = ended.logs.filter(
      ({ level, text }: { level: string; text: string }) => level === "error" && /^Stock: /.test(text),
    );
    expect(why).toHaveLength(1);
    expect(why[0].text).toMatch(/stock/);
    expect(await rowsOf(id)).toMatchObject({ rows: [{ n: 7 }], error: expect.stringMatching(/stock/) });
    expect(JSON.stringify(ended)).not.toContain("select *");
  });

  it("is cancelled before and during its run, without a failure", async () => {
    const id = await make({ Endless: ENDLESS });
    const first = (await refresh(id)).json.data.run;
    expect((await call("POST", at(id, `/runs/${first.id}/cancel`), owner)).json.data.run.status).toBe("cancelled");
    expect((await call("POST", at(id, `/runs/${first.id}/cancel`), owner)).status).toBe(409);
    expect((await call("POST", at(id, `/runs/${new ObjectId()}/cancel`), owner)).status).toBe(404);
    await runJobs();
    const second = (await refresh(id)).json.data.run;
    const ended = runJobs();
    await expect
      .poll(async () => (await runOf(id, second.id)).entities[0]?.status, { timeout: 20_000 })
      .toBe("running");
    await call("POST", at(id, `/runs/${second.id}/cancel`), owner);
    await ended;
    expect(await runOf(id, second.id)).toMatchObject({ status: "cancelled", error: null });
    const kept = await collections.datasets().findOne({ ownerId: new ObjectId(id) });
    expect(kept).not.toHaveProperty("failure");
  });

  it("continues when its server has died", async () => {
    const id = await make({ One: "select 1 as one" });
    await refresh(id);
    const doc = await collections.runs().findOne({ resourceId: new ObjectId(id) });
    events = [];
    expect(await recoverRefresh(doc as NonNullable<typeof doc>)).toBe("woken");
    await runJobs();
    expect((await collections.runs().findOne({ resourceId: new ObjectId(id) }))?.status).toBe("success");
  });

  it("reports an owner who has left, and keeps the old rows", async () => {
    const leaver = await seedMember(owner.workspaceId, "member");
    const id = await make({ One: "select 1 as one" }, {}, authorOf(leaver, owner.workspaceId));
    expect((await rowsOf(id)).rows).toEqual([{ one: 1 }]);
    await removeMember(owner.workspaceId, leaver);
    const asked = await refresh(id);
    await runJobs();
    const ended = await runOf(id, asked.json.data.run.id);
    expect(ended).toMatchObject({
      status: "failure",
      error: expect.stringMatching(/owner is no longer a member/),
    });
  });

  it("of a private dashboard is visible to its owner only, and by a key is triggered by the API", async () => {
    const id = await make({ One: "select 1 as one" }, { access: "private" });
    const { id: runId } = (await refresh(id)).json.data.run;
    for (const [method, path] of [
      ["POST", "/refresh"],
      ["GET", "/runs"],
      ["GET", `/runs/${runId}`],
      ["POST", `/runs/${runId}/cancel`],
      ["GET", "/schedule"],
      ["PUT", "/schedule"],
      ["DELETE", "/schedule"],
    ] as const) {
      const answer = await call(method, at(id, path), { ...member, ...(method === "PUT" && { body: HOURLY }) });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const list = async (who: Person) =>
      (await call("GET", `/api/workspaces/${owner.workspaceId}/runs?resourceType=dashboard`, who)).json.data.items;
    const ids = async (who: Person) => (await list(who)).map((each: { id: string }) => each.id);
    expect(await ids(owner)).toContain(runId);
    expect(await ids(member)).not.toContain(runId);
    const shared = await make({ One: "select 1 as one" });
    const byKey = await refresh(shared, { key: await seedKey(owner.workspaceId, owner) });
    expect(byKey.json.data.run.triggerType).toBe("api");
  });

  it("ends with its dashboard, and so does the schedule", async () => {
    const id = await make({ Endless: ENDLESS });
    await call("PUT", at(id, "/schedule"), { ...owner, body: HOURLY });
    await refresh(id);
    const ended = runJobs();
    const state = async () => (await collections.runs().findOne({ resourceId: new ObjectId(id) }))?.entities[0]?.status;
    await expect.poll(state, { timeout: 20_000 }).toBe("running");
    expect((await call("DELETE", at(id), owner)).status).toBe(200);
    await ended;
    expect((await collections.runs().findOne({ resourceId: new ObjectId(id) }))?.status).toBe("cancelled");
    expect(await collections.schedules().countDocuments({ resourceId: new ObjectId(id) })).toBe(0);
    expect(await collections.datasets().countDocuments({ ownerId: new ObjectId(id) })).toBe(0);
  });
});

describe("the schedule of a dashboard", () => {
  it("is set, shown with its next runs, and removed", async () => {
    const id = await make({ One: "select 1 as one" });
    expect((await call("GET", at(id, "/schedule"), owner)).json.data).toBeNull();
    const answer = await call("PUT", at(id, "/schedule"), { ...owner, body: HOURLY });
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    expect(answer.json.data).toMatchObject({ ...HOURLY, enabled: true });
    expect(answer.json.data.nextRuns).toHaveLength(5);
    expect((await call("GET", at(id, "/schedule"), owner)).json.data).toEqual(answer.json.data);
    expect((await call("GET", at(id), owner)).json.data.schedule).toEqual(answer.json.data);
    const items = (await call("GET", `/api/workspaces/${owner.workspaceId}/dashboards?limit=200`, owner)).json.data;
    expect(items.find((each: { id: string }) => each.id === id).schedule).toEqual(answer.json.data);
    for (let times = 0; times < 2; times++) expect((await call("DELETE", at(id, "/schedule"), owner)).status).toBe(200);
    expect((await call("GET", at(id), owner)).json.data.schedule).toBeNull();
  });

  it.each([
    [{ cron: "61 * * * *", timezone: "UTC" }, "cron"],
    [{ cron: "0 0 30 2 *", timezone: "UTC" }, "cron"],
    [{ cron: "0 9 * * *", timezone: "Mars/Base" }, "timezone"],
    [{ timezone: "UTC" }, "cron"],
  ])("%j is rejected by its field", async (body, path) => {
    const answer = await call("PUT", at(await make({ One: "select 1" }), "/schedule"), { ...owner, body });
    expect([answer.status, answer.json.code, answer.json.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  it("starts one refresh per tick on any number of servers", async () => {
    const id = await make({ One: "select 1 as one" });
    await call("PUT", at(id, "/schedule"), { ...owner, body: { cron: "* * * * *", timezone: "UTC" } });
    for (let n = 0; n < 3; n++) {
      const nextAt = new Date(Date.now() - 60_000);
      await collections.schedules().updateOne({ resourceId: new ObjectId(id) }, { $set: { nextAt } });
      const queued = await Promise.all(Array.from({ length: 6 }, () => queueDueRuns(OWNERS)));
      expect(queued.reduce((sum, each) => sum + each, 0)).toBe(1);
      await runJobs();
    }
    const { items } = (await call("GET", at(id, "/runs"), owner)).json.data;
    expect(
      items.map(({ status, triggerType }: { status: string; triggerType: string }) => [status, triggerType]),
    ).toEqual(Array.from({ length: 3 }, () => ["success", "scheduled"]));
  });
});
