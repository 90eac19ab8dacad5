import { rmSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { newId, userMessage } from "@/test/fixtures/agent/ask";
import { type ModelServer, startModelServer } from "@/test/fixtures/agent/model-server";
import { heapSettings, keptHeap, openSockets } from "@/test/servers/kept-heap";

/*
 * Readers who disconnect from a real server in the middle of an answer, a hundred times: nothing continues, and nothing
 * is left behind.
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const READERS = 100;
const AT_ONCE = 10;
const DONE_MS = 60_000;
/** F12: memory after all have disconnected, relative to before. */
const KEPT_MAX = 1.1;
const QUERY = "select count(*) from range(100000000) a, range(100000) b";

const heap = heapSettings(process.cwd());
let model: ModelServer;
let servers: Servers;
let server: Server;
let ana: Awaited<ReturnType<typeof registerAt>>;
let filesId: string;

beforeAll(async () => {
  model = await startModelServer();
  const settings = { OPENAI_COMPATIBLE_BASE_URL: model.url, DEFAULT_MODEL: "compatible/scripted" };
  servers = new Servers({ ...settings, ...heap.env });
  server = await servers.start();
  ana = await registerAt(server);
  const file = { name: "files", type: "duckdb", config: { file: "files.duckdb" }, readOnly: false };
  filesId = (await ana.send(server, "POST", "/connectors", file)).id;
}, START_TIMEOUT_MS);
afterAll(async () => {
  await servers?.close();
  await model?.close();
  rmSync(heap.folder, { recursive: true, force: true });
});

/** Sends a message, and returns the request once the stream has a piece of this kind. */
async function readUntil(chatId: string, kind: string): Promise<ClientRequest> {
  const sent = request(`${server.url}/api/agent/chat`, {
    method: "POST",
    agent: false,
    headers: { "Content-Type": "application/json", cookie: ana.cookie },
  });
  // The test destroys it in the middle.
  sent.on("error", () => {});
  const workspaceId = ana.home.split("/").at(-1);
  sent.end(JSON.stringify({ chatId, workspaceId, messages: [userMessage("Talk")] }));
  const answer = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
  answer.on("error", () => {});
  expect(answer.statusCode).toBe(200);
  let text = "";
  await new Promise<void>((resolve, reject) => {
    answer.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (text.includes(kind)) resolve();
    });
    answer.once("end", () => reject(new Error(`The stream has ended: ${text}`)));
  });
  return sent;
}

const answerOf = async (chatId: string) => (await ana.send(server, "GET", `/chats/${chatId}`)).messages[1];
async function inGroups(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, of) => work(index + of)));
  }
}

/** Every run has one group of readers; the long run has all. */
const SHARES = [
  { readers: 2 * AT_ONCE, tags: [] },
  { readers: READERS, tags: ["long"] },
];
for (const { readers, tags } of SHARES)
  it(`T66 F12 leaves no model call, query, socket or memory after ${readers} readers leave in the middle`, {
    tags,
  }, async () => {
    const port = Number(new URL(server.url).port);
    const leaveWhileTalking = async () => {
      const chatId = newId();
      const reader = await readUntil(chatId, "half");
      const left = model.left();
      reader.destroy();
      await vi.waitFor(() => expect(model.left()).toBeGreaterThan(left), { timeout: DONE_MS, interval: 10 });
      return chatId;
    };
    model.script = () => [{ text: "This is half of " }, { hang: true }];
    // Modules that the first turns load do not count.
    await inGroups(20, async () => void (await leaveWhileTalking()));
    await vi.waitFor(() => expect(model.open()).toBe(0), DONE_MS);
    const [kept, sockets] = [await keptHeap(server.webPid, heap.folder), openSockets(port)];

    const chats: string[] = [];
    await inGroups(readers, async () => void chats.push(await leaveWhileTalking()));
    await vi.waitFor(() => expect(model.open()).toBe(0), DONE_MS);
    for (const chatId of chats) {
      const answer = await vi.waitFor(async () => {
        const found = await answerOf(chatId);
        expect(found.state).toBe("stopped");
        return found;
      }, DONE_MS);
      expect(answer.parts.at(-1)).toMatchObject({ type: "text", text: expect.stringContaining("half") });
    }

    model.script = () => [{ tool: "run_query", input: { connectionId: filesId, query: QUERY } }];
    await inGroups(AT_ONCE, async () => {
      (await readUntil(newId(), "tool-input-available")).destroy();
    });
    await vi.waitFor(async () => {
      const { items } = await ana.send(server, "GET", "/executions");
      const own = items.filter(({ query }: { query: string }) => query === QUERY);
      // A reader may disconnect before the query starts: then there is none.
      for (const { status } of own) expect(status).toBe("cancelled");
    }, DONE_MS);

    await vi.waitFor(() => expect(openSockets(port)).toBeLessThanOrEqual(sockets), DONE_MS);
    expect(await keptHeap(server.webPid, heap.folder)).toBeLessThan(kept * KEPT_MAX);
    expect(server.output()).not.toMatch(/unhandled|ECONNRESET|uncaught/i);
  });
