import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { queueDueRuns } from "@/lib/features/runs/schedules/tick";
import { sweepRuns } from "@/lib/features/runs/sweep";
import { databaseReady } from "@/lib/platform/db/ready";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { queueFlowTick, recoverFlowRun } from "./runs";

process.env.RATE_LIMIT_SCALE = "1";
const own = takeOwnDatabase();
let ana: FlowAuthor;
let member: Person;
let stranger: Person;
let sample = "";
let into = "";
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  [member, stranger] = await Promise.all([seedMember(ana.person.workspaceId, "member"), seedPerson("Eve")]);
  sample = (await ana.send("GET", "/connectors")).json.data[0].id;
  into = await ana.file("sqlite");
  // The first request for the sample waits until it is built.
  await ana.sql(sample, "select 1 as one");
}, 120_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await own.drop();
});

const sync = (more: Record<string, unknown> = {}) => ({
  name: "Customers",
  type: "sync",
  source: { connectionId: sample, entities: [{ name: "customers", primaryKey: "id" }] },
  destination: { connectionId: into, write: "replace" },
  trigger: false,
  ...more,
});
const asMember = (method: string, path: string, body?: unknown) =>
  call(method, `${ana.home}${path}`, { cookie: member.cookie, body });

describe("a flow", () => {
  it("is created, shown, listed, changed and deleted", async () => {
    const answer = await ana.send("POST", "/flows", sync({ schedule: { cron: "0 3 * * *", timezone: "UTC" } }));
    expect([answer.status, answer.json.error]).toEqual([201, undefined]);
    const { flow, run } = answer.json.data;
    expect(run).toBeNull();
    expect(flow).toMatchObject({
      name: "Customers",
      type: "sync",
      mode: "full",
      enabled: true,
      status: "idle",
      lastRun: null,
      source: { connectionId: sample, entities: [{ name: "customers", primaryKey: ["id"] }] },
      destination: { connectionId: into, write: "replace" },
      createdBy: ana.person.id,
    });
    expect(flow.nextRunAt).toBe(flow.schedule.nextRuns[0]);
    const one = (await ana.send("GET", `/flows/${flow.id}`)).json.data;
    expect(one).toEqual({ ...flow, runs: [], checkpoint: null });
    expect((await ana.send("GET", "/flows")).json.data).toContainEqual(flow);
    const changed = await ana.send("PATCH", `/flows/${flow.id}`, { name: " All customers ", enabled: false });
    expect(changed.json.data).toMatchObject({ name: "All customers", enabled: false, nextRunAt: null });
    expect((await ana.send("PATCH", `/flows/${flow.id}`, { schedule: null })).json.data.schedule).toBeNull();
    expect((await ana.send("DELETE", `/flows/${flow.id}`)).status).toBe(200);
    expect((await ana.send("DELETE", `/flows/${flow.id}`)).status).toBe(404);
    expect((await ana.send("GET", `/flows/${flow.id}`)).status).toBe(404);
  });

  const entity = { name: "customers" };
  const source = (more: object) => ({ source: { connectionId: sample, entities: [entity], ...more } });
  it.each<[string, () => object, string, string]>([
    ["no name", () => ({ name: " " }), "invalid_request", "name"],
    ["an unknown type", () => ({ type: "dream" }), "invalid_request", "type"],
    ["no entity", () => source({ entities: [] }), "invalid_request", "source.entities"],
    ["a query in a sync", () => ({ source: { connectionId: sample, query: "select 1" } }), "invalid_request", "source.entities"],
    ["two entities and one table", () => ({ ...source({ entities: [entity, { name: "orders" }] }), destination: { connectionId: into, table: "t", write: "append" } }), "invalid_request", "destination.table"],
    ["an entity twice", () => source({ entities: [entity, { name: "Customers", schema: "other" }] }), "invalid_request", "source.entities.1.name"],
    ["an upsert without a key", () => ({ ...source({}), destination: { connectionId: into, write: "upsert" } }), "invalid_request", "source.entities.0.primaryKey"],
    ["an incremental reading without a cursor", () => ({ ...source({}), mode: "incremental", destination: { connectionId: into, write: "append" } }), "invalid_request", "source.entities.0.cursorField"],
    ["an incremental replacing", () => ({ ...source({ entities: [{ ...entity, cursorField: "id" }] }), mode: "incremental" }), "invalid_request", "destination.write"],
    ["an unknown way to write", () => ({ destination: { connectionId: into, write: "shred" } }), "invalid_request", "destination.write"],
    ["a bad schedule", () => ({ schedule: { cron: "61 * * * *", timezone: "UTC" } }), "invalid_request", "schedule.cron"],
    ["an incremental query", () => ({ type: "query", mode: "incremental", source: { connectionId: sample, query: "select 1 as a" }, destination: { connectionId: into, write: "append" } }), "invalid_request", "mode"],
    ["a webhook that replaces", () => ({ type: "webhook", destination: { connectionId: into, write: "replace" } }), "invalid_request", "destination.write"],
    ["itself for a destination", () => ({ source: { connectionId: into, entities: [entity] } }), "invalid_request", "source.entities.0.name"],
  ])("with %s is rejected", async (_, more, code, path) => {
    const before = await collections.flows().countDocuments();
    const answer = await ana.send("POST", "/flows", sync(more() as Record<string, unknown>));
    expect([answer.status, answer.json.code, answer.json.details?.[0]?.path]).toEqual([400, code, path]);
    expect(await collections.flows().countDocuments()).toBe(before);
  }); // biome-ignore format: a line each

  it("to a read-only destination, or with unknown connections, is rejected", async () => {
    const readOnly = await ana.send("POST", "/flows", sync({ destination: { connectionId: sample, write: "append" } }));
    expect([readOnly.status, readOnly.json.code]).toEqual([400, "read_only"]);
    const theirs = (await call("GET", `/api/workspaces/${stranger.workspaceId}/connectors`, stranger)).json.data[0].id;
    for (const connectionId of [String(new ObjectId()), theirs]) {
      const from = await ana.send("POST", "/flows", sync({ source: { connectionId, entities: [entity] } }));
      const to = await ana.send("POST", "/flows", sync({ destination: { connectionId, write: "append" } }));
      expect([from.status, to.status]).toEqual([404, 404]);
    }
  });

  it("is created by members, and changed and deleted by its creator and admins", async () => {
    const { flow } = await ana.make(sync());
    for (const [method, body] of [["PATCH", { name: "Mine" }], ["DELETE", undefined]] as const) {
      expect((await asMember(method, `/flows/${flow.id}`, body)).status).toBe(403);
    } // biome-ignore format: two calls
    expect((await asMember("POST", "/flows", { flowId: flow.id })).status).toBe(202);
    const theirs = (await asMember("POST", "/flows", sync())).json.data.flow;
    expect((await asMember("PATCH", `/flows/${theirs.id}`, { name: "Mine" })).status).toBe(200);
    expect((await ana.send("DELETE", `/flows/${theirs.id}`)).status).toBe(200);
  });

  it("returns a conflict when someone else changed it", async () => {
    const { flow } = await ana.make(sync());
    const change = (name: string) => ana.send("PATCH", `/flows/${flow.id}`, { name, updatedAt: flow.updatedAt });
    expect((await change("First")).json.data.name).toBe("First");
    const late = await change("Second");
    expect([late.status, late.json.code]).toEqual([409, "conflict"]);
    expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.name).toBe("First");
    // Its schedule is part of it, and stays too.
    const body = { schedule: { cron: "0 3 * * *", timezone: "UTC" }, updatedAt: flow.updatedAt };
    expect((await ana.send("PATCH", `/flows/${flow.id}`, body)).status).toBe(409);
    expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.schedule).toBeNull();
  });

  it("is found by ID and by a part of its name, in its workspace", async () => {
    const { flow } = (await ana.send("POST", "/flows", sync({ name: "Nightly (otters)" }))).json.data;
    const find = async (query: string, cookie = member.cookie) => {
      const answer = await call("GET", `${ana.home}/flows?${query}`, { cookie });
      return answer.json.data?.map(({ id }: { id: string }) => id) ?? answer.status;
    };
    const ids = `${"f".repeat(24)},${flow.id}`;
    expect(await find(`ids=${ids}`)).toEqual([flow.id]);
    expect(await find(`ids=${ids}&cursor=${flow.id}`)).toEqual([]);
    expect(await find(`q=${encodeURIComponent("LY (OTT")}`)).toEqual([flow.id]);
    expect(await find("q=.*otters")).toEqual([]);
    expect(await find(`ids=${ids}`, stranger.cookie)).toBe(403);
    expect([await find("ids=1"), await find("q=%20")]).toEqual([400, 400]);
  });

  it("counts among the uses of its connections, with the consoles that the caller can see", async () => {
    const [from, to] = [await ana.file("sqlite"), await ana.file("sqlite")];
    const destination = { connectionId: to, write: "replace" };
    await ana.send("POST", "/flows", sync({ source: { ...sync().source, connectionId: from }, destination }));
    for (const [name, access] of Object.entries({ "on it": "workspace", "mine on it": "private" }))
      await ana.send("POST", "/consoles", { name, access, connectionId: from, content: "select 1" });
    const usesFor = async (query: string, send = ana.send) => {
      const { data } = (await send("GET", `/connectors?limit=200${query}`)).json;
      return [from, to].map((id) => data.find((each: { id: string }) => each.id === id).uses);
    };
    expect(await usesFor("&uses=true")).toEqual([
      { consoles: 2, flows: 1 },
      { consoles: 0, flows: 1 },
    ]);
    expect((await usesFor("&uses=true", asMember))[0]).toEqual({ consoles: 1, flows: 1 });
    expect(await usesFor("")).toEqual([undefined, undefined]);
    const on = async (id: string, send = ana.send) =>
      (await send("GET", `/consoles?connectionId=${id}`)).json.data.map(({ name }: { name: string }) => name);
    expect([await on(from), await on(to), await on(from, asMember)]).toEqual([["on it", "mine on it"], [], ["on it"]]);
  });

  it("keeps its connections from being deleted", async () => {
    const connectionId = await ana.file("duckdb");
    const { flow } = await ana.make(sync({ name: "Holds on", destination: { connectionId, write: "append" } }));
    const answer = await ana.send("DELETE", `/connections/sources/${connectionId}`);
    expect([answer.status, answer.json.code]).toEqual([409, "in_use"]);
    expect(answer.json.details).toEqual([{ kind: "flow", id: flow.id, name: "Holds on" }]);
    const forced = await ana.send("DELETE", `/connections/sources/${connectionId}?force=true`);
    expect(forced.status).toBe(200);
    expect(await ana.run(flow.id)).toMatchObject({
      status: "failure",
      error: expect.stringMatching(/Connection not found/),
    });
  });
});

describe("a run of a flow", () => {
  it("is triggered by ID, one at a time, and shows its result", async () => {
    const { flow } = await ana.make(sync({ destination: { connectionId: into, table: "people", write: "replace" } }));
    const answer = await ana.send("POST", "/flows", { flowId: flow.id });
    expect([answer.status, answer.json.error]).toEqual([202, undefined]);
    expect(answer.json.data).toMatchObject({
      flow: { id: flow.id, status: "queued" },
      run: { status: "queued", triggerType: "manual" },
    });
    expect((await ana.send("POST", "/flows", { flowId: flow.id })).json.code).toBe("already_running");
    const queued = (await ana.send("GET", `/flows/${flow.id}/runs/${answer.json.data.run.id}`)).json.data;
    expect(queued).toMatchObject({
      status: "queued",
      counts: { read: 0, written: 0, skipped: 0, failed: 0 },
      logs: [],
    });
    const busy = await ana.send("PATCH", `/flows/${flow.id}`, { mode: "full" });
    expect([busy.status, busy.json.code]).toEqual([409, "already_running"]);
    await ana.runJobs();
    const [{ n }] = (await ana.sql(sample, "select count(*) as n from customers")) as [{ n: number }];
    const { run } = answer.json.data;
    const shown = (await ana.send("GET", `/flows/${flow.id}/runs/${run.id}`)).json.data;
    expect(shown).toMatchObject({
      status: "success",
      error: null,
      rowCount: n,
      counts: { read: n, written: n, skipped: 0, failed: 0 },
      entities: [{ name: "customers", status: "done", counts: { read: n, written: n, skipped: 0, failed: 0 } }],
    });
    const logged = shown.logs.map(({ text }: { text: string }) => text);
    // A slow run also logs how far it has come.
    expect(logged.filter((text: string) => !text.endsWith("so far"))).toEqual([
      "Run started",
      `customers: done, ${n.toLocaleString("en")} rows read, ${n.toLocaleString("en")} written`,
      expect.stringMatching(/^Run finished/),
    ]);
    // The flow's internal table exists, but is not listed as an entity.
    expect(await ana.sql(into, "select name from sqlite_schema where name = '_millrace_loads'")).toHaveLength(1);
    const entities = (await ana.send("GET", `/connectors/${into}/entities?refresh=1`)).json.data;
    expect(entities.map(({ name }: { name: string }) => name)).toContain("people");
    expect(entities.filter(({ name }: { name: string }) => name.startsWith("_millrace"))).toEqual([]);
    expect(await ana.sql(into, "select count(*) as n, min(id) as low from people")).toEqual(
      await ana.sql(sample, "select count(*) as n, min(id) as low from customers"),
    );
    const detail = (await ana.send("GET", `/flows/${flow.id}`)).json.data;
    expect([detail.status, detail.lastRun.id, detail.runs.length]).toEqual(["success", run.id, 1]);
    expect((await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items).toHaveLength(1);
    const told = await collections
      .events()
      .find({ workspaceId: new ObjectId(ana.person.workspaceId), kind: "log" })
      .toArray();
    expect(JSON.stringify(told)).toContain("Run finished");
  });

  it("replaces rows, and runs for a new flow by default", async () => {
    const destination = { connectionId: into, table: "again", write: "replace" };
    const { flow, run } = await ana.make(sync({ destination, trigger: true }));
    expect(run).toMatchObject({ status: "queued" });
    await ana.runJobs();
    const once = await ana.sql(into, "select count(*) as n from again");
    expect((await ana.run(flow.id)).status).toBe("success");
    expect(await ana.sql(into, "select count(*) as n from again")).toEqual(once);
  });

  it("by a key is triggered by the API, in its workspace and flow", async () => {
    const { flow } = await ana.make(sync());
    const key = await seedKey(ana.person.workspaceId, ana.person);
    const answer = await call("POST", `${ana.home}/flows`, { key, body: { flowId: flow.id } });
    const { run } = answer.json.data;
    expect(run.triggerType).toBe("api");
    const other = (await ana.make(sync())).flow;
    expect((await ana.send("GET", `/flows/${other.id}/runs/${run.id}`)).status).toBe(404);
    const abroad = `/api/workspaces/${stranger.workspaceId}/flows`;
    for (const path of [`/${flow.id}`, `/${flow.id}/runs`, `/${flow.id}/runs/${run.id}`]) {
      expect((await call("GET", abroad + path, stranger)).status).toBe(404);
    }
    expect((await call("POST", abroad, { ...stranger, body: { flowId: flow.id } })).status).toBe(404);
    await ana.runJobs();
  });

  it("is cancelled before its start, and with its flow", async () => {
    const { flow } = await ana.make(sync({ trigger: true }));
    const [run] = (await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items;
    const path = `/flows/${flow.id}/runs/${run.id}/cancel`;
    expect((await asMember("POST", path)).json.data.run.status).toBe("cancelled");
    expect((await ana.send("POST", path)).status).toBe(409);
    expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.status).toBe("cancelled");
    const next = (await ana.send("POST", "/flows", { flowId: flow.id })).json.data.run;
    expect((await ana.send("DELETE", `/flows/${flow.id}`)).status).toBe(200);
    const doc = await collections.runs().findOne({ _id: new ObjectId(String(next.id)) });
    expect(doc).toMatchObject({ status: "cancelled" });
    await ana.runJobs();
  });

  it("shows the source's message", async () => {
    const { flow } = await ana.make(sync({ source: { connectionId: sample, entities: [{ name: "nowhere" }] } }));
    const run = await ana.run(flow.id);
    expect(run).toMatchObject({
      status: "failure",
      error: expect.stringMatching(/nowhere/),
      entities: [{ status: "failed" }],
    });
    expect(run.logs.at(-1)).toMatchObject({ level: "error", text: run.error });
  });

  it("can start 60 times a minute", { tags: ["long"] }, async () => {
    const { flow } = await ana.make(sync());
    const statuses = new Set<number>();
    for (let n = 0; n < 61; n += 1) {
      const { status, json } = await ana.send("POST", "/flows", { flowId: flow.id });
      statuses.add(status);
      if (n === 60) expect([status, json.code]).toEqual([429, "rate_limited"]);
    }
    expect([...statuses]).toEqual([202, 409, 429]);
    ana.events.length = 0;
  });

  it("is accepted while the job runner is away, and runs later (F6)", async () => {
    const { flow } = await ana.make(sync({ destination: { connectionId: into, table: "patient", write: "replace" } }));
    sendJobEventsBy(() => Promise.reject(new Error("away")));
    const answer = await ana.send("POST", "/flows", { flowId: flow.id });
    expect([answer.status, answer.json.data.run.status]).toEqual([202, "queued"]);
    const _id = new ObjectId(String(answer.json.data.run.id));
    const longAgo = new Date(Date.now() - 3_600_000);
    const sweepOverdue = async () => {
      await collections.runs().updateOne({ _id }, { $set: { "work.dueAt": longAgo } });
      await sweepRuns({ flow: recoverFlowRun });
      return (await collections.runs().findOne({ _id }))?.status;
    };
    // The sweep runs every half minute: 30 sweeps are more than ten minutes.
    for (let look = 0; look < 30; look += 1) expect(await sweepOverdue()).toBe("queued");
    sendJobEventsBy(async (sent) => void ana.events.push(...sent));
    expect(await sweepOverdue()).toBe("queued");
    await ana.runJobs();
    expect((await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items).toMatchObject([{ status: "success" }]);
  });

  it("of a schedule is one per tick, and skipped while disabled", async () => {
    const { flow } = await ana.make(sync({ schedule: { cron: "0 3 * * *", timezone: "UTC" } }));
    const makeDue = () =>
      collections
        .schedules()
        .updateOne({ resourceId: new ObjectId(flow.id) }, { $set: { nextAt: new Date(Date.now() - 60_000) } });
    await makeDue();
    const owners = { flow: queueFlowTick };
    expect(await Promise.all([queueDueRuns(owners), queueDueRuns(owners)])).toHaveLength(2);
    const runs = async () => (await ana.send("GET", `/flows/${flow.id}/runs`)).json.data.items;
    expect(await runs()).toMatchObject([{ triggerType: "scheduled", triggeredBy: null }]);
    await ana.runJobs();
    await ana.send("PATCH", `/flows/${flow.id}`, { enabled: false });
    await makeDue();
    await queueDueRuns(owners);
    expect(await runs()).toHaveLength(1);
  });
});

describe("a query flow", () => {
  it("writes its result with the given values", async () => {
    const { flow } = await ana.make({
      type: "query",
      name: "Numbers up",
      source: { connectionId: sample, query: "select n, n * 2 as n from range(?) t(n)" },
      destination: { connectionId: into, write: "replace" },
    });
    expect(flow.destination).toMatchObject({ table: "numbers_up" });
    const answer = await ana.send("POST", "/flows", { flowId: flow.id, params: [7000] });
    expect(answer.status).toBe(202);
    await ana.runJobs();
    expect((await ana.send("GET", `/flows/${flow.id}`)).json.data.lastRun).toMatchObject({
      status: "success",
      rowCount: 7000,
    });
    expect(await ana.sql(into, "select count(*) as c, max(n_2) as m from numbers_up")).toEqual([
      { c: 7000, m: 13_998 },
    ]);
  });

  it("can't write to its source", async () => {
    const from = await ana.file("duckdb");
    const { flow } = await ana.make({
      type: "query",
      source: { connectionId: from, query: "create table made as select 1 as a" },
      destination: { connectionId: into, write: "append" },
    });
    expect(await ana.run(flow.id)).toMatchObject({ status: "failure" });
    expect(await ana.sql(from, "select table_name from information_schema.tables")).toEqual([]);
  });

  it("is the only type that accepts values", async () => {
    const { flow } = await ana.make(sync());
    const answer = await ana.send("POST", "/flows", { flowId: flow.id, params: { a: 1 } });
    expect([answer.status, answer.json.details[0].path]).toEqual([400, "params"]);
  });
});

describe("the first rows of a source", () => {
  const preview = (body: object) => ana.send("POST", "/flows/preview", body);

  it("are few, with the columns to write", async () => {
    const { data } = (await preview({ connectionId: sample, entity: { name: "customers" } })).json;
    expect(data.rows).toHaveLength(20);
    expect(Object.keys(data.rows[0])).toEqual(data.fields.map(({ name }: { name: string }) => name));
    expect(data.fields).toContainEqual({ name: "id", type: expect.any(String), dbType: expect.any(String) });
  });

  it("of a query have unique names and shortened values", async () => {
    const query = "select 1 as a, 2 as a, repeat('x', 100000) as long, [repeat('y', 1000)] as list from range(50)";
    const { data } = (await preview({ connectionId: sample, query })).json;
    expect(data.rows).toHaveLength(20);
    expect(data.rows[0]).toMatchObject({ a: 1, a_2: 2 });
    expect(data.rows[0].long).toBe(`${"x".repeat(500)}...`);
    expect(data.rows[0].list).toHaveLength(503);
  });

  it("are only read, from the workspace's own data", async () => {
    const written = await preview({ connectionId: into, query: "create table planted (a int)" });
    expect([written.status, written.json.code]).toEqual([400, "read_only"]);
    expect((await preview({ connectionId: sample, entity: { name: "nowhere" } })).status).toBe(400);
    expect((await preview({ connectionId: sample })).status).toBe(400);
    const theirs = (await call("GET", `/api/workspaces/${stranger.workspaceId}/connectors`, stranger)).json.data[0].id;
    expect((await preview({ connectionId: theirs, entity: { name: "customers" } })).status).toBe(404);
    expect((await preview({ connectionId: theirs, query: "select 1" })).status).toBe(404);
  });
});
