import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD, type Person, seedPerson } from "@/test/seed";
import { identify } from "./identity";
import { hashToken } from "./tokens";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const DAY_MS = 24 * 60 * 60 * 1000;
const list = async (cookie: string) => (await call("GET", "/api/auth/sessions", { cookie })).json.data;
const end = (id: string, cookie: string) => call("DELETE", `/api/auth/sessions/${id}`, { cookie });
const status = async (cookie: string) => (await call("GET", "/api/auth/me", { cookie })).status;
async function signIn(person: Person, headers: Record<string, string> = {}, cookie?: string): Promise<string> {
  const body = { email: person.email, password: PASSWORD };
  return cookieOf(await call("POST", "/api/auth/login", { body, headers, cookie }));
}

describe("one's own sessions", () => {
  it("show where they were opened, newest first, and the current one; never a token", async () => {
    const person = await seedPerson();
    const cookie = await signIn(person, {
      "user-agent": `Lynx/2.9 ${"x".repeat(400)}`,
      "x-millrace-remote-address": "192.0.2.7",
    });
    const sessions = await list(cookie);
    expect(sessions.map((each: { isCurrent: boolean }) => each.isCurrent)).toEqual([true, false]);
    expect(sessions[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      userAgent: `Lynx/2.9 ${"x".repeat(400)}`.slice(0, 300),
      address: "192.0.2.7",
      isCurrent: true,
    });
    const token = cookie.slice("auth_session=".length);
    const text = JSON.stringify(sessions);
    expect([text.includes(token), text.includes(hashToken(token))]).toEqual([false, false]);
  });

  it("end one by one, at once", async () => {
    const person = await seedPerson();
    const other = await signIn(person);
    const [, first] = await list(other);
    expect((await end(first.id, other)).status).toBe(200);
    expect([await status(person.cookie), await status(other)]).toEqual([401, 200]);
    const [current] = await list(other);
    expect((await end(current.id, other)).status).toBe(200);
    expect(await status(other)).toBe(401);
  });

  it("are private: another person's ID reads like an unknown one (T25)", async () => {
    const [person, stranger] = [await seedPerson(), await seedPerson()];
    const [theirs] = await list(person.cookie);
    const foreign = await end(theirs.id, stranger.cookie);
    const missing = await end("f".repeat(24), stranger.cookie);
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect(await status(person.cookie)).toBe(200);
    expect((await list(stranger.cookie)).map((each: { id: string }) => each.id)).not.toContain(theirs.id);
  });

  it("are listed until they expire", async () => {
    const person = await seedPerson();
    const cookie = await signIn(person);
    const [, older] = await list(cookie);
    await collections.sessions().updateOne({ _id: new ObjectId(older.id) }, { $set: { expires: new Date() } });
    expect(await list(cookie)).toHaveLength(1);
  });
});

describe("signing in again (T8)", () => {
  it("ends only the browser's previous session", async () => {
    const person = await seedPerson();
    const other = await signIn(person);
    const next = await signIn(person, {}, person.cookie);
    expect(next).not.toBe(person.cookie);
    expect([await status(person.cookie), await status(other), await status(next)]).toEqual([401, 200, 200]);
  });

  it("ends nothing with a wrong password", async () => {
    const person = await seedPerson();
    const body = { email: person.email, password: "not the password" };
    expect((await call("POST", "/api/auth/login", { body, cookie: person.cookie })).status).toBe(401);
    expect(await status(person.cookie)).toBe(200);
  });
});

describe("the lifetime of a session (T12)", () => {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  const at401 = async (cookie: string, days: number) =>
    (await identify(new Headers({ cookie }), { workspaceId: null }, at(days))) === null;

  it("ends after 31 idle days, even if the record exists", async () => {
    const person = await seedPerson();
    expect(await at401(person.cookie, 31)).toBe(true);
    expect(await collections.sessions().countDocuments({ userId: new ObjectId(person.id) })).toBe(1);
  });

  it("is extended by use, up to 180 days", async () => {
    const person = await seedPerson();
    const ends: boolean[] = [];
    for (let days = 16; days < 180; days += 16) ends.push(await at401(person.cookie, days));
    expect(ends).not.toContain(true);
    expect(await at401(person.cookie, 179.9)).toBe(false);
    expect(await at401(person.cookie, 180.1)).toBe(true);
  });

  it("ends with its user", async () => {
    const person = await seedPerson();
    await collections.users().deleteOne({ _id: new ObjectId(person.id) });
    expect(await status(person.cookie)).toBe(401);
  });
});
