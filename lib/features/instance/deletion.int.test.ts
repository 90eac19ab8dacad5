import { existsSync } from "node:fs";
import { Collection, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { workspaceFolder } from "@/lib/features/connections/files/folders";
import { database } from "@/lib/platform/db/client";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { digestDatabase, dumpDatabase } from "@/test/security/dump";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { collections, declarations } from "./collections";
import { finishDeletions } from "./deletion";

process.env.SAMPLE_DATA = "off";

const WORKSPACE_COLLECTIONS = declarations.filter((each) => each.isOfWorkspace).map((each) => each.collectionName);

const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
let member: Person;
let guest: Person;
let second: Person;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  member = await seedPerson("Member");
  guest = await seedPerson("Guest");
  second = await seedPerson("Second");
});

type Filled = { id: string; base: string; key: string; inviteToken: string };

/**
 * Creates a workspace with data of every kind.
 * @param isUsed with a real connection, whose engine has run a query; else with documents alone, which is quicker
 */
async function fillWorkspace({ isUsed = false } = {}): Promise<Filled> {
  const { cookie } = owner;
  const made = await call("POST", "/api/workspaces", { cookie, body: { name: "Harbour" } });
  const id = made.json.data.id as string;
  const base = `/api/workspaces/${id}`;
  const workspaceId = new ObjectId(id);
  const seat = { workspaceId, userId: new ObjectId(member.id), role: "member", joinedAt: new Date() } as const;
  await collections.memberships().insertOne({ _id: new ObjectId(), ...seat });
  const invite = await call("POST", `${base}/invites`, { cookie, body: { email: guest.email, role: "member" } });
  const upload = await call("POST", `${base}/files?name=stock.duckdb`, { cookie, rawBody: "not read here" });
  expect([invite.status, upload.status]).toEqual([201, 201]);
  const key = await seedKey(id, owner);
  if (isUsed) {
    const connection = { name: "Stock", type: "duckdb", config: { file: "copy.duckdb" }, readOnly: false };
    const connected = await call("POST", `${base}/connectors`, { cookie, body: connection });
    const ran = await call("POST", `${base}/databases/${connected.json.data.id}/execute`, {
      cookie,
      body: { query: "select 1" },
    });
    expect(ran.status).toBe(200);
  }
  // Collections that no route of this test fills: a separate document in each, with its unique fields.
  const unique = { agentSessionId: id, repositoryNumber: id, personSlot: id, connectionSlot: id, hash: id };
  for (const name of WORKSPACE_COLLECTIONS) {
    const there = database().collection(name);
    if ((await there.countDocuments({ workspaceId })) === 0)
      await there.insertOne({ workspaceId, ...unique, seeded: id });
  }
  return { id, base, key, inviteToken: tokenOf(invite.json.data.link) };
}

function tokenOf(link: string): string {
  return link.split("/").at(-1) ?? "";
}

async function traces(id: string): Promise<{ inStore: boolean; inFolder: boolean }> {
  return { inStore: (await dumpDatabase()).includes(id), inFolder: existsSync(workspaceFolder(new ObjectId(id))) };
}
const remove = (base: string, by: Person) => call("DELETE", base, { cookie: by.cookie });
const GONE = { inStore: false, inFolder: false };

describe("deleting a workspace", () => {
  it("is allowed for its owner, and leaves nothing in any collection or folder", async () => {
    const { id, base } = await fillWorkspace({ isUsed: true });
    expect((await remove(base, member)).status).toBe(403);
    expect(await traces(id)).toEqual({ inStore: true, inFolder: true });
    const answer = await remove(base, owner);
    expect([answer.status, answer.json]).toEqual([200, { success: true, data: null, message: "Workspace deleted" }]);
    expect(await traces(id)).toEqual(GONE);
  });

  it("denies access to everyone at once", async () => {
    const { id, base, key, inviteToken } = await fillWorkspace();
    await remove(base, owner);
    expect((await call("GET", base, { cookie: owner.cookie })).status).toBe(403);
    expect((await call("GET", base, { cookie: member.cookie })).status).toBe(403);
    expect((await call("GET", base, { key })).status).toBe(401);
    expect((await call("GET", `/api/invites/${inviteToken}`)).status).toBe(404);
    const accepted = await call("POST", `/api/invites/${inviteToken}/accept`, { cookie: guest.cookie });
    expect(accepted.status).toBe(404);
    const mine = (await call("GET", "/api/workspaces", { cookie: owner.cookie })).json.data;
    expect(mine.map((each: { id: string }) => each.id)).not.toContain(id);
    expect((await remove(base, owner)).status).toBe(403);
  });

  it("affects no other workspace and no account", async () => {
    const kept = await fillWorkspace();
    const before = await digestDatabase();
    const { base } = await fillWorkspace();
    expect(await digestDatabase()).not.toEqual(before);
    await remove(base, owner);
    expect(await digestDatabase()).toEqual(before);
    expect(existsSync(workspaceFolder(new ObjectId(kept.id)))).toBe(true);
  });

  for (const { tags, cases } of splitCases(["workspaces" as const, ...WORKSPACE_COLLECTIONS], 4))
    it.each(cases)(
      "that breaks off at %s completes at the next start, without access meanwhile",
      { tags },
      async (name) => {
        const { id, base, inviteToken } = await fillWorkspace();
        const { deleteMany, deleteOne } = Collection.prototype;
        const breakAt = (real: typeof deleteMany) =>
          function (this: Collection, ...given: Parameters<typeof deleteMany>) {
            // A transaction counts as one step.
            const isStep = this.collectionName === name && !given[1]?.session;
            return isStep ? Promise.reject(new Error("the plug was pulled")) : real.apply(this, given);
          };
        const spies = [
          vi.spyOn(Collection.prototype, "deleteMany").mockImplementation(breakAt(deleteMany)),
          vi.spyOn(Collection.prototype, "deleteOne").mockImplementation(breakAt(deleteOne)),
        ];
        expect((await remove(base, owner)).status).toBe(500);
        for (const spy of spies) spy.mockRestore();
        expect((await call("GET", base, { cookie: owner.cookie })).status).toBe(403);
        const accepted = await call("POST", `/api/invites/${inviteToken}/accept`, { cookie: guest.cookie });
        expect(accepted.status).toBe(404);
        expect((await traces(id)).inStore).toBe(true);

        await finishDeletions();
        expect(await traces(id)).toEqual(GONE);
      },
    );

  it("can be completed by two servers at once", async () => {
    const { id } = await fillWorkspace();
    await collections.workspaces().updateOne({ _id: new ObjectId(id) }, { $set: { deletedAt: new Date() } });
    await Promise.all([finishDeletions(), finishDeletions()]);
    expect(await traces(id)).toEqual(GONE);
  });

  it("leaves no member behind who accepts an invitation at the same moment", async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = await call("POST", "/api/workspaces", { cookie: owner.cookie, body: { name: "Short" } });
      const base = `/api/workspaces/${made.json.data.id}`;
      const guests = [guest, second];
      const tokens: string[] = [];
      for (const { email } of guests) {
        const invite = await call("POST", `${base}/invites`, { cookie: owner.cookie, body: { email } });
        tokens.push(tokenOf(invite.json.data.link));
      }
      const answers = await Promise.all([
        ...guests.map(({ cookie }, i) => call("POST", `/api/invites/${tokens[i]}/accept`, { cookie })),
        remove(base, owner),
      ]);
      expect(answers.at(-1)?.status).toBe(200);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(await traces(made.json.data.id)).toEqual(GONE);
    }
  });
});
