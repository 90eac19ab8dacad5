import { ObjectId } from "mongodb";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { mayStill } from "@/lib/features/accounts/identity";
import { collections } from "@/lib/features/instance/collections";
import { member as memberAccess } from "@/lib/platform/access/rules";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { SEEN_EVERY_SECONDS } from "./limits";
import { noteSeen } from "./memberships";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
let person: Person;
beforeEach(async () => {
  owner = await seedPerson("Owner");
  person = await seedMember(owner.workspaceId, "member");
});

const seatOf = ({ id }: Person, workspaceId = owner.workspaceId) => ({
  workspaceId: new ObjectId(workspaceId),
  userId: new ObjectId(id),
});
const seatDoc = async (who: Person, workspaceId?: string) => {
  const found = await collections.memberships().findOne(seatOf(who, workspaceId));
  if (!found) throw new Error("There is no such membership.");
  return found;
};
const seenAt = async (who: Person, workspaceId?: string) => (await seatDoc(who, workspaceId)).lastSeenAt;
const isNoted = (who: Person) => vi.waitFor(async () => expect(await seenAt(who)).toBeDefined(), 30_000);
const setSeen = (who: Person, lastSeenAt: Date) =>
  collections.memberships().updateOne(seatOf(who), { $set: { lastSeenAt } });
const enter = (who: Person) => call("GET", `/api/workspaces/${owner.workspaceId}/consoles`, { cookie: who.cookie });
const listed = async (by: Person, workspaceId = owner.workspaceId) =>
  (await call("GET", `/api/workspaces/${workspaceId}`, { cookie: by.cookie })).json.data.members as {
    userId: string;
    lastSeenAt: string | null;
  }[];

const NOTED_MS = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(NOTED_MS + seconds * 1000);

describe("when a member was last seen", () => {
  it("is recorded by activity in the workspace, and shown in its member list", async () => {
    const elsewhere = await seedMember(owner.workspaceId, "member");
    const before = Date.now();
    expect((await listed(owner)).find(({ userId }) => userId === person.id)?.lastSeenAt).toBeNull();
    expect((await enter(person)).status).toBe(200);
    await isNoted(person);
    const shown = (await listed(owner)).find(({ userId }) => userId === person.id)?.lastSeenAt ?? "";
    expect(new Date(shown).toISOString()).toBe(shown);
    expect(new Date(shown).getTime()).toBeGreaterThanOrEqual(before);
    expect(new Date(shown).getTime()).toBeLessThanOrEqual(Date.now());
    // Their first workspace has not recorded them, and neither has this one recorded its other members.
    const [first] = (await call("GET", "/api/workspaces", { cookie: person.cookie })).json.data;
    expect(first.id).not.toBe(owner.workspaceId);
    expect([await seenAt(person, first.id), await seenAt(elsewhere)]).toEqual([undefined, undefined]);
  });

  it("is recorded for requests that name the workspace in the body", async () => {
    const body = { workspaceId: owner.workspaceId, connectionId: new ObjectId().toHexString(), query: "select 1" };
    expect((await call("POST", "/api/execute", { cookie: person.cookie, body })).status).toBe(404);
    await isNoted(person);
  });

  it("is written once per interval", async () => {
    await noteSeen(await seatDoc(person), at(0));
    expect(await seenAt(person)).toEqual(at(0));
    await noteSeen(await seatDoc(person), at(SEEN_EVERY_SECONDS - 1));
    expect(await seenAt(person)).toEqual(at(0));
    await noteSeen(await seatDoc(person), at(SEEN_EVERY_SECONDS));
    expect(await seenAt(person)).toEqual(at(SEEN_EVERY_SECONDS));
  });

  it("is written by one of several concurrent requests", async () => {
    const unseen = await seatDoc(person);
    await noteSeen(unseen, at(0));
    await noteSeen(unseen, at(1));
    expect(await seenAt(person)).toEqual(at(0));
    const before = await seatDoc(person);
    await noteSeen(before, at(SEEN_EVERY_SECONDS));
    await noteSeen(before, at(SEEN_EVERY_SECONDS + 1));
    expect(await seenAt(person)).toEqual(at(SEEN_EVERY_SECONDS));
  });

  it("restores no member who has left meanwhile", async () => {
    const left = await seatDoc(person);
    await collections.memberships().deleteOne(seatOf(person));
    await noteSeen(left, at(0));
    expect(await collections.memberships().countDocuments(seatOf(person))).toBe(0);
  });

  it("ignores API keys, event streams and strangers", async () => {
    const key = await seedKey(owner.workspaceId, person);
    const long = new Date(Date.now() - 3_600_000);
    await setSeen(person, long);
    expect((await call("GET", `/api/workspaces/${owner.workspaceId}/consoles`, { key })).status).toBe(200);
    expect(
      (await call("POST", "/api/execute", { key, body: { connectionId: "0".repeat(24), query: "select 1" } })).status,
    ).toBe(404);
    const headers = new Headers({ cookie: person.cookie });
    expect(await mayStill(headers, memberAccess, new ObjectId(owner.workspaceId))).toBe(true);
    const stranger = await seedPerson("Stranger");
    expect((await enter(stranger)).status).toBe(403);
    // A write for the stranger would have started before this one.
    await enter(owner);
    await isNoted(owner);
    expect(await seenAt(person)).toEqual(long);
  });

  it("ignores activity in another workspace", async () => {
    const [own] = (await call("GET", "/api/workspaces", { cookie: person.cookie })).json.data;
    expect((await call("GET", `/api/workspaces/${own.id}/consoles`, { cookie: person.cookie })).status).toBe(200);
    await vi.waitFor(async () => expect(await seenAt(person, own.id)).toBeDefined(), 30_000);
    expect((await listed(owner)).find(({ userId }) => userId === person.id)?.lastSeenAt).toBeNull();
  });
});
