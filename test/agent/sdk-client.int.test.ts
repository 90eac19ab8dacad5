import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { newId } from "@/test/fixtures/agent/ask";
import { type ModelServer, startModelServer } from "@/test/fixtures/agent/model-server";

/* The ai SDK's chat, as on a third-party page, against a real server with faults. */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const DONE_MS = 60_000;

let model: ModelServer;
let servers: Servers;
let server: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;

beforeAll(async () => {
  model = await startModelServer();
  servers = new Servers({ OPENAI_COMPATIBLE_BASE_URL: model.url, DEFAULT_MODEL: "compatible/scripted" });
  server = await servers.start();
  ana = await registerAt(server);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await servers?.close();
  await model?.close();
});

/** Sets only the header and the fields that the API requires. */
function newChat(): { chat: Chat<UIMessage>; chatId: string } {
  const chatId = newId();
  const transport = new DefaultChatTransport({
    api: `${server.url}/api/agent/chat`,
    headers: { "x-vercel-ai-ui-message-stream": "v1", cookie: ana.cookie },
    body: { chatId, workspaceId: ana.home.split("/").at(-1) },
  });
  return { chat: new Chat({ transport }), chatId };
}

const textOf = (message: UIMessage | undefined) =>
  message?.parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("") ?? "";
const stored = (chatId: string) => ana.send(server, "GET", `/chats/${chatId}`);

it("T68 reports a model that fails midway, keeps its text and continues", async () => {
  const { chat, chatId } = newChat();
  // An immediate cut may lose data that was sent with it.
  model.say([{ text: "Half an answer ", everyMs: 100 }, { cut: true }]);
  await chat.sendMessage({ text: "Talk" });
  expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringContaining("Try again")]);
  expect(textOf(chat.lastMessage)).toBe("Half an answer ");
  expect((await stored(chatId)).messages.at(-1)).toMatchObject({ id: chat.lastMessage?.id, state: "failed" });
  model.say([{ text: "All of it." }]);
  await chat.sendMessage({ text: "And now?" });
  expect([chat.status, chat.error, textOf(chat.lastMessage)]).toEqual(["ready", undefined, "All of it."]);
  expect((await stored(chatId)).messages.map(({ id }: UIMessage) => id).slice(1)).toHaveLength(3);
  expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("Half an answer ");
});

it("reports the reason of a rejected request before streaming", async () => {
  const { chat } = newChat();
  await chat.sendMessage({ text: "x".repeat(65 * 1024) });
  expect(chat.status).toBe("error");
  expect(JSON.parse(chat.error?.message ?? "{}")).toMatchObject({ success: false, code: "invalid_request" });
});

it("T66 stops the model and keeps the partial answer", async () => {
  const { chat, chatId } = newChat();
  model.say([{ text: "Half an answer and " }, { hang: true }]);
  const left = model.left();
  const over = chat.sendMessage({ text: "Talk" });
  await vi.waitFor(() => expect(textOf(chat.lastMessage)).toContain("answer"), DONE_MS);
  await chat.stop();
  await over;
  expect([chat.status, chat.error]).toEqual(["ready", undefined]);
  await vi.waitFor(() => expect(model.left()).toBe(left + 1), DONE_MS);
  await vi.waitFor(async () => {
    const answer = (await stored(chatId)).messages.at(-1);
    expect(answer).toMatchObject({ id: chat.lastMessage?.id, state: "stopped" });
    expect(textOf(answer)).toContain("Half an answer");
  }, DONE_MS);
  model.say([{ text: "Still here." }]);
  await chat.sendMessage({ text: "And now?" });
  expect([chat.status, textOf(chat.lastMessage)]).toEqual(["ready", "Still here."]);
});

it("T68 reports a driver's error as the tool's, without connection secrets", async () => {
  // A server that accepts the connection and closes it, and a port without a server.
  const breaking = createServer((socket) => socket.destroy());
  await once(breaking.listen(0, "127.0.0.1"), "listening");
  const { port } = breaking.address() as AddressInfo;
  const gone = createServer();
  await once(gone.listen(0, "127.0.0.1"), "listening");
  const { port: closedPort } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const uris = [
    ["postgres", `postgres://USERNAME:SECRET@127.0.0.1:${port}/db`],
    ["mysql", `mysql://USERNAME:SECRET@127.0.0.1:${port}/db`],
    ["postgres", `postgres://USERNAME:SECRET@127.0.0.1:${closedPort}/db`],
  ];
  try {
    for (const [index, [type, connectionString]] of uris.entries()) {
      const config = { name: `broken ${index}`, type, config: { connectionString } };
      const { id: connectionId } = await ana.send(server, "POST", "/connectors", config);
      const { chat, chatId } = newChat();
      model.say(
        [{ text: "I look. " }, { tool: "run_query", input: { connectionId, query: "select 1" } }],
        [{ text: "It does not answer." }],
      );
      await chat.sendMessage({ text: "What is in there?" });
      const tool = chat.lastMessage?.parts.find((part) => part.type === "tool-run_query");
      expect([type, tool]).toMatchObject([type, { state: "output-error", errorText: expect.stringMatching(/\w/) }]);
      expect([chat.status, textOf(chat.lastMessage)]).toEqual(["ready", "I look. It does not answer."]);
      const told = JSON.stringify([chat.messages, await stored(chatId), model.calls.at(-1)]);
      expect(told).not.toMatch(/SECRET|USERNAME/);
    }
  } finally {
    await new Promise((resolve) => breaking.close(resolve));
  }
  expect(server.output()).not.toMatch(/SECRET/);
});
