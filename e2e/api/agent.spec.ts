import { randomBytes, randomUUID } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { expect, expectError, newKey, type Person, sampleOf, test } from "./fixtures";

const newChatId = () => randomBytes(12).toString("hex");
const said = (text: string): UIMessage => ({ id: randomUUID(), role: "user", parts: [{ type: "text", text }] });

type Event = { type: string; [field: string]: unknown };

/** Reads the stream line by line, as a program without a library would. */
async function readPlainly(person: Person, body: object): Promise<{ events: Event[]; last: string }> {
  const answer = await person.api.post("/api/agent/chat", body);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers["content-type"]).toContain("text/event-stream");
  const lines = answer.text.split("\n").filter((line) => line.startsWith("data: "));
  const last = lines.pop()?.slice(6) ?? "";
  return { events: lines.map((line) => JSON.parse(line.slice(6))), last };
}

test("supports a plain event-stream client with tools", async ({ owner }) => {
  const chat = { chatId: newChatId(), workspaceId: owner.workspaceId };
  const { events, last } = await readPlainly(owner, { ...chat, messages: [said("How many orders are there?")] });
  expect(last).toBe("[DONE]");
  const types = events.map(({ type }) => type);
  expect(types[0]).toBe("start");
  expect(types.at(-1)).toBe("finish");
  expect(new Set(types)).toEqual(new Set(["start", "tool-input-available", "tool-result", "text-delta", "finish"]));
  const rows = events.find(({ type, toolName }) => type === "tool-result" && toolName === "run_query");
  expect(JSON.stringify(rows?.output)).toContain("100000");
  const again = await readPlainly(owner, { ...chat, messages: [said("And how many customers?")] });
  expect(again.events.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  const { json } = await owner.api.get(`${owner.home}/chats/${chat.chatId}`);
  expect(json.data.messages).toHaveLength(4);
});

test("supports the ai SDK's own transport with only the header set", async ({ owner, service }) => {
  const { key } = await newKey(owner);
  const both: Record<string, string>[] = [
    { authorization: `Bearer ${key}` },
    { cookie: `auth_session=${owner.session}` },
  ];
  for (const credentials of both) {
    const chatId = newChatId();
    const transport = new DefaultChatTransport({
      api: `${service}/api/agent/chat`,
      headers: { "x-vercel-ai-ui-message-stream": "v1", ...credentials },
      body: { chatId, workspaceId: owner.workspaceId },
    });
    const messages: UIMessage[] = [];
    for (const question of ["How many orders are there?", "And how many customers?"]) {
      messages.push(said(question));
      const stream = await transport.sendMessages({
        trigger: "submit-message",
        chatId,
        messageId: undefined,
        messages,
        abortSignal: undefined,
      });
      let answer: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream })) answer = message;
      if (!answer) throw new Error("There is no answer.");
      const tools = answer.parts.filter(({ type }) => type.startsWith("tool-"));
      expect(tools.every((part) => "state" in part && part.state === "output-available")).toBe(true);
      expect(tools.map(({ type }) => type)).toContain("tool-run_query");
      expect(answer.parts.some((part) => part.type === "text" && /\d/.test(part.text))).toBe(true);
      messages.push(answer);
    }
    // The stored text equals the client's.
    const { json } = await owner.api.get(`${owner.home}/chats/${chatId}`);
    const texts = (parts: { type: string; text?: string }[]) => parts.flatMap(({ text }) => text ?? []).join("");
    expect(json.data.messages.map(({ parts }: UIMessage) => texts(parts))).toEqual(
      messages.map(({ parts }) => texts(parts)),
    );
    expect(json.data.messages[1].id).toBe(messages[1]?.id);
  }
});

test("shows chats started with a key to its creator only", async ({ owner, stranger }) => {
  const { api } = await newKey(owner);
  const chatId = newChatId();
  const body = { chatId, workspaceId: owner.workspaceId, messages: [said("How many orders are there?")] };
  expect((await api.post("/api/agent/chat", body)).status).toBe(200);
  const { json } = await owner.api.get(`${owner.home}/chats`);
  expect(json.data.items.map(({ id }: { id: string }) => id)).toContain(chatId);
  expectError(await stranger.api.post("/api/agent/chat", body), 403, "forbidden");
  const theirs = { ...body, workspaceId: stranger.workspaceId };
  expectError(await stranger.api.post("/api/agent/chat", theirs), 404, "not_found");
  expectError(await api.post("/api/agent/chat", theirs), 403, "forbidden");
});

test("lists and calls tools for an MCP client over the wire", async ({ owner, service, anyone }) => {
  const { key } = await newKey(owner);
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service}/api/mcp`), { requestInit }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  const connectionId = await sampleOf(owner);
  const input = { connectionId, query: "select count(*) as n from orders" };
  const { structuredContent } = await client.callTool({ name: "run_query", arguments: input });
  expect(structuredContent).toMatchObject({ rows: [{ n: 100_000 }] });
  expect((await client.listResources()).resources.length).toBeGreaterThan(0);
  await client.close();
  const nobody = await anyone.post("/api/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect([nobody.status, nobody.headers["www-authenticate"]]).toEqual([
    401,
    expect.stringMatching(/^Bearer resource_metadata="/),
  ]);
});
