import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { registerAt, type Server, Servers } from "@/test/faults/two-servers";
import { type ModelServer, startModelServer } from "@/test/fixtures/agent/model-server";
import { PASSWORD } from "@/test/seed";
import { ask, sessionOf } from "./real-servers";

/* Open responses of one server whose right ends on the other one (C27). */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
/** Endless rows, for the duration of a test. */
const LONG = "select i, repeat('x', 1000) as words from range(100000000) t(i)";

let servers: Servers;
let model: ModelServer;
let first: Server;
let second: Server;
let owner: Awaited<ReturnType<typeof registerAt>>;
let workspaceId: string;
let connectionId: string;

beforeAll(async () => {
  model = await startModelServer();
  model.script = () => [{ text: "Half an answer and " }, { hang: true }];
  servers = new Servers({ OPENAI_COMPATIBLE_BASE_URL: model.url });
  [first, second] = [await servers.start(), await servers.start()];
  owner = await registerAt(first);
  workspaceId = owner.home.split("/").at(-1) ?? "";
  const file = { name: "files", type: "duckdb", config: { file: "files.duckdb" }, readOnly: false };
  connectionId = (await owner.send(first, "POST", "/connectors", file)).id;
}, START_TIMEOUT_MS);
afterAll(async () => {
  await servers?.close();
  await model?.close();
});

type Member = { id: string; email: string; cookie: string; key: string; keyId: string };

async function newMember(): Promise<Member> {
  const email = `${randomUUID()}@example.com`;
  const body = { email, password: PASSWORD, name: "Bo" };
  const reply = await ask(first, "/api/auth/register", { body });
  const cookie = sessionOf(reply);
  const { link } = await owner.send(first, "POST", "/invites", { email, role: "admin" });
  await ask(first, `/api/invites/${link.split("/").at(-1)}/accept`, { method: "POST", cookie });
  const made = await ask(first, `${owner.home}/api-keys`, { cookie, body: { name: "Key" } });
  const { key, id: keyId } = made.json.data;
  return { id: reply.json.data.user.id, email, cookie, key, keyId };
}

type Who = { cookie: string } | { key: string };

/** Opens a response on the second server. `ended` resolves at its end, with its text and whether it broke off. */
async function open(who: Who, path: string, body?: unknown, accept = "*/*") {
  const credentials: Record<string, string> =
    "key" in who ? { authorization: `Bearer ${who.key}` } : { cookie: who.cookie };
  const response = await fetch(second.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...credentials, accept, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = new TextDecoder().decode((await reader.read()).value);
  let isOver = false;
  const ended = (async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return { text, isBroken: false };
        text = (text + new TextDecoder().decode(value)).slice(-2000);
      }
    } catch {
      return { text, isBroken: true };
    } finally {
      isOver = true;
    }
  })();
  return { ended, isOver: () => isOver, cancel: () => reader.cancel().catch(() => {}) };
}

/** Starts a chat that the scripted model never finishes. */
function chat(who: Who, workspace: string) {
  const message = { id: randomUUID(), role: "user", parts: [{ type: "text", text: "Look" }] };
  const chatId = new ObjectId().toHexString();
  return open(who, "/api/agent/chat", { workspaceId: workspace, chatId, messages: [message] });
}

const ANSWERS: Record<string, (who: Who) => ReturnType<typeof open>> = {
  "the event stream": (who) => open(who, `${owner.home}/events`),
  "an export": (who) => open(who, `${owner.home}/databases/${connectionId}/execute`, { query: LONG }, "text/csv"),
  "a chat": (who) => chat(who, workspaceId),
};

type Loss = { by: "session" | "key"; lose: (member: Member) => Promise<unknown> };
/** Each happens on the first server. */
const LOSSES: Record<string, Loss> = {
  "a removed member": { by: "session", lose: ({ id }) => owner.send(first, "DELETE", `/members/${id}`) },
  "a removed member's key": { by: "key", lose: ({ id }) => owner.send(first, "DELETE", `/members/${id}`) },
  "a sign-out": { by: "session", lose: ({ cookie }) => ask(first, "/api/auth/logout", { method: "POST", cookie }) },
  "a session that is ended elsewhere": {
    by: "session",
    lose: async ({ email }) => {
      const cookie = sessionOf(await ask(first, "/api/auth/login", { body: { email, password: PASSWORD } }));
      const { json } = await ask(first, "/api/auth/sessions", { cookie });
      const others = json.data.filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent);
      expect(others).toHaveLength(1);
      return ask(first, `/api/auth/sessions/${others[0].id}`, { method: "DELETE", cookie });
    },
  },
  "a password that is changed elsewhere": {
    by: "session",
    lose: async ({ email }) => {
      const cookie = sessionOf(await ask(first, "/api/auth/login", { body: { email, password: PASSWORD } }));
      const body = { current: PASSWORD, next: "another short sentence" };
      return ask(first, "/api/auth/password", { cookie, body });
    },
  },
  "a deleted key": { by: "key", lose: ({ keyId }) => owner.send(first, "DELETE", `/api-keys/${keyId}`) },
};

describe("C27 ends an open response of one server with a right revoked on the other", () => {
  let member: Member;
  beforeEach(async () => {
    member = await newMember();
  });

  it.each(Object.keys(LOSSES))("C27 by %s", async (name) => {
    const { by, lose } = LOSSES[name] as Loss;
    const who = by === "key" ? { key: member.key } : { cookie: member.cookie };
    const answers = await Promise.all(Object.values(ANSWERS).map((start) => start(who)));
    const other = await open({ cookie: owner.cookie }, `${owner.home}/events`);
    await lose(member);
    const [events, rows] = await Promise.all(answers.map(({ ended }) => ended));
    // An event stream gives the reason; a cut body must not look complete.
    expect([events?.isBroken, events?.text.includes("unauthenticated"), rows?.isBroken]).toEqual([false, true, true]);
    await expect.poll(model.open).toBe(0);
    expect(other.isOver()).toBe(false);
    await other.cancel();
  });

  it("C27 by a deleted workspace", async () => {
    const made = await ask(first, "/api/workspaces", { cookie: owner.cookie, body: { name: "Short" } });
    const home = `/api/workspaces/${made.json.data.id}`;
    const events = await open({ cookie: owner.cookie }, `${home}/events`);
    const talk = await chat({ cookie: owner.cookie }, made.json.data.id);
    expect((await ask(first, home, { method: "DELETE", cookie: owner.cookie })).status).toBe(200);
    expect((await events.ended).text).toContain("unauthenticated");
    await talk.ended;
    await expect.poll(model.open).toBe(0);
  });

  it("C27 and continues for a member who stays", async () => {
    const left = await newMember();
    const answer = await open({ cookie: member.cookie }, `${owner.home}/events`);
    const lost = await open({ cookie: left.cookie }, `${owner.home}/events`);
    await owner.send(first, "PUT", `/members/${member.id}`, { role: "member" });
    await owner.send(first, "DELETE", `/members/${left.id}`);
    await lost.ended;
    expect(answer.isOver()).toBe(false);
    await answer.cancel();
  });
});
