import { randomUUID } from "node:crypto";
import { tableFromIPC } from "apache-arrow";
import { ObjectId } from "mongodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import type { Caller } from "@/lib/platform/access/caller";
import { inTransaction } from "@/lib/platform/db/transaction";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { call } from "@/test/client";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { appDocOf, askData, bindingText, callerOf, serve } from "@/test/fixtures/apps/bindings/binding-world";
import { connectFile } from "@/test/fixtures/connections/connect-file";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { lapsedWork } from "@/test/fixtures/work/lapsed";
import { type Person, removeMember, seedMember, seedPerson } from "@/test/seed";
import type { AppDoc } from "../model";
import type { App } from "../schema";
import { answerData } from "./data";
import { makeSettlingDue, prepareBindings, settleLeftBehind } from "./published";
import {
  BINDING_QUEUED_EVENT,
  type BindingQueued,
  executeBindingRefresh,
  queueBindingTick,
  wakeBindings,
} from "./refresh";
import type { BindingItem } from "./schema";

const open = takeDashboardWorld();
const OWNERS = { app_binding: queueBindingTick };
const ENDLESS = "select count(*) from range(100000000000) a";
const ANY = new AbortController().signal;
let owner: Person;
let member: Person;
let ana: Caller;
let author: AppAuthor;
let connectionId: string;
let run: DashboardWorld["run"];
let events: JobEvent[] = [];

beforeAll(async () => {
  ({ owner, connectionId, run } = await open());
  member = await seedMember(owner.workspaceId, "member");
  ana = await callerOf(owner);
  author = authorOf(owner, owner.workspaceId);
  await run(
    "create table sales as select * from (values ('north', 1.50), ('south', 2.25), ('south', 3.00)) t(region, amount)",
  );
});
beforeEach(() => {
  events = [];
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
});

const base = () => `/api/workspaces/${owner.workspaceId}/apps-v2`;
const list = async (app: App, who: Parameters<typeof call>[2] = owner): Promise<BindingItem[]> =>
  (await call("GET", `${base()}/${app.id}/bindings`, who)).json.data;
const refresh = (app: App, name: string, who: Parameters<typeof call>[2] = owner) =>
  call("POST", `${base()}/${app.id}/bindings/${name}/refresh`, who);
const preview = (app: App, name: string, who: Parameters<typeof call>[2] = owner) =>
  call("POST", `${base()}/${app.id}/bindings/${name}/preview`, who);
const text = (sql: string, ...lines: string[]) => bindingText(connectionId, sql, ...lines);
async function make(texts: Record<string, string> = {}): Promise<{ app: App; doc: AppDoc }> {
  const app = await author.make(randomUUID(), { access: "workspace" });
  for (const [name, content] of Object.entries(texts)) await author.write(app, `bindings/${name}.sql`, content);
  return { app, doc: await appDocOf(owner.workspaceId, app.id) };
}
const rowsOf = async (doc: AppDoc, sha: string, name: string, query?: unknown) =>
  (await (await askData(doc, { kind: "deployment", sha }, `${name}.json`, query)).json()).rows;
async function runJobs(): Promise<number> {
  const mine = events.splice(0).filter(({ name }) => name === BINDING_QUEUED_EVENT);
  for (const { data } of mine) await executeBindingRefresh(data as BindingQueued);
  return mine.length;
}
const SALES = "select region, amount from sales";

describe("the list of an app's bindings", () => {
  it("shows each file's settings and row status, drafts included, and queries nothing", async () => {
    const { app } = await make({
      sales: text(SALES, 'schedule: "0 6 * * *"', "description: All sales", "params: []"),
      bad: "select 1",
    });
    const [bad, sales] = await list(app);
    expect(sales).toEqual({
      name: "sales",
      path: "bindings/sales.sql",
      description: "All sales",
      connectionId,
      schedule: { cron: "0 6 * * *", timezone: "UTC" },
      params: [],
      frontMatter: { connectionId, schedule: "0 6 * * *", description: "All sales", params: [] },
      line: null,
      fields: null,
      build: { state: "missing", builtAt: null, rowCount: null, bytes: null, truncated: false, sha: null, error: null },
      published: null,
    });
    expect(bad).toMatchObject({
      name: "bad",
      frontMatter: null,
      line: 1,
      build: { state: "error", error: expect.stringMatching(/front matter/) },
    });
    expect(await collections.datasets().countDocuments({ ownerId: new ObjectId(app.id) })).toBe(0);
  });

  it("reports another workspace's connection as missing", async () => {
    const stranger = await seedPerson("Stranger");
    const foreign = await connectFile(stranger, "theirs");
    const { app, doc } = await make({
      theirs: bindingText(foreign, "select 1"),
      none: bindingText("0123456789abcdef01234567", "select 1"),
    });
    const [none, theirs] = await list(app);
    expect(theirs?.build).toEqual(none?.build);
    expect(theirs?.build.state).toBe("error");
    const previews = await Promise.all([preview(app, "theirs"), preview(app, "none")]);
    expect(previews.map(({ status, json }) => [status, json.error])).toEqual([
      [404, none?.build.error],
      [404, none?.build.error],
    ]);
    await expect(serve(doc, ana, { theirs: bindingText(foreign, "select 1") })).rejects.toMatchObject({
      kind: "build_failed",
      message: `bindings/theirs.sql: ${none?.build.error}`,
    });
  });
});

describe("a publish", () => {
  it("loads rows before it serves, and logs what was read", async () => {
    const { app, doc } = await make({ sales: text(SALES) });
    const { sha, log } = await serve(doc, ana, { sales: text(SALES) });
    expect(log).toEqual(["sales: refreshing", "sales: 3 rows"]);
    expect(await rowsOf(doc, sha, "sales")).toEqual([
      { region: "north", amount: "1.50" },
      { region: "south", amount: "2.25" },
      { region: "south", amount: "3.00" },
    ]);
    const [sales] = await list(app);
    expect(sales?.build).toMatchObject({ state: "ready", rowCount: 3, truncated: false, sha, error: null });
    expect(sales?.published).toEqual(sales?.build);
    expect(sales?.fields).toEqual([
      { name: "region", type: "string" },
      { name: "amount", type: "decimal" },
    ]);
  });

  it("with the same text reads nothing, at another commit and back", async () => {
    const { doc } = await make();
    await run("create or replace table counter as select 1 as n");
    const one = text("select n from counter");
    const first = await serve(doc, ana, { one });
    await run("update counter set n = 2");
    const second = await serve(doc, ana, { one, two: text("select n from counter where n > 0") });
    expect(second.log).toContainEqual(expect.stringMatching(/^one: 1 row, read 20/));
    expect([await rowsOf(doc, second.sha, "one"), await rowsOf(doc, second.sha, "two")]).toEqual([
      [{ n: 1 }],
      [{ n: 2 }],
    ]);
    const back = await serve(doc, ana, { one }, { sha: first.sha });
    expect(back.log).toHaveLength(1);
    expect(await rowsOf(doc, first.sha, "one")).toEqual([{ n: 1 }]);
  });

  it.each<[string, () => string, RegExp]>([
    ["no front matter", () => "select 1", /front matter/],
    ["a statement that fails", () => text("select * from nowhere"), /nowhere/],
    ["a statement that writes", () => text("insert into sales values ('x', 1)"), /read/i],
    ["a statement that reads the server's files", () => text("select * from read_csv('/etc/passwd')"), /./],
    ["a placeholder without a value", () => text("select $1::int as n"), /./],
  ])("with %s keeps serving the old version, and names the binding", async (_, broken, words) => {
    const { doc } = await make();
    const { sha } = await serve(doc, ana, { good: text("select 1 as n") });
    const failed = serve(doc, ana, { good: text("select 1 as n"), broken: broken() });
    await expect(failed).rejects.toMatchObject({
      kind: "build_failed",
      message: expect.stringMatching(/^bindings\/broken.sql: /),
      details: [{ path: "bindings/broken.sql", message: expect.stringMatching(words) }],
    });
    expect((await appDocOf(owner.workspaceId, doc._id.toHexString())).publishedSha).toBe(sha);
    expect(await rowsOf(doc, sha, "good")).toEqual([{ n: 1 }]);
    expect(
      (
        await call("POST", `/api/workspaces/${owner.workspaceId}/databases/${connectionId}/execute`, {
          cookie: owner.cookie,
          body: { query: "select count(*)::int as n from sales" },
        })
      ).json.data.rows,
    ).toEqual([{ n: 3 }]);
  });

  it("binds the values of the front matter", async () => {
    const { doc } = await make();
    const { sha } = await serve(doc, ana, {
      one: text("select $1 as a, $2::int as b", 'params: ["x\'; drop table sales; --", 7]'),
    });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ a: "x'; drop table sales; --", b: 7 }]);
  });

  it("C15 binds numbers of the front matter with every digit", { tags: ["long"] }, async () => {
    const one = text(
      "select cast($1 as varchar) as a, cast($2 as varchar) as b",
      "params: [9007199254740993, 18446744073709551615]",
    );
    const { app, doc } = await make({ one });
    const { sha } = await serve(doc, ana, { one });
    const rows = [{ a: "9007199254740993", b: "18446744073709551615" }];
    expect(await rowsOf(doc, sha, "one")).toEqual(rows);
    expect((await preview(app, "one")).json.data.rows).toEqual(rows);
    const big = text("select unnest([9007199254740992, 9007199254740993]) as n");
    const { sha: other } = await serve(doc, ana, { one, big });
    for (const where of ['{"n":9007199254740993}', '{"n":[9007199254740993]}', '{"n":"9007199254740993"}']) {
      const query = `?${new URLSearchParams({ query: `{"where":${where}}` })}`;
      const answer = await answerData({
        app: doc,
        at: { kind: "deployment", sha: other },
        path: "__data/big.json",
        search: query,
      });
      expect((await answer?.json())?.rows).toEqual([{ n: "9007199254740993" }]);
    }
    const listed = await call("GET", `${base()}/${app.id}/bindings`, owner);
    expect(listed.text).toContain('"params":[9007199254740993,18446744073709551615]');
  });

  it("that is cancelled ends a query of minutes, and leaves no failure", async () => {
    const { app, doc } = await make({ slow: text(ENDLESS) });
    const stop = new AbortController();
    const publishing = serve(doc, ana, { slow: text(ENDLESS) }, { signal: stop.signal });
    const standing = () => collections.datasets().findOne({ ownerId: new ObjectId(app.id) });
    await expect.poll(async () => (await standing())?.refresh ?? null).not.toBeNull();
    stop.abort(new Error("cancelled"));
    await expect(publishing).rejects.toThrow();
    await expect.poll(async () => (await standing())?.refresh ?? null).toBeNull();
    expect((await standing())?.failure).toBeUndefined();
    expect((await list(app))[0]?.build.state).toBe("missing");
  });

  it("by another person reads with their permissions, and keeps the first one's rows meanwhile", async () => {
    const { doc } = await make();
    const one = text("select 1 as n");
    await serve(doc, ana, { one });
    const ben = await callerOf(member);
    const { log } = await serve(doc, ben, { one });
    expect(log).toEqual(["one: refreshing", "one: 1 row"]);
  });
});

describe("a refresh", () => {
  it("reads in the background; two at once are one, and old rows stay until then", async () => {
    await run("create or replace table stock as select 1 as n");
    const { app, doc } = await make({ stock: text("select n from stock") });
    const { sha } = await serve(doc, ana, { stock: text("select n from stock") });
    await run("update stock set n = 2");
    const answers = await Promise.all([refresh(app, "stock"), refresh(app, "stock", member)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect((await list(app))[0]?.build).toMatchObject({ state: "queued", rowCount: 1, sha });
    expect(await rowsOf(doc, sha, "stock")).toEqual([{ n: 1 }]);
    expect(await runJobs()).toBe(1);
    expect((await list(app))[0]?.build).toMatchObject({ state: "ready", sha });
    expect(await rowsOf(doc, sha, "stock")).toEqual([{ n: 2 }]);
  });

  it("that fails shows the reason beside the old rows until one succeeds", async () => {
    await run("create or replace table gone as select 1 as n");
    const { app, doc } = await make({ one: text("select n from gone") });
    const { sha } = await serve(doc, ana, { one: text("select n from gone") });
    await run("drop table gone");
    await refresh(app, "one");
    await runJobs();
    const [failed] = await list(app);
    expect(failed?.build).toMatchObject({ state: "error", rowCount: 1, error: expect.stringMatching(/gone/) });
    expect(failed?.build.builtAt).not.toBeNull();
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 1 }]);
    await run("create table gone as select 5 as n");
    await refresh(app, "one");
    await runJobs();
    expect((await list(app))[0]?.build).toMatchObject({ state: "ready", error: null });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 5 }]);
  });

  it("of a former member says so, and keeps the old rows", async () => {
    const leaver = await seedMember(owner.workspaceId, "member");
    const { app, doc } = await make({ one: text("select 1 as n") });
    const { sha } = await serve(doc, await callerOf(leaver), { one: text("select 1 as n") });
    await removeMember(owner.workspaceId, leaver);
    await refresh(app, "one");
    await runJobs();
    expect((await list(app))[0]?.build).toMatchObject({
      state: "error",
      error: expect.stringMatching(/no longer a member/),
      rowCount: 1,
    });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 1 }]);
  });

  it("of a deleted connection says so; until then it was in use", async () => {
    const other = await connectFile(owner);
    const { app, doc } = await make({ one: bindingText(other, "select 1 as n") });
    const { sha } = await serve(doc, ana, { one: bindingText(other, "select 1 as n") });
    const uses = `/api/workspaces/${owner.workspaceId}/connectors/${other}/uses`;
    const path = `/api/workspaces/${owner.workspaceId}/connections/sources/${other}`;
    expect((await call("GET", uses, owner)).json.data).toEqual([{ kind: "app", id: app.id, name: app.title }]);
    expect((await call("DELETE", path, owner)).json.code).toBe("in_use");
    expect((await call("DELETE", `${path}?force=true`, owner)).status).toBe(200);
    expect((await list(app))[0]?.build).toMatchObject({
      state: "error",
      rowCount: 1,
      error: expect.stringMatching(/connection/i),
    });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 1 }]);
  });

  it("whose server was killed keeps the old rows with a message; a queued one starts again", async () => {
    const { app, doc } = await make({ one: text("select 1 as n") });
    const { sha } = await serve(doc, ana, { one: text("select 1 as n") });
    // State left by a killed process.
    const kept = await collections.datasets().findOne({ ownerId: doc._id, kind: "app" });
    const dead = { sourceKey: kept?.name ?? "", since: new Date() };
    await collections.datasets().updateOne({ _id: kept?._id }, { $set: { refresh: dead, work: lapsedWork() } });
    expect((await list(app))[0]?.build).toMatchObject({
      state: "error",
      rowCount: 1,
      error: expect.stringMatching(/stopped during the refresh/),
    });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 1 }]);
    await refresh(app, "one");
    events = [];
    expect((await list(app))[0]?.build).toMatchObject({ state: "queued", rowCount: 1 });
    // No one has handled the event: a minute later another one is sent.
    await wakeBindings();
    expect(events).toEqual([]);
    await wakeBindings(new Date(Date.now() + 61_000));
    expect(await runJobs()).toBe(1);
    expect((await list(app))[0]?.build).toMatchObject({ state: "ready", error: null });
  });

  it("is for published bindings, by anyone who sees the app", async () => {
    const { app } = await make({ one: text("select 1 as n") });
    const stranger = await seedPerson("Stranger");
    expect((await refresh(app, "one")).status).toBe(404);
    expect((await refresh(app, "two")).status).toBe(404);
    expect((await refresh(app, "one", stranger)).status).toBe(403);
    expect((await refresh(app, "a..b")).status).toBe(400);
  });
});

describe("a schedule", () => {
  const due = (doc: AppDoc) =>
    collections
      .schedules()
      .updateMany(
        { workspaceId: doc.workspaceId, resourceType: "app_binding" },
        { $set: { nextAt: new Date(Date.now() - 1000) } },
      );
  const schedules = async (doc: AppDoc) => {
    const ids = (await collections.appBindings().find({ appId: doc._id }).toArray()).map(({ _id }) => _id);
    return collections
      .schedules()
      .find({ resourceId: { $in: ids } })
      .toArray();
  };

  it("belongs to the published commit, runs once over two servers, and ends with it", async () => {
    const { doc } = await make();
    await serve(doc, ana, { one: text("select 1 as n", "schedule: '0 * * * *'"), two: text("select 2 as n") });
    expect(await schedules(doc)).toMatchObject([{ cron: "0 * * * *", timezone: "UTC", enabled: true }]);
    await due(doc);
    const queued = await Promise.all([queueDueRuns(OWNERS), queueDueRuns(OWNERS)]);
    expect(queued[0] + queued[1]).toBe(1);
    expect(await runJobs()).toBe(1);
    await serve(doc, ana, { one: text("select 1 as n", "schedule: '30 * * * *'") });
    expect(await schedules(doc)).toMatchObject([{ cron: "30 * * * *" }]);
    await serve(doc, ana, { two: text("select 2 as n") });
    expect(await schedules(doc)).toEqual([]);
  });

  it("of an unserved commit is repaired at its tick", { tags: ["long"] }, async () => {
    const { doc } = await make();
    await serve(doc, ana, { one: text("select 1 as n", "schedule: '0 * * * *'") });
    const [schedule] = await schedules(doc);
    await collections.schedules().updateOne({ _id: schedule?._id }, { $set: { cron: "5 * * * *" } });
    await due(doc);
    await queueDueRuns(OWNERS);
    expect(events).toEqual([]);
    expect(await schedules(doc)).toMatchObject([{ cron: "0 * * * *" }]);
  });

  it("is set by another server if the publishing one died after the switch", { tags: ["long"] }, async () => {
    const { doc } = await make();
    const sha = "a".repeat(40);
    const files = new Map([["bindings/one.sql", Buffer.from(text("select 1 as n", "schedule: '0 * * * *'"))]]);
    const { workspaceId, _id } = doc;
    await prepareBindings({ workspaceId, app: doc, sha, files, publisher: ana, onLog: () => {}, signal: ANY });
    await inTransaction(async (session) => {
      await collections.apps().updateOne({ _id, workspaceId }, { $set: { publishedSha: sha } }, { session });
      await makeSettlingDue(doc, sha, session);
    });
    await settleLeftBehind();
    expect(await schedules(doc)).toEqual([]);
    const ofApp = { workspaceId, appId: _id, sha };
    await collections
      .appBindingSets()
      .updateOne(ofApp, [{ $set: { "work.dueAt": { $subtract: ["$work.dueAt", LEASE_MS] } } }]);
    await Promise.all([settleLeftBehind(), settleLeftBehind()]);
    expect(await schedules(doc)).toHaveLength(1);
    expect((await collections.appBindingSets().findOne(ofApp))?.work).not.toHaveProperty("dueAt");
  });
});

describe("a draft of bindings", () => {
  it("is previewed with one's own permissions, and touches neither published nor others' rows", async () => {
    const { app, doc } = await make({ one: text("select 1 as n") });
    const { sha } = await serve(doc, ana, { one: text("select 1 as n") });
    await author.write(app, "bindings/one.sql", text("select 2 as n"));
    expect((await list(app))[0]).toMatchObject({
      fields: null,
      build: { state: "missing", sha: null },
      published: { state: "ready", sha },
    });
    const tried = await preview(app, "one");
    expect([tried.status, tried.json.data.rows, tried.json.data.truncated]).toEqual([200, [{ n: 2 }], false]);
    expect((await list(app))[0]).toMatchObject({
      fields: [{ name: "n", type: "int32" }],
      build: { state: "ready", rowCount: 1, sha: null },
      published: { sha },
    });
    expect(await rowsOf(doc, sha, "one")).toEqual([{ n: 1 }]);
    const mine = await askData(doc, { kind: "work", userId: new ObjectId(owner.id) }, "one.json");
    expect((await mine.json()).rows).toEqual([{ n: 2 }]);
    // The member's branch has the original binding, whose rows are read only for the member.
    const theirs = askData(doc, { kind: "work", userId: new ObjectId(member.id) }, "one.json");
    await expect(theirs).rejects.toMatchObject({ kind: "not_found" });
  });

  it("reports the position of an error", async () => {
    const { app } = await make({ one: bindingText(connectionId, "select 1", "schedul: x") });
    const answer = await preview(app, "one");
    expect([answer.status, answer.json.error]).toEqual([
      400,
      expect.stringMatching(/bindings\/one.sql, line 3: “schedul”/),
    ]);
    expect((await preview(app, "none")).status).toBe(404);
  });

  it("is deleted with the app, its rows and schedules", async () => {
    const { app, doc } = await make({ one: text("select 1 as n", "schedule: '0 * * * *'") });
    await serve(doc, ana, { one: text("select 1 as n", "schedule: '0 * * * *'") });
    await author.write(app, "bindings/one.sql", text("select 2 as n"));
    await preview(app, "one");
    const traces = async () => [
      await collections.datasets().countDocuments({ ownerId: doc._id }),
      await collections.appBindings().countDocuments({ appId: doc._id }),
      await collections.appBindingSets().countDocuments({ appId: doc._id }),
    ];
    const ids = (await collections.appBindings().find({ appId: doc._id }).toArray()).map(({ _id }) => _id);
    expect(await traces()).toEqual([2, 1, 1]);
    await author.send("DELETE", `/${app.id}`);
    expect(await traces()).toEqual([0, 0, 0]);
    expect(await collections.schedules().countDocuments({ resourceId: { $in: ids } })).toBe(0);
  });

  it("ends a running refresh with the app", async () => {
    const { app, doc } = await make();
    const publishing = serve(doc, ana, { slow: text(ENDLESS) });
    const over = expect(publishing).rejects.toThrow();
    await expect
      .poll(() => collections.datasets().countDocuments({ ownerId: doc._id, refresh: { $exists: true } }))
      .toBe(1);
    await author.send("DELETE", `/${app.id}`);
    await over;
    expect(await collections.datasets().countDocuments({ ownerId: doc._id })).toBe(0);
  }, 60_000);
});

describe("C8 sums and averages as Arrow", () => {
  let doc: AppDoc;
  let sha: string;
  beforeAll(async () => {
    doc = (await make()).doc;
    const sql = `select * from (values ('a', 9223372036854775807::bigint, 1::int, 0.5::double),
      ('a', 9223372036854775806, 2, 1.5), ('b', 1, 3, 2.5), ('b', 2, 5, null)) t(region, big, small, share)`;
    ({ sha } = await serve(doc, ana, { big: text(sql) }));
  }, 60_000);

  it.each([
    ["sum", "big", ["18446744073709551613", "3"]],
    ["avg", "big", ["9223372036854775806.5", "1.5"]],
    ["median", "big", ["9223372036854775806.5", "1.5"]],
    ["min", "big", [9223372036854775806n, 1n]],
    ["max", "big", [9223372036854775807n, 2n]],
    ["count", "big", [2n, 2n]],
    ["sum", "small", [3n, 8n]],
    ["avg", "small", [1.5, 4]],
    ["median", "small", [1.5, 4]],
    ["sum", "share", [2, 2.5]],
    ["avg", "share", [1, 2.5]],
  ])("keep the %s of %s", async (op, field, values) => {
    const query = { groupBy: ["region"], measures: [{ op, field, as: "it" }], sort: [{ by: "region" }] };
    const answer = await askData(doc, { kind: "deployment", sha }, "big.arrow", query);
    const table = tableFromIPC(await answer.arrayBuffer());
    expect(table.toArray().map((row) => row.it)).toEqual(values);
  });

  it("keep a total of all rows, and the rows themselves", async () => {
    const at = { kind: "deployment" as const, sha };
    const total = await askData(doc, at, "big.arrow", { measures: [{ op: "sum", field: "big", as: "it" }] });
    expect(tableFromIPC(await total.arrayBuffer()).toArray()[0]?.it).toBe("18446744073709551616");
    const rows = tableFromIPC(await (await askData(doc, at, "big.arrow")).arrayBuffer());
    expect(rows.toArray().map(({ big }) => big)).toEqual([9223372036854775807n, 9223372036854775806n, 1n, 2n]);
  });
});

describe("data of many rows", () => {
  let doc: AppDoc;
  let sha: string;
  const at = () => ({ kind: "deployment" as const, sha });
  const ask = async (query: unknown) => (await askData(doc, at(), "many.json", query)).json();
  beforeAll(async () => {
    doc = (await make()).doc;
    const sql = `select i::int as id, 'r' || (i % 4) as region, (i % 100)::decimal(10,2) as amount,
      date '2026-01-01' + (i % 365)::int as day, timestamptz '2026-03-28 23:30:00+00' + to_hours(i % 2) as at from range(200000) t(i)`;
    ({ sha } = await serve(doc, ana, { many: text(sql) }));
  }, 120_000);

  it("is aggregated on the server", async () => {
    const { fields, rows, truncated } = await ask({
      groupBy: ["region"],
      measures: [{ op: "count" }, { field: "amount", op: "sum", as: "sum" }, { field: "amount", op: "avg" }],
      sort: [{ by: "region" }],
    });
    expect(fields).toEqual([
      { name: "region", type: "string" },
      { name: "count", type: "int64" },
      { name: "sum", type: "decimal" },
      { name: "avg_amount", type: "decimal" },
    ]);
    // i % 100 over i ≡ r (mod 4) is r, r + 4, …, r + 96: an average of 48 + r.
    expect(rows).toMatchObject(
      [0, 1, 2, 3].map((r) => ({ region: `r${r}`, count: 50_000, sum: `${(48 + r) * 50_000}.00` })),
    );
    expect(truncated).toBe(false);
  });

  it("is filtered by values, lists and ranges, each bound", async () => {
    const count = async (where: unknown) => (await ask({ measures: [{ op: "count" }], where })).rows[0].count;
    expect(await count({ region: "r1" })).toBe(50_000);
    expect(await count({ region: ["r1", "r2"] })).toBe(100_000);
    expect(await count({ region: [] })).toBe(0);
    expect(await count({ region: "r1' or '1'='1" })).toBe(0);
    expect(await count({ id: { from: 10, to: 19 } })).toBe(10);
    expect(await count({ amount: { from: 99 } })).toBe(2000);
    expect(await count({ amount: {} })).toBe(200_000);
    expect(await count({ day: { from: "2026-01-01", to: "2026-01-01" } })).toBe(548);
    expect(await count({ region: { contains: "R3" }, id: { to: 3 } })).toBe(1);
  });

  it("is grouped by days of a time zone", { tags: ["long"] }, async () => {
    const query = {
      groupBy: [{ field: "at", timeUnit: "day" }],
      measures: [{ op: "count" }],
      timezone: "Europe/Berlin",
    };
    expect((await ask(query)).rows).toEqual([{ at: "2026-03-29", count: 200_000 }]);
    expect((await ask({ ...query, timezone: "UTC" })).rows).toHaveLength(2);
  });

  it.each([
    [{ groupBy: ["nothing"] }, /Unknown column nothing/],
    [{ where: { nothing: 1 } }, /Unknown column nothing/],
    [{ measures: [{ op: "sum" }] }, /field is required/],
    [{ measures: [{ op: "drop", field: "id" }] }, /./],
    [{ where: { region: { from: 1 } } }, /is not a number/],
    [{ where: { id: { from: "2026-01-01" } } }, /not a date or time/],
    [{ where: { id: { from: 2, to: 1 } } }, /before its start/],
    [{ where: { id: { like: "x" } } }, /./],
    [{ select: "*" }, /./],
    [{ timezone: "Mars" }, /time zone/],
    [{ limit: 0 }, /./],
    [[], /./],
  ])("rejects %j", async (query, words) => {
    await expect(ask(query)).rejects.toMatchObject({ kind: "invalid_request", message: expect.stringMatching(words) });
  });

  it("is truncated as JSON, with a notice", async () => {
    const { rows, truncated, notice } = await ask(undefined);
    expect([rows.length, truncated, notice]).toEqual([50_000, true, expect.stringMatching(/groupBy/)]);
    expect(rows[0]).toEqual({ id: 0, region: "r0", amount: "0.00", day: "2026-01-01", at: "2026-03-28T23:30:00Z" });
    const few = await ask({ limit: 3, where: { region: "r2" } });
    expect([few.rows.map(({ id }: { id: number }) => id), few.truncated, few.notice]).toEqual([[2, 6, 10], true, null]);
  });

  it("is complete as Arrow, in chunks", async () => {
    const answer = await askData(doc, at(), "many.arrow");
    expect(answer.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
    const table = tableFromIPC(await answer.arrayBuffer());
    expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([
      200_000,
      ["id", "region", "amount", "day", "at"],
    ]);
    expect(table.get(199_999)?.id).toBe(199_999);
    const left = await askData(doc, at(), "many.arrow");
    const reader = left.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  }, 60_000);

  it("has an ETag until its rows change", async () => {
    const first = await askData(doc, at(), "many.json", { measures: [{ op: "count" }] });
    const etag = first.headers.get("etag") ?? "";
    const again = await askData(
      doc,
      at(),
      "many.json",
      { measures: [{ op: "count" }] },
      { "if-none-match": `"x", ${etag}` },
    );
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    const other = await askData(
      doc,
      at(),
      "many.json",
      { measures: [{ op: "count" }], limit: 2 },
      { "if-none-match": etag },
    );
    expect(other.status).toBe(200);
  });

  it("is read again after eviction, and a failure leaks nothing", { tags: ["long"] }, async () => {
    await run("create or replace table lost as select 1 as n");
    const { doc: app } = await make();
    const { sha: of } = await serve(app, ana, { lost: text("select n from lost") });
    const giveUp = () => collections.datasets().updateMany({ ownerId: app._id }, { $unset: { kept: "" } });
    await giveUp();
    expect(await rowsOf(app, of, "lost")).toEqual([{ n: 1 }]);
    await giveUp();
    await run("drop table lost");
    const failed = rowsOf(app, of, "lost");
    await expect(failed).rejects.toMatchObject({ kind: "unavailable", message: expect.not.stringMatching(/lost/) });
    // The source is then not read for a while.
    await run("create table lost as select 2 as n");
    await expect(rowsOf(app, of, "lost")).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("belongs to one deployment, by its binding names", async () => {
    for (const path of ["none.json", "many.csv", "../many.json", "many.sql", "many.json/x"]) {
      await expect(askData(doc, at(), path)).rejects.toMatchObject({ kind: "not_found" });
    }
    await expect(askData(doc, { kind: "deployment", sha: "f".repeat(40) }, "many.json")).rejects.toMatchObject({
      kind: "not_found",
    });
    const text = await (await askData(doc, at(), "many.json", { limit: 1 })).text();
    for (const secret of [connectionId, "range(200000)", "shop", owner.id]) expect(text).not.toContain(secret);
  });
});
