import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PlanDoc } from "@/lib/features/agent/model";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { type Event, newId, readEvents, userMessage } from "@/test/fixtures/agent/ask";
import { type ModelServer, type Say, startModelServer } from "@/test/fixtures/agent/model-server";
import { ask } from "@/test/security/real-servers";

/*
 * Plans of turns on one real server, decided on another one with the same store: the grants apply to the running turn,
 * and end with it in every case. The same for calls of MCP clients that ask their user.
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const DONE_MS = 60_000;

let model: ModelServer;
let servers: Servers;
let first: Server;
let second: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;
let notesId: string;

beforeAll(async () => {
  model = await startModelServer();
  servers = new Servers({ OPENAI_COMPATIBLE_BASE_URL: model.url, DEFAULT_MODEL: "compatible/scripted" });
  first = await servers.start();
  second = await servers.start();
  ana = await registerAt(first);
  const file = { name: "Notes", type: "sqlite", config: { file: "notes.sqlite" }, readOnly: false };
  notesId = (await ana.send(first, "POST", "/connectors", file)).id;
  await ana.send(first, "POST", `/databases/${notesId}/execute`, { query: "create table notes (n int)" });
}, START_TIMEOUT_MS);
afterAll(async () => {
  await servers?.close();
  await model?.close();
});

const plan = (): Say => ({
  tool: "propose_plan",
  input: { planMarkdown: "Write it down", grants: ["query-write"], targets: [notesId] },
});
const insert = (): Say => ({
  tool: "run_query",
  input: { connectionId: notesId, query: "insert into notes values (1)" },
});
const countNotes = async () => {
  const body = { query: "select count(*) as n from notes" };
  return (await ana.send(second, "POST", `/databases/${notesId}/execute`, body)).rows[0].n as number;
};
const chat = async (at: Server, chatId: string): Promise<AsyncGenerator<Event>> => {
  const workspaceId = ana.home.split("/").at(-1);
  const response = await fetch(`${at.url}/api/agent/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: ana.cookie },
    body: JSON.stringify({ chatId, workspaceId, messages: [userMessage("Write it down")] }),
  });
  expect(response.status).toBe(200);
  return readEvents(response);
};
const approve = (at: Server, agentSessionId: string) =>
  ask(at, "/api/agent/plan-decision", { cookie: ana.cookie, body: { agentSessionId, decision: "approve" } });
/** State of a chat's answer. */
const stateOf = async (chatId: string) => (await ana.send(second, "GET", `/chats/${chatId}`)).messages[1].state;
const plans = () => servers.store.collection<PlanDoc>("agent_plans");
/** Reads until the agent has proposed its plan. */
async function untilProposed(events: AsyncGenerator<Event>): Promise<string> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("The stream has ended without a plan.");
    if (value.type === "tool-input-available" && value.toolName === "propose_plan") return value.input.agentSessionId;
  }
}
async function results(events: AsyncGenerator<Event>): Promise<Event[]> {
  const found: Event[] = [];
  for await (const event of events) if (event.type === "tool-result") found.push(event);
  return found;
}

describe("a call of an MCP client that asks its user", () => {
  /** Connects a client whose answers reach another server than its calls. */
  async function connect(key: string, answers: Server, decision: string): Promise<Client> {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { decision } }));
    const split = ((url: string | URL, init: RequestInit = {}) => {
      const isAnswer = /"result":/.test(String(init.body));
      return fetch(isAnswer ? `${answers.url}/api/mcp` : url, init);
    }) as typeof fetch;
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${first.url}/api/mcp`), { requestInit, fetch: split });
    await client.connect(transport);
    return client;
  }

  it("is decided on another server, over a real connection", async () => {
    const { key } = await ana.send(first, "POST", "/api-keys", { name: "asking" });
    const save = { name: "save_console", arguments: { name: "asked", content: "select 1" } };
    for (const [decision, isError] of [
      ["decline", true],
      ["approve", false],
    ] as const) {
      const client = await connect(key, second, decision);
      const answer = await client.callTool(save);
      expect([decision, answer.isError ?? false]).toEqual([decision, isError]);
      await client.close();
    }
    const consoles = await ana.send(second, "GET", "/consoles");
    expect(consoles.filter(({ name }: { name: string }) => name === "asked")).toHaveLength(1);
    expect(await servers.store.collection("mcp_approvals").countDocuments()).toBe(0);
  });

  it("writes nothing if the client leaves before the answer", async () => {
    const { key } = await ana.send(first, "POST", "/api-keys", { name: "leaving" });
    const client = await connect(key, second, "approve");
    client.setRequestHandler(ElicitRequestSchema, () => new Promise(() => {}));
    const call = client.callTool({ name: "save_console", arguments: { name: "left", content: "select 1" } });
    const ended = expect(call).rejects.toThrow();
    const count = () => servers.store.collection("mcp_approvals").countDocuments();
    await vi.waitFor(async () => expect(await count()).toBe(1), DONE_MS);
    await client.close();
    await ended;
    await vi.waitFor(async () => expect(await count()).toBe(0), DONE_MS);
    const consoles = await ana.send(second, "GET", "/consoles");
    expect(consoles.map(({ name }: { name: string }) => name)).not.toContain("left");
  });
});

describe("a plan of a turn on one server", () => {
  it("continues when it is decided on another server, and permits writes in its turn only", async () => {
    const before = await countNotes();
    model.say([insert()], [plan()], [insert()], [{ text: "Written." }]);
    const chatId = newId();
    const events = await chat(first, chatId);
    const agentSessionId = await untilProposed(events);
    const decided = await approve(second, agentSessionId);
    expect([decided.status, decided.json.data.grants]).toEqual([200, ["query-write"]]);
    expect(await results(events)).toMatchObject([
      { output: { agentSessionId, status: "approved", grants: ["query-write"] } },
      { output: { executionId: expect.any(String) } },
    ]);
    expect(await countNotes()).toBe(before + 1);
    expect(await plans().findOne({ agentSessionId })).toMatchObject({ endedAt: expect.any(Date) });
    for (const at of [first, second]) {
      model.say([insert()]);
      expect(await results(await chat(at, chatId))).toMatchObject([{ errorText: expect.stringMatching(/read/i) }]);
    }
    expect(await countNotes()).toBe(before + 1);
    // A settled plan stays settled on both servers.
    expect([(await approve(first, agentSessionId)).status, (await approve(second, agentSessionId)).status]).toEqual([
      409, 409,
    ]);
  });

  it("permits no write two hours after its approval, even if the turn is still running", {
    tags: ["long"],
  }, async () => {
    const before = await countNotes();
    model.say([plan()], [insert()], [insert()], [{ text: "Done." }]);
    const events = await chat(first, newId());
    const agentSessionId = await untilProposed(events);
    await approve(second, agentSessionId);
    const found: Event[] = [];
    for await (const event of events) {
      if (event.type !== "tool-result") continue;
      found.push(event);
      // The test cannot wait: it sets the grant's age directly.
      if (found.length === 1) await plans().updateOne({ agentSessionId }, { $set: { expiresAt: new Date(0) } });
    }
    // The first insert may have started before the clock was moved; the second one has not.
    expect(found.at(-1)).toMatchObject({ errorText: expect.stringMatching(/read/i) });
    expect(await countNotes()).toBeLessThanOrEqual(before + 1);
  });

  it("leaves no usable grant if its server is killed", async () => {
    model.say([plan()], [{ text: "I have the grant and " }, { hang: true }]);
    const chatId = newId();
    const events = await chat(first, chatId);
    const agentSessionId = await untilProposed(events);
    expect((await approve(second, agentSessionId)).status).toBe(200);
    for await (const event of events) if (event.type === "text-delta") break;
    await servers.kill(first);
    const before = await vi.waitFor(countNotes, DONE_MS);
    // The finished steps are stored, and the other server ends the turn and its grants.
    const answer = async () => (await ana.send(second, "GET", `/chats/${chatId}`)).messages[1];
    expect(await answer()).toMatchObject({
      state: "running",
      parts: expect.arrayContaining([
        expect.objectContaining({ type: "tool-propose_plan", output: expect.objectContaining({ status: "approved" }) }),
      ]),
    });
    await expect.poll(() => stateOf(chatId), { timeout: DONE_MS }).toBe("stopped");
    expect(await plans().findOne({ agentSessionId })).toMatchObject({ endedAt: expect.any(Date) });
    for (const of of [chatId, newId()]) {
      model.say([insert()]);
      expect(await results(await chat(second, of))).toMatchObject([{ errorText: expect.stringMatching(/read/i) }]);
    }
    expect(await countNotes()).toBe(before);
  });

  it("applies to the next turn if it is decided after that", { tags: ["long"] }, async () => {
    first = await servers.start();
    model.say([plan()]);
    const chatId = newId();
    const agentSessionId = await untilProposed(await chat(first, chatId));
    await servers.kill(first);
    const before = await vi.waitFor(countNotes, DONE_MS);
    await expect.poll(() => stateOf(chatId), { timeout: DONE_MS }).toBe("stopped");
    expect((await vi.waitFor(() => approve(second, agentSessionId), DONE_MS)).status).toBe(200);
    model.say([insert()]);
    expect(await results(await chat(second, chatId))).toMatchObject([{ output: { executionId: expect.any(String) } }]);
    expect(await countNotes()).toBe(before + 1);
    model.say([insert()]);
    expect(await results(await chat(second, chatId))).toMatchObject([{ errorText: expect.stringMatching(/read/i) }]);
  });
});

it("ends answers with an error on shutdown and keeps their text", async () => {
  first = await servers.start();
  model.say([{ text: "Half an answer and " }, { hang: true }]);
  const chatId = newId();
  const events = await chat(first, chatId);
  while ((await events.next()).value?.type !== "text-delta");
  const stopped = servers.stop(first);
  const rest: Event[] = [];
  for await (const event of events) rest.push(event);
  expect(rest.slice(-2)).toEqual([
    { type: "error", errorText: expect.stringMatching(/stopping/) },
    { type: "finish", finishReason: "error" },
  ]);
  expect(await stopped).toBe(0);
  const answer = (await ana.send(second, "GET", `/chats/${chatId}`)).messages[1];
  expect(answer).toMatchObject({ state: "failed" });
  expect(JSON.stringify(answer.parts)).toContain("Half an answer");
});
