import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { ask, askRaw, newId } from "@/test/fixtures/agent/ask";
import { takeScriptedModel } from "@/test/fixtures/agent/scripted-model";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const model = await takeScriptedModel();

let ana: Person;
let sampleId: string;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  sampleId = await sampleIdOf(ana.workspaceId, ana);
});
beforeEach(() => {
  model.script = () => [{ text: "Hello there." }];
});

const asAna = () => ({ cookie: ana.cookie, workspaceId: ana.workspaceId });
const readChat = async (chatId: string) =>
  (await call("GET", `/api/workspaces/${ana.workspaceId}/chats/${chatId}`, { cookie: ana.cookie })).json?.data;
type Message = { id: string; role: string; parts: { type: string; text?: string }[] };
const saidIn = (messages: Message[]) =>
  messages.filter(({ role }) => role === "user").map(({ parts }) => parts[0]?.text ?? "");

async function chatWith(...questions: string[]): Promise<{ chatId: string; messages: Message[] }> {
  const chatId = newId();
  for (const question of questions) await ask(question, { ...asAna(), chatId });
  return { chatId, messages: (await readChat(chatId)).messages };
}

describe("a message that replaces another", () => {
  it("removes it, its answer and everything after it from the chat and the model's history", async () => {
    const { chatId, messages } = await chatWith("First", "Second", "Third");
    const replaced = messages.find(({ parts }) => parts[0]?.text === "Second");
    await ask("Second, said better", { ...asAna(), chatId, replaces: replaced?.id });
    const chat = await readChat(chatId);
    expect(saidIn(chat.messages)).toEqual(["First", "Second, said better"]);
    expect([chat.messageCount, chat.messages.length]).toEqual([4, 4]);
    const told = JSON.stringify(model.calls.at(-1)?.messages);
    expect(told).toContain("First");
    expect(told).toContain("Second, said better");
    expect(told).not.toContain("Third");
    // The next one is appended after it.
    await ask("Fourth", { ...asAna(), chatId });
    expect(saidIn((await readChat(chatId)).messages)).toEqual(["First", "Second, said better", "Fourth"]);
  });

  it("may name the answer to retry; the first one sets the chat's title", async () => {
    const { chatId, messages } = await chatWith("How many ordres?");
    const answer = messages.find(({ role }) => role === "assistant");
    await ask("How many orders?", { ...asAna(), chatId, replaces: answer?.id });
    const chat = await readChat(chatId);
    expect(saidIn(chat.messages)).toEqual(["How many orders?"]);
    expect(chat.title).toBe("How many orders?");
  });

  it("returns 404 for an unknown message of any chat, and changes nothing", async () => {
    const { chatId, messages } = await chatWith("First");
    const other = await chatWith("Elsewhere");
    const member = await seedMember(ana.workspaceId, "owner");
    const tries = [
      { ...asAna(), chatId, replaces: newId() },
      { ...asAna(), chatId, replaces: other.messages[0]?.id },
      { ...asAna(), chatId: newId(), replaces: messages[0]?.id },
      { cookie: member.cookie, workspaceId: ana.workspaceId, chatId, replaces: messages[0]?.id },
      { cookie: member.cookie, workspaceId: ana.workspaceId, chatId: newId(), replaces: messages[0]?.id },
    ];
    for (const each of tries) expect((await askRaw("Gone?", each)).status).toBe(404);
    expect((await askRaw("Gone?", { ...asAna(), chatId, replaces: "first" })).status).toBe(400);
    expect(saidIn((await readChat(chatId)).messages)).toEqual(["First"]);
    expect(saidIn((await readChat(other.chatId)).messages)).toEqual(["Elsewhere"]);
  });

  it("deletes the results of the replaced answers only", async () => {
    const chatId = newId();
    const keep = async (question: string) => {
      const query = "select count(*) as n from orders";
      model.say([{ tool: "run_query", input: { connectionId: sampleId, query } }], [{ text: "Done." }]);
      const { events } = await ask(question, { ...asAna(), chatId });
      const resultId = events.find(({ type }) => type === "tool-result")?.output.resultId;
      return `/api/workspaces/${ana.workspaceId}/chats/${chatId}/results/${resultId}`;
    };
    const first = await keep("First");
    const second = await keep("Second");
    const { messages } = await readChat(chatId);
    await ask("Instead", { ...asAna(), chatId, replaces: messages[2].id });
    const statusOf = async (path: string) => (await call("GET", path, { cookie: ana.cookie })).status;
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 404]);
  });

  it("ends their plans: a late approval grants nothing to the new turn", async () => {
    const chatId = newId();
    const agentSessionId = randomUUID();
    const plan = { agentSessionId, planMarkdown: "Save it", grants: ["console-write"] };
    model.say([{ tool: "propose_plan", input: plan }], [{ text: "Waiting." }]);
    // Its reader disconnects while it waits, so that the plan is for the next turn.
    const leaving = new AbortController();
    const response = await askRaw("Save this", { ...asAna(), chatId, signal: leaving.signal });
    const reader = response.body?.getReader();
    for (let seen = ""; !seen.includes(agentSessionId); ) {
      seen += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    leaving.abort();
    await expect.poll(async () => (await readChat(chatId)).messages[1].state).toBe("stopped");
    const decide = () =>
      call("POST", "/api/agent/plan-decision", { cookie: ana.cookie, body: { agentSessionId, decision: "approve" } });
    const { messages } = await readChat(chatId);
    expect((await decide()).status).toBe(200);

    const saved = { name: "orders", content: "select 1" };
    model.say([{ tool: "save_console", input: saved }], [{ text: "Tried." }]);
    const { events } = await ask("Look first", { ...asAna(), chatId, replaces: messages[0].id });
    expect(JSON.stringify(events)).toContain("requires the grant console-write");
    expect((await decide()).status).toBe(409);
  });
});
