import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { env } from "@/lib/platform/env";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Credentials, call, callRaw, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD, type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
/** A query with more rows than a test reads. */
const LONG = "select i, repeat('x', 1000) as words from range(100000000) t(i)";
/** A statement whose first row takes long. */
const LATE = "select count(*) from range(1000000000) a, range(1000000000) b";

let owner: Person;
let base: string;
let connectionId: string;
beforeAll(async () => {
  // More accounts are created here than the limit of one address allows.
  env().RATE_LIMIT_SCALE = 100;
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
  connectionId = (await call("GET", `${base}/connectors`, owner)).json.data[0].id;
});
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
});

/** Reads an open answer: `ended` resolves with the text, and whether it was cut off. */
async function open(response: Promise<Response> | Response) {
  const { body, status } = await response;
  expect(status).toBe(200);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const first = await reader.read();
  let text = new TextDecoder().decode(first.value);
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
  return { ended, isOver: () => isOver, cancel: () => reader.cancel() };
}

/** Answers that stay open, each requested by one user or key. */
const ANSWERS: Record<string, (who: Credentials) => Promise<Response>> = {
  "the event stream": (who) => callRaw("GET", `${base}/events`, who),
  "an export": (who) =>
    callRaw("POST", `${base}/databases/${connectionId}/execute`, {
      ...who,
      headers: { accept: "text/csv" },
      body: { query: LONG },
    }),
  "an export at the short address": (who) =>
    callRaw("POST", "/api/execute", {
      ...who,
      headers: { accept: "application/x-ndjson" },
      body: { workspaceId: owner.workspaceId, connectionId, query: LONG },
    }),
};

type Loss = { by: "session" | "key"; lose: (person: Person, key: string) => Promise<unknown> };
const asOwner = (method: string, path: string, body?: object) =>
  call(method, `${base}${path}`, { cookie: owner.cookie, ...(body && { body }) });
const LOSSES: Record<string, Loss> = {
  "a removed member": { by: "session", lose: ({ id }) => asOwner("DELETE", `/members/${id}`) },
  "a removed member's key": { by: "key", lose: ({ id }) => asOwner("DELETE", `/members/${id}`) },
  "a sign-out": { by: "session", lose: ({ cookie }) => call("POST", "/api/auth/logout", { cookie }) },
  "a session that ends elsewhere": {
    by: "session",
    lose: ({ id }) => collections.sessions().deleteMany({ userId: new ObjectId(id) }),
  },
  "a session that expires": {
    by: "session",
    lose: ({ id }) =>
      collections.sessions().updateMany({ userId: new ObjectId(id) }, { $set: { expires: new Date(Date.now() - 1) } }),
  },
  "a deleted key": {
    by: "key",
    lose: ({ id }) => collections.apiKeys().deleteMany({ createdBy: new ObjectId(id) }),
  },
  "an expired key": {
    by: "key",
    lose: ({ id }) =>
      collections
        .apiKeys()
        .updateMany({ createdBy: new ObjectId(id) }, { $set: { expiresAt: new Date(Date.now() - 1) } }),
  },
  "a password that is changed elsewhere": {
    by: "session",
    lose: async ({ email }) => {
      const cookie = cookieOf(await call("POST", "/api/auth/login", { body: { email, password: PASSWORD } }));
      const body = { current: PASSWORD, next: "another short sentence" };
      expect((await call("POST", "/api/auth/password", { cookie, body })).status).toBe(200);
    },
  },
};

describe("C27 an open response ends with the right to it", () => {
  let person: Person;
  let key: string;
  beforeEach(async () => {
    person = await seedMember(owner.workspaceId, "member");
    key = await seedKey(owner.workspaceId, person);
  });

  // Every run has each loss and each answer; the long one has each combination.
  for (const [turn, [loss, { by, lose }]] of Object.entries(LOSSES).entries())
    for (const [index, name] of Object.keys(ANSWERS).entries())
      it(`by ${loss}: ${name}`, { tags: index === turn % Object.keys(ANSWERS).length ? [] : ["long"] }, async () => {
        const answer = await open((ANSWERS[name] as (typeof ANSWERS)[string])(by === "key" ? { key } : person));
        const other = await open(callRaw("GET", `${base}/events`, owner));
        await lose(person, key);
        const { text, isBroken } = await answer.ended;
        // An event stream gives the reason; any other answer must not look complete.
        if (name === "the event stream") expect([isBroken, text.includes("unauthenticated")]).toEqual([false, true]);
        else expect(isBroken).toBe(true);
        expect(other.isOver()).toBe(false);
        await other.cancel();
      });

  it("by a deleted workspace, for its owner too", async () => {
    const lone = await seedPerson("Lone");
    const home = `/api/workspaces/${lone.workspaceId}`;
    const answer = await open(callRaw("GET", `${home}/events`, lone));
    expect((await call("DELETE", home, { cookie: lone.cookie })).status).toBe(200);
    expect((await answer.ended).text).toContain("unauthenticated");
  });

  it("before its first row, too", async () => {
    const asked = callRaw("POST", `${base}/databases/${connectionId}/execute`, {
      cookie: person.cookie,
      headers: { accept: "text/csv" },
      body: { query: LATE, timeoutMs: 60_000 },
    });
    await asOwner("DELETE", `/members/${person.id}`);
    expect((await asked).status).toBe(409);
  });

  const byKey = Object.entries(LOSSES).flatMap(([loss, { by, lose }]) => (by === "key" ? [{ loss, lose }] : []));
  it.each(byKey)("C27 an MCP tool call ends, by $loss", async ({ lose }) => {
    const params = { name: "run_query", arguments: { connectionId, query: LATE } };
    const asked = call("POST", "/api/mcp", {
      key,
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    });
    await lose(person, key);
    const answer = await asked;
    expect([answer.status, answer.json.code]).toEqual([401, "unauthenticated"]);
  });

  it("and continues for a member whose new role still permits it", async () => {
    const answer = await open(callRaw("GET", `${base}/events`, person));
    const other = await seedMember(owner.workspaceId, "member");
    const otherAnswer = await open(callRaw("GET", `${base}/events`, other));
    await asOwner("PUT", `/members/${person.id}`, { role: "admin" });
    await asOwner("DELETE", `/members/${other.id}`);
    // The check that ends the other's answer has covered this one.
    await otherAnswer.ended;
    expect(answer.isOver()).toBe(false);
    await answer.cancel();
  });
});
