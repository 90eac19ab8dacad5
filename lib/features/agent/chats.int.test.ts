import { ObjectId } from "mongodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections as eventCollections } from "@/lib/platform/events/collections";
import { writeNow } from "@/lib/platform/events/publish";
import { heartbeat } from "@/lib/platform/work/heartbeat";
import { call } from "@/test/client";
import { ask, askRaw, type Event, newId, readEvents } from "@/test/fixtures/agent/ask";
import { takeScriptedModel } from "@/test/fixtures/agent/scripted-model";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { collections } from "./collections";
import { FEEDBACK_CHARS_MAX, INSTRUCTIONS_CHARS_MAX, TITLE_CHARS_MAX } from "./limits";
import { sweepTurns } from "./sweep";

const model = await takeScriptedModel();

let ana: Person;
let bob: Person;
let base: string;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  bob = await seedMember(ana.workspaceId, "owner");
  base = `/api/workspaces/${ana.workspaceId}`;
});
beforeEach(() => {
  model.script = () => [{ text: "Hello there." }];
});

const as = (who: () => Person) => (method: string, path: string, body?: unknown) =>
  call(method, base + path, { cookie: who().cookie, ...(body !== undefined && { body }) });
const send = as(() => ana);
const asBob = as(() => bob);
async function talk(...questions: string[]): Promise<{ chatId: string; ids: string[] }> {
  const chatId = newId();
  for (const question of questions) await ask(question, { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId });
  const { messages } = (await send("GET", `/chats/${chatId}`)).json.data;
  return { chatId, ids: messages.map(({ id }: { id: string }) => id) };
}

describe("a chat", () => {
  it("is created without a message, takes its title from the first one, and keeps a given title", async () => {
    const made = await send("POST", "/chats");
    expect([made.status, made.json.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        title: "New chat",
        agentId: "console",
        modelId: "compatible/scripted",
        messageCount: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    const { id: chatId } = made.json.data;
    const say = (text: string) => ask(text, { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId });
    await say("How many orders?");
    const titleOf = async () => (await send("GET", `/chats/${chatId}`)).json.data.title;
    expect(await titleOf()).toBe("How many orders?");
    const renamed = await send("PUT", `/chats/${chatId}`, { title: "  Orders of the year " });
    expect([renamed.status, renamed.json.data.title]).toEqual([200, "Orders of the year"]);
    await say("And last year?");
    expect(await titleOf()).toBe("Orders of the year");
  });

  it("has a title of 1 to 200 characters", async () => {
    const { chatId } = await talk("First");
    const put = (body: unknown) => send("PUT", `/chats/${chatId}`, body);
    for (const body of [{}, { title: "" }, { title: "  " }, { title: "x".repeat(TITLE_CHARS_MAX + 1) }, { title: 7 }]) {
      const answer = await put(body);
      expect([body, answer.status, answer.json.details?.[0]?.path]).toEqual([body, 400, "title"]);
    }
    expect((await send("POST", "/chats", { title: " " })).status).toBe(400);
    const longest = "x".repeat(TITLE_CHARS_MAX);
    expect((await put({ title: longest })).json.data.title).toBe(longest);
  });

  it("is private, also from the workspace's other owner, who gets the response of an unknown one", async () => {
    const { chatId, ids } = await talk("Mine");
    const body = { title: "Ours" };
    const tries: [string, string, unknown?][] = [
      ["GET", `/chats/${chatId}`],
      ["PUT", `/chats/${chatId}`, body],
      ["DELETE", `/chats/${chatId}`],
      ["PUT", `/chats/${chatId}/messages/${ids[1]}/feedback`, { value: "up" }],
    ];
    for (const [method, path, sent] of tries) {
      const [theirs, none] = [
        await asBob(method, path, sent),
        await asBob(method, path.replace(chatId, new ObjectId().toHexString()), sent),
      ];
      expect([method, path, theirs.status, theirs.text]).toEqual([method, path, 404, none.text]);
    }
    const listed = (await asBob("GET", "/chats")).json.data.items;
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(chatId);
    expect((await send("GET", `/chats/${chatId}`)).json.data).toMatchObject({ title: "Mine", messageCount: 2 });
  });

  it("is listed newest first, page by page", async () => {
    const ids: string[] = [];
    for (const title of ["one", "two", "three"]) ids.unshift((await send("POST", "/chats", { title })).json.data.id);
    const first = (await send("GET", "/chats?limit=2")).json.data;
    const second = (await send("GET", `/chats?limit=1&cursor=${first.nextCursor}`)).json.data;
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await send("GET", "/chats?cursor=zz")).status).toBe(400);
  });

  it("is deleted with its messages, plans and stored results", async () => {
    const sampleId = await sampleIdOf(ana.workspaceId, ana);
    const chatId = newId();
    const query = "select count(*) as n from orders";
    model.say([{ tool: "run_query", input: { connectionId: sampleId, query } }], [{ text: "Many." }]);
    const { events } = await ask("How many?", { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId });
    const { resultId } = events.find(({ type }) => type === "tool-result")?.output ?? {};
    const kept = `/chats/${chatId}/results/${resultId}`;
    expect((await send("GET", kept)).status).toBe(200);
    const of = { chatId: new ObjectId(chatId) };
    const plan = { agentSessionId: crypto.randomUUID(), planMarkdown: "p", grants: ["query-write"] };
    model.say([{ tool: "propose_plan", input: plan }], [{ text: "Left." }]);
    const asked = ask("Plan", { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId });
    await expect.poll(() => collections.agentPlans().countDocuments(of)).toBe(1);
    const { agentSessionId } = plan;
    await call("POST", "/api/agent/plan-decision", {
      cookie: ana.cookie,
      body: { agentSessionId, decision: "cancel" },
    });
    await asked;

    expect((await send("DELETE", `/chats/${chatId}`)).status).toBe(200);
    for (const path of [`/chats/${chatId}`, kept])
      expect([path, (await send("GET", path)).status]).toEqual([path, 404]);
    expect((await send("DELETE", `/chats/${chatId}`)).status).toBe(404);
    expect([
      await collections.chats().countDocuments({ _id: of.chatId }),
      await collections.chatMessages().countDocuments(of),
      await collections.agentPlans().countDocuments(of),
    ]).toEqual([0, 0, 0]);
  });
});

describe("an answer", () => {
  const stateOf = async (chatId: string) => (await send("GET", `/chats/${chatId}`)).json.data.messages.at(-1)?.state;

  it("sends each stored step and its end to the person's other pages only", async () => {
    model.say([{ tool: "list_connections", input: {} }], [{ text: "One." }]);
    const chatId = newId();
    const { events } = await ask("Which?", { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId });
    const messageId = events[0]?.messageId;
    await writeNow();
    const told = await eventCollections.events().find({ "data.resourceId": chatId }).sort({ position: 1 }).toArray();
    const of = { resourceType: "chat", resourceId: chatId, messageId };
    expect(told.map(({ kind, userId, data }) => [kind, String(userId), data])).toEqual(
      ["running", "done"].map((state) => ["plan", ana.id, { ...of, state, at: expect.any(String) }]),
    );
  });

  it("of a turn whose server died is no longer streaming, and keeps its stored text", async () => {
    model.say([{ tool: "list_connections", input: {} }], [{ text: "Half of " }, { hang: true }]);
    const chatId = newId();
    const who = { cookie: ana.cookie, workspaceId: ana.workspaceId, chatId };
    const response = await askRaw("Which?", who);
    // Does not leave the loop early: that would disconnect the reader.
    const events = readEvents(response);
    while ((await events.next()).value?.type !== "text-delta");
    const { messages } = (await send("GET", `/chats/${chatId}`)).json.data;
    expect(messages.at(-1)).toMatchObject({ state: "running" });
    // Its server stops sending heartbeats, and the test does not wait for the lease.
    const _id = new ObjectId(String(messages.at(-1).id));
    const of = { _id, workspaceId: new ObjectId(ana.workspaceId) };
    await sweepTurns();
    expect(await stateOf(chatId)).toBe("running");
    await collections
      .chatMessages()
      .updateOne(of, [{ $set: { "work.dueAt": { $subtract: ["$$NOW", 1] }, "work.claim.token": new ObjectId() } }]);
    await Promise.all([sweepTurns(), sweepTurns()]);
    const [, lost] = (await send("GET", `/chats/${chatId}`)).json.data.messages;
    expect(lost).toMatchObject({ state: "stopped" });
    expect(lost.parts).toContainEqual(
      expect.objectContaining({ type: "tool-list_connections", state: "output-available" }),
    );
    // It was only silent for a long time: its next heartbeat ends it, and it changes nothing any more.
    await heartbeat().beat();
    const rest: Event[] = [];
    for await (const event of events) rest.push(event);
    expect(rest).toContainEqual({ type: "error", errorText: expect.stringMatching(/interrupted/) });
    expect(await stateOf(chatId)).toBe("stopped");
  });
});

describe("feedback on an answer", () => {
  const put = (chatId: string, messageId: string | undefined, body: unknown) =>
    send("PUT", `/chats/${chatId}/messages/${messageId}/feedback`, body);
  const given = async (chatId: string) =>
    (await send("GET", `/chats/${chatId}`)).json.data.messages.map(({ feedback }: { feedback: unknown }) => feedback);

  it("is stored with its comment, changed and removed", async () => {
    const { chatId, ids } = await talk("First");
    expect((await put(chatId, ids[1], { value: "down", text: "The wrong table" })).status).toBe(200);
    expect(await given(chatId)).toEqual([null, { value: "down", text: "The wrong table" }]);
    expect((await put(chatId, ids[1], { value: "up" })).status).toBe(200);
    expect(await given(chatId)).toEqual([null, { value: "up", text: null }]);
    expect((await put(chatId, ids[1], { value: null })).status).toBe(200);
    expect(await given(chatId)).toEqual([null, null]);
  });

  it("must be for an answer of that chat, with one of two values", async () => {
    const [{ chatId, ids }, other] = [await talk("First"), await talk("Elsewhere")];
    for (const body of [{}, { value: "sideways" }, { value: "up", text: "x".repeat(FEEDBACK_CHARS_MAX + 1) }]) {
      expect([body, (await put(chatId, ids[1], body)).status]).toEqual([body, 400]);
    }
    // A question, an answer of another chat, and an unknown id.
    for (const id of [ids[0], other.ids[1], newId()]) {
      expect([id, (await put(chatId, id, { value: "up" })).status]).toEqual([id, 404]);
    }
    expect([await given(chatId), await given(other.chatId)]).toEqual([
      [null, null],
      [null, null],
    ]);
  });
});

describe("a workspace's instructions", () => {
  const put = (text: unknown) => send("PUT", "/agent/instructions", { text });

  it("are visible to members and sent with each of their turns, for every agent", async () => {
    const text = "A week starts on Monday.";
    const answer = await put(text);
    expect([answer.status, answer.json.data]).toEqual([
      200,
      { text, updatedBy: ana.id, updatedAt: expect.any(String) },
    ]);
    const jun = await seedMember(ana.workspaceId, "member");
    const read = await call("GET", `${base}/agent/instructions`, { cookie: jun.cookie });
    expect(read.json.data).toEqual(answer.json.data);
    const chatId = newId();
    for (const agentId of ["console", "flow", "console"]) {
      await ask("Hello", { cookie: jun.cookie, workspaceId: ana.workspaceId, chatId, agentId });
      expect([agentId, String(model.calls.at(-1)?.messages[0]?.content).includes(text)]).toEqual([agentId, true]);
    }
    await put("");
    await ask("Hello", { cookie: jun.cookie, workspaceId: ana.workspaceId, chatId });
    expect(JSON.stringify(model.calls.at(-1)?.messages)).not.toContain(text);
  });

  it("have at most 8,000 characters", async () => {
    expect((await put("x".repeat(INSTRUCTIONS_CHARS_MAX + 1))).status).toBe(400);
    expect((await put(7)).status).toBe(400);
    expect((await put("x".repeat(INSTRUCTIONS_CHARS_MAX))).status).toBe(200);
    await put("");
  });
});
