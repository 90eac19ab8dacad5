import { type CommandStartedEvent, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { mongoClient } from "@/lib/platform/db/client";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { dumpDatabase } from "@/test/security/dump";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
// The driver reports its commands only if that is enabled before it connects.
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();
afterAll(() => own.drop());

let owner: Person;
let base: string;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
});

const make = (body: object = { name: "Nightly report" }, by = owner, path = base) =>
  call("POST", `${path}/api-keys`, { cookie: by.cookie, body });
const list = (by = owner) => call("GET", `${base}/api-keys`, { cookie: by.cookie });
const revoke = (id: string, by = owner) => call("DELETE", `${base}/api-keys/${id}`, { cookie: by.cookie });
const use = (key: string) => call("GET", base, { key });

describe("a read-only key", () => {
  it("reads and queries, and changes nothing, also by a query", async () => {
    const file = { name: "Notes", type: "sqlite", config: { file: "notes.sqlite" }, readOnly: false };
    const { id } = (await call("POST", `${base}/connectors`, { cookie: owner.cookie, body: file })).json.data;
    const run = (query: string, who: { key: string } | { cookie: string }) =>
      call("POST", `${base}/databases/${id}/execute`, { ...who, body: { query } });
    expect((await run("create table notes (n int)", { cookie: owner.cookie })).status).toBe(200);
    const { key, access } = (await make({ name: "Dashboards", access: "read" })).json.data;
    expect(access).toBe("read");
    expect((await use(key)).status).toBe(200);
    expect((await run("select count(*) as n from notes", { key })).json.data.rows).toEqual([{ n: 0 }]);
    for (const write of ["insert into notes values (1)", "drop table notes"]) {
      expect((await run(write, { key })).json.code).toBe("read_only");
    }
    const { key: full } = (await make()).json.data;
    expect((await run("insert into notes values (1)", { key: full })).status).toBe(200);
    expect((await call("POST", `${base}/connectors`, { key, body: file })).status).toBe(403);
  });

  it("cancels only its own queries", async () => {
    const { key } = (await make({ name: "Dashboards", access: "read" })).json.data;
    const member = await seedMember(owner.workspaceId, "member");
    const sample = (await call("GET", `${base}/connectors`, { key })).json.data[0].id;
    const start = (who: object) => {
      const executionId = crypto.randomUUID();
      const query = "select count(*) from range(100000000) a, range(100000) b";
      const answer = call("POST", `${base}/databases/${sample}/execute`, { ...who, body: { query, executionId } });
      const cancel = (by: object) => call("POST", `${base}/executions/${executionId}/cancel`, by);
      return { answer, cancel };
    };
    const theirs = start({ cookie: member.cookie });
    const its = start({ key });
    await vi.waitFor(async () => expect((await its.cancel({ key })).status).toBe(200), 30_000);
    expect((await theirs.cancel({ key })).status).toBe(404);
    // A full key of the same owner can.
    await vi.waitFor(async () => expect((await theirs.cancel({ cookie: owner.cookie })).status).toBe(200), 30_000);
    expect((await its.answer).json.code).toBe("cancelled");
    expect((await theirs.answer).json.code).toBe("cancelled");
  });

  it("is rejected for any other kind of request", async () => {
    expect((await make({ name: "Odd", access: "write" })).status).toBe(400);
  });
});

describe("creating a key", () => {
  it("returns the key once, uncached, and it works at once (T17)", async () => {
    const answer = await make();
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toContain("no-store");
    const { key, ...shown } = answer.json.data;
    expect(key).toMatch(/^mr_[A-Za-z0-9_-]{43}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: "Nightly report",
      prefix: key.slice(0, 8),
      access: "full",
      createdBy: owner.id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: null,
      lastUsedAt: null,
    });
    expect((await use(key)).status).toBe(200);

    const later = await list();
    expect(later.json.data).toContainEqual({ ...shown, lastUsedAt: expect.any(String) });
    expect(later.text).not.toContain(key);
    expect(later.text).not.toContain(key.slice(8));
  });

  it("stores only its hash: neither the key nor the part after its prefix (T16)", async () => {
    const { key } = (await make()).json.data;
    await use(key);
    const dump = await dumpDatabase();
    expect([
      dump.includes(key),
      dump.includes(key.slice(8)),
      dump.includes(Buffer.from(key).toString("base64")),
    ]).toEqual([false, false, false]);
    const hash = (await collections.apiKeys().findOne({ prefix: key.slice(0, 8) }))?.hash ?? "";
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([(await use(hash)).status, (await use(`mr_${hash}`)).status]).toEqual([401, 401]);
  });

  it.each([
    [{}, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(81) }, "name"],
    [{ name: "x", expiresAt: "tomorrow" }, "expiresAt"],
    [{ name: "x", expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    [{ name: "x", expiresAt: 7 }, "expiresAt"],
  ])("names the invalid field: %j", async (body, path) => {
    const answer = await make(body);
    expect([answer.status, answer.json.code, answer.json.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  it("accepts only name and expiry from the body (T29)", async () => {
    const hash = "0".repeat(64);
    const extra = {
      hash,
      key: "mr_chosen",
      prefix: "mr_chose",
      workspaceId: "f".repeat(24),
      createdBy: "f".repeat(24),
    };
    const { id, key, prefix } = (await make({ name: "Own", _id: "f".repeat(24), ...extra })).json.data;
    expect(key).toMatch(/^mr_.{43}$/);
    expect(prefix).toBe(key.slice(0, 8));
    const stored = await collections.apiKeys().findOne({ _id: new ObjectId(id as string) });
    expect(stored).toMatchObject({
      workspaceId: new ObjectId(owner.workspaceId),
      createdBy: new ObjectId(owner.id),
      name: "Own",
    });
    expect(stored?.hash).not.toBe(hash);
    expect(Object.keys(stored ?? {})).not.toContain("key");
  });
});

describe("the end of a key", () => {
  it("applies from the next request after revocation; revoking again returns 404 (T19)", async () => {
    const { id, key } = (await make()).json.data;
    expect((await use(key)).status).toBe(200);
    expect((await revoke(id)).status).toBe(200);
    const refused = await use(key);
    expect([refused.status, refused.json.code]).toEqual([401, "unauthenticated"]);
    expect((await revoke(id)).status).toBe(404);
  });

  it("applies from its expiry date, even while the record exists", async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { id, key, expiresAt } = (await make({ name: "Short", expiresAt: soon })).json.data;
    expect(expiresAt).toBe(soon);
    expect((await use(key)).status).toBe(200);
    await collections.apiKeys().updateOne({ _id: new ObjectId(id as string) }, { $set: { expiresAt: new Date() } });
    expect((await use(key)).status).toBe(401);
  });

  it("can't be set by another workspace: its ID there reads like an unknown one (T25)", async () => {
    const { id, key } = (await make()).json.data;
    const stranger = await seedPerson("Stranger");
    const ask = (keyId: string) =>
      call("DELETE", `/api/workspaces/${stranger.workspaceId}/api-keys/${keyId}`, { cookie: stranger.cookie });
    const [foreign, missing] = [await ask(id), await ask("f".repeat(24))];
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await use(key)).status).toBe(200);
  });

  it("follows the deletion of its creator's account", async () => {
    const leaving = await seedMember(owner.workspaceId, "admin");
    const { key } = (await make({ name: "Theirs" }, leaving)).json.data;
    expect((await use(key)).status).toBe(200);
    await collections.users().deleteOne({ _id: new ObjectId(leaving.id) });
    expect((await use(key)).status).toBe(401);
  });
});

describe("a key", () => {
  it("opens only its workspace, even if its creator has others (docs/develop/api.md, Common rules)", async () => {
    const { key } = (await make()).json.data;
    const other = await call("POST", "/api/workspaces", { cookie: owner.cookie, body: { name: "Other" } });
    expect((await call("GET", `/api/workspaces/${other.json.data.id}`, { key })).status).toBe(403);
    const listed = (await call("GET", "/api/workspaces", { key })).json.data;
    expect(listed.map((each: { id: string }) => each.id)).toEqual([owner.workspaceId]);
  });

  it("needs no Origin and no JSON type, which only protect cookies (T13)", async () => {
    const { key } = (await make()).json.data;
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "content-type": "text/plain" },
    ] as Record<string, string>[]) {
      expect((await call("PATCH", base, { key, headers, body: { name: "By key" } })).status).toBe(200);
    }
  });

  it("stores its last use, at most once a minute", async () => {
    const { id, key } = (await make()).json.data;
    const lastUsedAt = async () =>
      (await collections.apiKeys().findOne({ _id: new ObjectId(id as string) }))?.lastUsedAt?.getTime() ?? 0;
    await use(key);
    await expect.poll(lastUsedAt).toBeGreaterThan(Date.now() - 10_000);
    const first = await lastUsedAt();
    await use(key);
    await use(key);
    expect(await lastUsedAt()).toBe(first);
    const older = new Date(first - 61_000);
    await collections.apiKeys().updateOne({ _id: new ObjectId(id as string) }, { $set: { lastUsedAt: older } });
    await use(key);
    await expect.poll(lastUsedAt).toBeGreaterThanOrEqual(first);
  });

  it("is found by its hash: one with the same prefix takes the same lookups as any other (T18)", async () => {
    const { key } = (await make()).json.data;
    const near = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
    const far = `mr_${"z".repeat(43)}`;
    /** Records requests to the database: the commands' names, and the fields by which an API key is looked up. */
    const askedFor = async (candidate: string) => {
      const asked: unknown[] = [];
      const note = ({ commandName, command }: CommandStartedEvent) => {
        const isOfKeys = command[commandName] === collections.apiKeys.collectionName;
        asked.push([commandName, isOfKeys ? Object.keys(command.filter ?? command.pipeline?.[0]?.$match ?? {}) : null]);
      };
      mongoClient().on("commandStarted", note);
      expect((await use(candidate)).status).toBe(401);
      mongoClient().off("commandStarted", note);
      return asked;
    };
    const asked = await askedFor(far);
    expect(JSON.stringify(asked)).toContain('"hash"');
    expect(await askedFor(near)).toEqual(asked);
  });
});
