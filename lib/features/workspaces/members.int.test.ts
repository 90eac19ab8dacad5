import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
let admin: Person;
let member: Person;
let base: string;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  [admin, member] = await Promise.all([
    seedMember(owner.workspaceId, "admin"),
    seedMember(owner.workspaceId, "member"),
  ]);
  base = `/api/workspaces/${owner.workspaceId}`;
});

const setRole = (who: Person, role: unknown, by: Person) =>
  call("PUT", `${base}/members/${who.id}`, { cookie: by.cookie, body: { role } });
const roleOf = async (who: Person) =>
  (
    await collections
      .memberships()
      .findOne({ workspaceId: new ObjectId(owner.workspaceId), userId: new ObjectId(who.id) })
  )?.role;

describe("changing a member's role (T27)", () => {
  it("lets an admin promote and demote a member", async () => {
    const answer = await setRole(member, "admin", admin);
    expect(answer.status).toBe(200);
    expect(answer.json.data).toMatchObject({ userId: member.id, role: "admin" });
    expect((await setRole(member, "member", admin)).status).toBe(200);
  });

  it("lets only owners grant or revoke the owner role", async () => {
    expect((await setRole(admin, "owner", admin)).status).toBe(403);
    expect((await setRole(owner, "member", admin)).status).toBe(403);
    expect((await setRole(member, "owner", owner)).status).toBe(200);
    expect((await setRole(member, "member", owner)).status).toBe(200);
  });

  it("lets no one promote themselves", async () => {
    expect((await setRole(member, "admin", member)).status).toBe(403);
    expect(await roleOf(member)).toBe("member");
  });

  it.each([["Owner"], ["root"], [{ $ne: 1 }], [""], [null], [7]])("rejects the unknown role %j", async (role) => {
    const answer = await setRole(member, role, owner);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it("returns 404 for a non-member", async () => {
    const stranger = await seedPerson("Stranger");
    expect((await setRole(stranger, "admin", owner)).status).toBe(404);
  });

  it("keeps the last owner", async () => {
    const answer = await setRole(owner, "admin", owner);
    expect([answer.status, answer.json.code]).toEqual([409, "last_owner"]);
    const left = await call("DELETE", `${base}/members/${owner.id}`, { cookie: owner.cookie });
    expect([left.status, left.json.code]).toEqual([409, "last_owner"]);
  });

  it("keeps an owner when two owners demote each other at once, 50 times (T28)", async () => {
    const workspaceId = new ObjectId(owner.workspaceId);
    const second = await seedMember(owner.workspaceId, "owner");
    for (let round = 0; round < 50; round += 1) {
      await collections
        .memberships()
        .updateMany(
          { workspaceId, userId: { $in: [new ObjectId(owner.id), new ObjectId(second.id)] } },
          { $set: { role: "owner" } },
        );
      const answers = await Promise.all([setRole(second, "member", owner), setRole(owner, "member", second)]);
      const owners = await collections.memberships().countDocuments({ workspaceId, role: "owner" });
      expect([owners, answers.map(({ status }) => status).filter((status) => status === 200).length]).toEqual([1, 1]);
    }
    await collections
      .memberships()
      .updateOne({ workspaceId, userId: new ObjectId(owner.id) }, { $set: { role: "owner" } });
    await collections.memberships().deleteOne({ workspaceId, userId: new ObjectId(second.id) });
  }, 120_000);
});

describe("the members of a large workspace", () => {
  const CROWD = 203;
  const pageOf = async (query: string) => {
    const { status, json, headers } = await call("GET", `${base}${query}`, { cookie: member.cookie });
    expect(status).toBe(200);
    const ids = json.data.members.map(({ userId }: { userId: string }) => userId) as string[];
    return { ids, next: headers.get("x-next-cursor") };
  };

  it("are returned in pages of at most 200, each once, in order of joining", async () => {
    const workspaceId = new ObjectId(owner.workspaceId);
    const joinedAt = new Date();
    const users = Array.from({ length: CROWD }, (_, i) => ({
      _id: new ObjectId(),
      email: `crowd-${i}-${workspaceId}@example.com`,
      name: `Person ${i}`,
      emailVerified: null,
      createdAt: joinedAt,
    }));
    await collections.users().insertMany(users);
    const memberships = users.map(({ _id: userId }) => ({
      _id: new ObjectId(),
      workspaceId,
      userId,
      role: "member" as const,
      joinedAt,
    }));
    await collections.memberships().insertMany(memberships);
    const present = await collections.memberships().find({ workspaceId }).sort({ _id: 1 }).toArray();

    const first = await pageOf("");
    expect(first.ids.length).toBe(200);
    const rest = await pageOf(`?cursor=${first.next}`);
    expect(rest.next).toBeNull();
    expect([...first.ids, ...rest.ids]).toEqual(present.map(({ userId }) => userId.toHexString()));
    expect((await pageOf("?limit=100000")).ids.length).toBe(200);
    expect((await pageOf("?limit=2")).ids).toEqual(first.ids.slice(0, 2));
    const stranger = await seedPerson();
    const named = [...rest.ids.slice(-2), first.ids[0] ?? ""];
    expect((await pageOf(`?ids=${[...named, stranger.id].join()}`)).ids).toEqual([named[2], named[0], named[1]]);
    await collections.memberships().deleteMany({ _id: { $in: memberships.map(({ _id }) => _id) } });
  });
});

describe("removing a member", () => {
  it("ends their access and keys at once, and no one else's (T20)", async () => {
    const leaving = await seedMember(owner.workspaceId, "admin");
    const key = await seedKey(owner.workspaceId, leaving);
    const staying = await seedKey(owner.workspaceId, admin);
    expect((await call("GET", base, { key })).status).toBe(200);
    expect((await call("DELETE", `${base}/members/${leaving.id}`, { cookie: owner.cookie })).status).toBe(200);
    expect((await call("GET", base, { key })).status).toBe(401);
    expect((await call("GET", base, { cookie: leaving.cookie })).status).toBe(403);
    expect((await call("GET", base, { key: staying })).status).toBe(200);
  });

  it("lets a member leave, but not remove others", async () => {
    const leaving = await seedMember(owner.workspaceId, "member");
    expect((await call("DELETE", `${base}/members/${admin.id}`, { cookie: leaving.cookie })).status).toBe(403);
    expect((await call("DELETE", `${base}/members/${leaving.id}`, { cookie: leaving.cookie })).status).toBe(200);
    expect((await call("GET", base, { cookie: leaving.cookie })).status).toBe(403);
  });

  it("lets an admin remove no owner", async () => {
    expect((await call("DELETE", `${base}/members/${owner.id}`, { cookie: admin.cookie })).status).toBe(403);
  });

  it("limits a demoted creator's key to a member's permissions", async () => {
    const demoted = await seedMember(owner.workspaceId, "admin");
    const key = await seedKey(owner.workspaceId, demoted);
    expect((await call("PATCH", base, { key, body: { name: "By key" } })).status).toBe(200);
    await setRole(demoted, "member", owner);
    expect((await call("PATCH", base, { key, body: { name: "By key" } })).status).toBe(403);
    expect((await call("GET", base, { key })).status).toBe(200);
  });
});
