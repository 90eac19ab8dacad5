import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { call } from "@/test/client";
import { ask, askRaw, type Event, newId, readEvents } from "@/test/fixtures/agent/ask";
import type { Say } from "@/test/fixtures/agent/model-server";
import { takeScriptedModel } from "@/test/fixtures/agent/scripted-model";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";
import { waitForDecision } from "./plans";

const model = await takeScriptedModel({ SAMPLE_DATA: "off" });

let ana: Person;
let base: string;
let notesId: string;
const asAna = () => ({ cookie: ana.cookie, workspaceId: ana.workspaceId });
beforeAll(async () => {
  ana = await seedPerson("Ana");
  base = `/api/workspaces/${ana.workspaceId}`;
  const file = { name: "Notes", type: "sqlite", config: { file: "notes.sqlite" }, readOnly: false };
  notesId = (await call("POST", `${base}/connectors`, { cookie: ana.cookie, body: file })).json.data.id;
  const body = { query: "create table notes (n int)" };
  await call("POST", `${base}/databases/${notesId}/execute`, { cookie: ana.cookie, body });
});

const decide = (body: object, who: { cookie?: string; key?: string } = { cookie: ana.cookie }) =>
  call("POST", "/api/agent/plan-decision", { ...who, body });
const plan = (grants: string[], more: object = { targets: [notesId] }): Say => ({
  tool: "propose_plan",
  input: { planMarkdown: "1. Write it down", grants, ...more },
});
const insert = (): Say => ({
  tool: "run_query",
  input: { connectionId: notesId, query: "insert into notes values (1)" },
});
const countNotes = async () => {
  const body = { query: "select count(*) as n from notes" };
  return (await call("POST", `${base}/databases/${notesId}/execute`, { cookie: ana.cookie, body })).json.data.rows[0].n;
};
const results = (events: Event[]) => events.filter(({ type }) => type === "tool-result");

/** Sends a message, and decides on the plan while the stream waits. */
async function askAndDecide(decision: object, chatId = newId(), agentId?: string) {
  const response = await askRaw("Write it down", { ...asAna(), chatId, ...(agentId && { agentId }) });
  const events: Event[] = [];
  let decided: Awaited<ReturnType<typeof decide>> | undefined;
  for await (const event of readEvents(response)) {
    events.push(event);
    if (event.type !== "tool-input-available" || event.toolName !== "propose_plan") continue;
    const { agentSessionId } = event.input;
    decided = await decide({ agentSessionId, ...decision });
  }
  return { events, decided, chatId };
}

describe("a plan", () => {
  it("that is approved during the stream permits writes until the turn ends", async () => {
    const before = await countNotes();
    model.say(
      [insert()],
      [plan(["query-write", "console-write"])],
      [insert()],
      [{ tool: "save_console", input: { name: "by plan", content: "select 1" } }],
    );
    const { events, decided, chatId } = await askAndDecide({ decision: "approve" });
    const { agentSessionId } = events.find(({ toolName }) => toolName === "propose_plan")?.input ?? {};
    expect(decided?.json.data).toEqual({
      agentSessionId,
      status: "approved",
      grants: ["query-write", "console-write"],
      expiresAt: expect.any(String),
    });
    const left = new Date(decided?.json.data.expiresAt).getTime() - Date.now();
    expect(left).toBeGreaterThan(119 * 60_000);
    expect(left).toBeLessThanOrEqual(120 * 60_000);
    expect(results(events)).toMatchObject([
      { errorText: expect.stringMatching(/read/i) },
      { output: { agentSessionId, status: "approved", grants: ["query-write", "console-write"] } },
      { output: { executionId: expect.any(String) } },
      { output: { version: 1 } },
    ]);
    expect(await countNotes()).toBe(before + 1);
    // The next turn may not, even in the same chat.
    model.say([insert()], [{ tool: "save_console", input: { name: "again", content: "x" } }]);
    const next = await ask("Again", { ...asAna(), chatId });
    expect(results(next.events)).toMatchObject([{ errorText: expect.any(String) }, { errorText: expect.any(String) }]);
    expect(await countNotes()).toBe(before + 1);
    // The chat shows the request and the decision.
    const chat = await call("GET", `${base}/chats/${chatId}`, { cookie: ana.cookie });
    const parts = chat.json.data.messages[1].parts as { type: string; output?: object }[];
    expect(parts.find(({ type }) => type === "tool-propose_plan")?.output).toMatchObject({
      status: "approved",
      decidedAt: expect.any(String),
    });
  });

  it("permits only what was approved of it", async () => {
    const before = await countNotes();
    model.say(
      [plan(["query-write", "console-write"])],
      [insert()],
      [{ tool: "save_console", input: { name: "allowed", content: "select 1" } }],
    );
    const { events } = await askAndDecide({ decision: "approve", grants: ["console-write"] });
    expect(results(events)).toMatchObject([
      { output: { grants: ["console-write"] } },
      { errorText: expect.stringMatching(/read/i) },
      { output: { version: 1 } },
    ]);
    expect(await countNotes()).toBe(before);
  });

  it("does not confirm a write for a person where the connection requires that", async () => {
    const before = await countNotes();
    const setting = (confirmWrites: string) =>
      call("PATCH", `${base}/connectors/${notesId}`, { cookie: ana.cookie, body: { confirmWrites } });
    expect((await setting("always")).json.data.confirmWrites).toBe("always");
    model.say([plan(["query-write"])], [insert()]);
    const { events } = await askAndDecide({ decision: "approve" });
    expect(results(events)[1]).toMatchObject({ errorText: expect.stringMatching(/only a person can confirm/i) });
    expect(await countNotes()).toBe(before);
    await setting("never");
  });

  it.each([
    ["request_changes", "changes_requested"],
    ["cancel", "cancelled"],
  ])("that gets %s grants nothing, and the model gets the reason", async (decision, status) => {
    const before = await countNotes();
    model.say([plan(["query-write"])], [insert()]);
    const { events, decided } = await askAndDecide({
      decision,
      planMarkdown: "Not like this",
      grants: ["query-write"],
    });
    expect(decided?.json.data).toMatchObject({ status, grants: [], expiresAt: null });
    expect(results(events)[0]?.output).toMatchObject({ status, grants: [], planMarkdown: "Not like this" });
    expect(results(events)[1]).toMatchObject({ errorText: expect.any(String) });
    expect(await countNotes()).toBe(before);
  });

  it("that is decided after its turn counts for the next one, once", async () => {
    model.say([plan(["query-write"])]);
    const chatId = newId();
    const proposed = await askRaw("Write it down", { ...asAna(), chatId });
    let agentSessionId = "";
    for await (const event of readEvents(proposed)) {
      if (event.toolName === "propose_plan") agentSessionId = event.input.agentSessionId;
      if (agentSessionId !== "") break;
    }
    const id = agentSessionId;
    await vi.waitFor(async () => {
      expect(await collections.agentPlans().findOne({ agentSessionId: id })).toMatchObject({ turnId: null });
    }, 30_000);
    expect((await decide({ agentSessionId, decision: "approve" })).status).toBe(200);
    const chat = await call("GET", `${base}/chats/${chatId}`, { cookie: ana.cookie });
    expect(chat.text).toContain('"state":"stopped"');
    const before = await countNotes();
    model.say([insert()]);
    const next = await ask("Go on", { ...asAna(), chatId });
    expect(results(next.events)[0]).toMatchObject({ output: expect.any(Object) });
    const told = JSON.stringify(
      model.calls.find(({ messages }) => JSON.stringify(messages).includes("Go on"))?.messages,
    );
    expect(told).toContain("plansDecidedSince");
    expect(await countNotes()).toBe(before + 1);
    model.say([insert()]);
    expect(results((await ask("Once more", { ...asAna(), chatId })).events)[0]?.errorText).toMatch(/read/i);
  });

  it("has the model's ID, or a generated one", async () => {
    const agentSessionId = randomUUID();
    model.say([plan(["query-write"], { agentSessionId })]);
    const { events, decided } = await askAndDecide({ decision: "cancel" });
    expect(events.find(({ toolName }) => toolName === "propose_plan")?.input.agentSessionId).toBe(agentSessionId);
    expect(decided?.json.data.agentSessionId).toBe(agentSessionId);
    // Another chat cannot use it.
    model.say([plan(["query-write"], { agentSessionId })]);
    const { events: others } = await ask("Again", asAna());
    expect(results(others)[0]?.errorText).toContain("agentSessionId");
  });

  it("is decided in the form that was seen", async () => {
    const agentSessionId = randomUUID();
    const chatId = newId();
    model.say([plan(["query-write"], { agentSessionId, revision: 7 })]);
    const first = await askAndDecide({ decision: "request_changes", revision: 1 }, chatId);
    expect(first.decided?.status).toBe(200);
    model.say([plan(["query-write", "console-write"], { agentSessionId })], [insert()]);
    const response = await askRaw("Again", { ...asAna(), chatId });
    const statuses: number[] = [];
    for await (const { type, toolName, input } of readEvents(response)) {
      if (type !== "tool-input-available" || toolName !== "propose_plan") continue;
      expect(input).toMatchObject({ agentSessionId, revision: 2 });
      for (const revision of [1, 3, 2])
        statuses.push((await decide({ agentSessionId, revision, decision: "approve" })).status);
    }
    expect(statuses).toEqual([409, 409, 200]);
    for (const revision of [0, "1", 1.5])
      expect((await decide({ agentSessionId, revision, decision: "approve" })).status).toBe(400);
  });

  it("keeps the connection open with comments while it waits, in both stream formats", async () => {
    model.script = ({ messages }) =>
      messages.at(-1)?.role === "tool" ? [{ text: "As you like." }] : [plan(["query-write"])];
    await Promise.all(
      ["", "?stream=ui"].map(async (query) => {
        const response = await askRaw("Write it down", { ...asAna(), query });
        const reader = response.body?.getReader();
        let text = "";
        const readUntil = async (isThere: () => boolean) => {
          while (!isThere()) {
            const { value, done } = (await reader?.read()) ?? { done: true };
            if (done) break;
            text += Buffer.from(value ?? []).toString();
          }
        };
        await readUntil(() => text.includes(": ping\n\n"));
        const [, agentSessionId] = /"agentSessionId":"([0-9a-f-]{36})"/.exec(text) ?? [];
        expect((await decide({ agentSessionId, decision: "cancel" })).status).toBe(200);
        await readUntil(() => false);
        expect(text).toContain(": ping");
        expect(text).toMatch(/data: \[DONE\]\n\n$/);
        // Only events and comments, so that a line-based reader is not confused.
        for (const block of text.trimEnd().split("\n\n")) expect(block).toMatch(/^(?:data: .+|: ping)$/);
      }),
    );
  }, 60_000);

  it("is sent on the workspace's stream to its person only", async () => {
    model.say([plan(["query-write"])]);
    const { decided } = await askAndDecide({ decision: "cancel" });
    expect(decided?.status).toBe(200);
    const { database } = await import("@/lib/platform/db/client");
    await vi.waitFor(async () => {
      const told = await database()
        .collection("events")
        .find({ kind: "plan", "data.resourceId": decided?.json.data.agentSessionId })
        .sort({ position: 1 })
        .toArray();
      expect(told).toMatchObject([
        { userId: new ObjectId(ana.id), data: { status: "pending" } },
        { userId: new ObjectId(ana.id), data: { status: "cancelled" } },
      ]);
    }, 30_000);
  });

  it("stays open without a decision", async () => {
    const [workspaceId, chatId, turnId] = [new ObjectId(ana.workspaceId), new ObjectId(), new ObjectId()];
    const agentSessionId = randomUUID();
    const doc = { _id: new ObjectId(), workspaceId, agentSessionId, chatId, userId: new ObjectId(ana.id), turnId };
    const open = { status: "pending" as const, planMarkdown: "p", grants: [], granted: [], createdAt: new Date() };
    const never = { decidedMarkdown: null, decidedBy: null, decidedAt: null, expiresAt: null, endedAt: null };
    await collections.agentPlans().insertOne({ ...doc, ...open, ...never });
    const caller = { workspaceId } as Parameters<typeof waitForDecision>[0]["caller"];
    const signal = new AbortController().signal;
    expect(await waitForDecision({ caller, chatId, turnId }, agentSessionId, signal, 50)).toBeNull();
    expect(await collections.agentPlans().findOne({ agentSessionId })).toMatchObject({
      status: "pending",
      turnId: null,
    });
  });
});

describe("a decision", () => {
  const pending = async (grants: ("query-write" | "console-write")[] = ["query-write"]) => {
    const agentSessionId = randomUUID();
    await collections.agentPlans().insertOne({
      _id: new ObjectId(),
      workspaceId: new ObjectId(ana.workspaceId),
      agentSessionId,
      chatId: new ObjectId(),
      userId: new ObjectId(ana.id),
      turnId: null,
      planMarkdown: "p",
      grants,
      status: "pending",
      granted: [],
      decidedMarkdown: null,
      decidedBy: null,
      decidedAt: null,
      expiresAt: null,
      endedAt: null,
      createdAt: new Date(),
    });
    return agentSessionId;
  };

  it("is checked in order: 401, 400, 404, an unrequested grant 400, decided 409", async () => {
    const agentSessionId = await pending();
    const ok = { agentSessionId, decision: "approve" };
    expect((await decide(ok, {})).status).toBe(401);
    for (const bad of [
      { ...ok, agentSessionId: "zz" },
      { ...ok, decision: "maybe" },
      { ...ok, grants: ["everything"] },
      { ...ok, grants: "query-write" },
      {},
    ]) {
      expect([bad, (await decide(bad)).status]).toEqual([bad, 400]);
    }
    const bob = await seedMember(ana.workspaceId, "owner");
    const foreign = await decide(ok, { cookie: bob.cookie });
    const missing = await decide({ ...ok, agentSessionId: randomUUID() }, { cookie: bob.cookie });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await decide({ ...ok, grants: ["flow-write"] })).status).toBe(400);
    expect((await decide(ok)).status).toBe(200);
    expect((await decide(ok)).status).toBe(409);
  });

  it("is one of fifty concurrent ones", async () => {
    const agentSessionId = await pending();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => decide({ agentSessionId, decision: n % 2 ? "approve" : "cancel" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(409)]);
  });

  it("by a removed member returns 404", async () => {
    const bob = await seedMember(ana.workspaceId, "member");
    const agentSessionId = await pending();
    await collections.agentPlans().updateOne({ agentSessionId }, { $set: { userId: new ObjectId(bob.id) } });
    await call("DELETE", `${base}/members/${bob.id}`, { cookie: ana.cookie });
    expect((await decide({ agentSessionId, decision: "approve" }, { cookie: bob.cookie })).status).toBe(404);
  });
});

it("expires two hours after it was granted, in a running turn", async () => {
  const { hasGrant } = await import("./plans");
  const ids = { chatId: new ObjectId(), turnId: new ObjectId() };
  const workspaceId = new ObjectId(ana.workspaceId);
  const caller = { workspaceId, user: { _id: new ObjectId(ana.id) } } as Parameters<typeof hasGrant>[0]["caller"];
  const expiresAt = new Date();
  await collections.agentPlans().insertOne({
    _id: new ObjectId(),
    workspaceId,
    agentSessionId: randomUUID(),
    ...ids,
    userId: caller.user._id,
    planMarkdown: "p",
    grants: ["query-write"],
    status: "approved",
    granted: ["query-write"],
    decidedMarkdown: null,
    decidedBy: caller.user._id,
    decidedAt: expiresAt,
    expiresAt,
    endedAt: null,
    createdAt: expiresAt,
  });
  expect(await hasGrant({ caller, ...ids }, "query-write", new Date(expiresAt.getTime() - 1))).toBe(true);
  expect(await hasGrant({ caller, ...ids }, "query-write", expiresAt)).toBe(false);
  expect(await hasGrant({ caller, ...ids, turnId: new ObjectId() }, "query-write", new Date(0))).toBe(false);
});

describe("C25 a change of a scheduled console", () => {
  const ALL = ["console-write", "schedule-write", "query-write"];
  let readOnlyId: string;
  beforeAll(async () => {
    const body = { name: "Read", type: "sqlite", config: { file: "read.sqlite" }, readOnly: true };
    readOnlyId = (await call("POST", `${base}/connectors`, { cookie: ana.cookie, body })).json.data.id;
  });

  let made = 0;
  async function consoleOf(connectionId: string, schedule: "on" | "off" | "none"): Promise<string> {
    const body = { name: `scheduled ${made++}`, content: "select 1", access: "workspace", connectionId };
    const { id } = (await call("POST", `${base}/consoles`, { cookie: ana.cookie, body })).json.data;
    if (schedule === "none") return id;
    const timing = { cron: "0 5 * * *", timezone: "UTC", enabled: schedule === "on" };
    const put = await call("PUT", `${base}/consoles/${id}/schedule`, { cookie: ana.cookie, body: timing });
    expect(put.status).toBeLessThan(300);
    return id;
  }

  const NAMED = "named";
  const UNNAMED = "no targets";
  const OTHER = "another target";
  it.each<
    [where: "writes" | "reads", schedule: "on" | "off" | "none", grants: string[], targets: string, may: boolean]
  >([
    ["writes", "none", ["console-write"], UNNAMED, false],
    ["writes", "none", ["console-write"], NAMED, true],
    ["writes", "none", ["console-write"], OTHER, false],
    ["writes", "on", ["console-write"], NAMED, false],
    ["writes", "off", ["console-write"], NAMED, false],
    ["writes", "on", ["console-write", "schedule-write"], NAMED, false],
    ["writes", "off", ["console-write", "schedule-write"], NAMED, false],
    ["writes", "on", ["console-write", "query-write"], NAMED, false],
    ["writes", "on", ["schedule-write", "query-write"], NAMED, false],
    ["writes", "on", ALL, NAMED, true],
    ["writes", "off", ALL, NAMED, true],
    ["writes", "on", ALL, UNNAMED, false],
    ["writes", "off", ALL, OTHER, false],
    ["reads", "on", ["console-write"], NAMED, false],
    ["reads", "on", ["console-write", "schedule-write"], NAMED, true],
    ["reads", "off", ["console-write", "schedule-write"], UNNAMED, false],
  ])("on a connection that %s, schedule %s, with %j and %s: %s", async (where, schedule, grants, targets, may) => {
    const id = await consoleOf(where === "writes" ? notesId : readOnlyId, schedule);
    const named = { [NAMED]: { targets: [id] }, [OTHER]: { targets: [newId()] } }[targets] ?? {};
    model.say(
      [plan(grants, named)],
      [{ tool: "save_console", input: { consoleId: id, content: "insert into notes values (9)", version: 1 } }],
    );
    const { events } = await askAndDecide({ decision: "approve" });
    expect(results(events)[1]).toMatchObject(may ? { output: { version: 2 } } : { errorText: expect.any(String) });
    const saved = await call("GET", `${base}/consoles/${id}`, { cookie: ana.cookie });
    expect(saved.json.data.content).toBe(may ? "insert into notes values (9)" : "select 1");
  });

  it("is checked by the new connection too", async () => {
    const id = await consoleOf(readOnlyId, "on");
    model.say(
      [plan(["console-write", "schedule-write"], { targets: [id] })],
      [{ tool: "save_console", input: { consoleId: id, content: "x", version: 1, connectionId: notesId } }],
    );
    const { events } = await askAndDecide({ decision: "approve" });
    expect(results(events)[1]).toMatchObject({ errorText: expect.stringContaining("query-write") });
  });
});

describe("C25 each kind of effect", () => {
  let consoleId: string;
  let flowId: string;
  const created = async (path: string, body: object) =>
    (await call("POST", `${base}/${path}`, { cookie: ana.cookie, body })).json.data;
  let sourceId: string;
  beforeAll(async () => {
    consoleId = (await created("consoles", { name: "old", content: "select 1", access: "workspace" })).id;
    const file = { name: "Source", type: "sqlite", config: { file: "source.sqlite" }, readOnly: false };
    sourceId = (await created("connectors", file)).id;
    await created(`databases/${sourceId}/execute`, { query: "create table items (id integer primary key)" });
  });
  const newFlow = () => ({
    name: `flow ${randomUUID().slice(0, 8)}`,
    type: "sync",
    source: { connectionId: sourceId, entities: [{ name: "items" }] },
    destination: { connectionId: notesId, table: `copy_${randomUUID().slice(0, 8)}`, write: "replace" },
    mode: "full",
  });
  const schedule = { cron: "0 5 * * *", timezone: "UTC", enabled: false };
  const versionOf = async () =>
    (await call("GET", `${base}/consoles/${consoleId}`, { cookie: ana.cookie })).json.data.version;

  type Effect = { grants: string[]; target: () => string | null; say: () => Promise<Say> | Say };
  const EFFECTS: Record<string, Effect> = {
    "a query that writes": { grants: ["query-write"], target: () => notesId, say: insert },
    "a change of a console": {
      grants: ["console-write"],
      target: () => consoleId,
      say: async () => ({
        tool: "save_console",
        input: { consoleId, content: "select 2", version: await versionOf() },
      }),
    },
    "a new console": {
      grants: ["console-write"],
      target: () => null,
      say: () => ({ tool: "save_console", input: { name: `new ${randomUUID().slice(0, 8)}`, content: "select 1" } }),
    },
    "a new flow": {
      grants: ["flow-write"],
      target: () => notesId,
      say: () => ({ tool: "create_flow", input: newFlow() }),
    },
    "a new flow with a schedule": {
      grants: ["flow-write", "schedule-write"],
      target: () => notesId,
      say: () => ({ tool: "create_flow", input: { ...newFlow(), schedule } }),
    },
    "a run of a flow": {
      grants: ["flow-write"],
      target: () => flowId,
      say: () => ({ tool: "trigger_flow", input: { flowId } }),
    },
  };
  const CASES = Object.keys(EFFECTS).flatMap((effect) =>
    [
      "its target",
      "its target among others",
      "its target in capitals",
      "another target",
      "no targets",
      "too few grants",
    ].map((targets) => [effect, targets] as const),
  );

  it.each(CASES)("requires its target in the plan: %s with %s", async (effect, targets) => {
    const { grants, target, say } = EFFECTS[effect] as Effect;
    // A flow that runs already would be refused for that reason.
    if (effect === "a run of a flow") flowId = (await created("flows", { ...newFlow(), trigger: false })).flow.id;
    const id = target();
    const own = id ?? newId();
    const named: Record<string, object> = {
      "its target": { targets: [own] },
      "its target among others": { targets: [newId(), own, newId()] },
      "its target in capitals": { targets: [own.toUpperCase()] },
      "another target": { targets: [newId()] },
      "no targets": {},
      "too few grants": { targets: [own] },
    };
    const asked =
      targets === "too few grants"
        ? [["query-write", "console-write"].find((each) => !grants.includes(each)) ?? ""]
        : grants;
    const may = targets.startsWith("its") || (id === null && targets !== "too few grants");
    model.say([plan(asked, named[targets])], [await say()]);
    const { events } = await askAndDecide({ decision: "approve" }, newId(), "flow");
    expect(results(events)[0]).toMatchObject({ output: { status: "approved" } });
    expect(results(events)[1]).toMatchObject(
      may ? { output: expect.any(Object) } : { errorText: expect.stringContaining(id === null ? "console-write" : id) },
    );
  });

  it.each([
    ["its destination alone", () => [notesId], true],
    ["its source alone", () => [sourceId], false],
    ["the flow-write of one plan and the schedule-write of another", () => [notesId], true],
  ])("finds a new flow with a schedule in %s", async (what, targets, may) => {
    const plans = what.includes("another") ? [["flow-write"], ["schedule-write"]] : [["flow-write", "schedule-write"]];
    model.say(...plans.map((grants) => [plan(grants, { targets: targets() })]), [
      { tool: "create_flow", input: { ...newFlow(), schedule } },
    ]);
    const { events } = await askAndDecide({ decision: "approve" }, newId(), "flow");
    expect(results(events).at(-1)).toMatchObject(
      may ? { output: expect.any(Object) } : { errorText: expect.any(String) },
    );
  });
});
