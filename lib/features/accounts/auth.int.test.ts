import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { type Answer, call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD, seedPerson } from "@/test/seed";
import { hashToken } from "./tokens";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const newEmail = () => `${randomUUID()}@example.com`;
const register = (body: object, headers = {}) => call("POST", "/api/auth/register", { body, headers });
const login = (body: object, address = "192.0.2.1") =>
  call("POST", "/api/auth/login", { body, headers: { "x-millrace-remote-address": address } });
const me = (cookie: string) => call("GET", "/api/auth/me", { cookie });
const tokenOf = (answer: Answer) => cookieOf(answer).slice("auth_session=".length);

describe("register", () => {
  it("creates an account, an owned workspace and the sample shop, and signs in", async () => {
    const email = newEmail();
    const answer = await register({ email, password: PASSWORD, name: "Ines Okafor" });
    expect(answer.status).toBe(201);
    expect(answer.json.data.user).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email,
      name: "Ines Okafor",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const { workspace } = answer.json.data;
    expect(workspace).toMatchObject({
      name: "Ines's workspace",
      slug: expect.stringMatching(/^iness-workspace/),
      role: "owner",
    });

    const cookie = cookieOf(answer);
    expect((await me(cookie)).json.data).toEqual({
      user: answer.json.data.user,
      workspaces: [{ id: workspace.id, name: workspace.name, slug: workspace.slug, role: "owner" }],
    });
    const connections = (await call("GET", `/api/workspaces/${workspace.id}/connectors`, { cookie })).json.data;
    expect(connections).toMatchObject([{ name: "Sample shop", type: "duckdb", category: "database", readOnly: true }]);
  });

  it("sets the cookie as docs/develop/api.md says, and stores only its hash (T9, T10)", async () => {
    const answer = await register({ email: newEmail(), password: PASSWORD });
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^auth_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const token = tokenOf(answer);
    expect(await collections.sessions().countDocuments({ sessionToken: token })).toBe(0);
    expect(await collections.sessions().countDocuments({ sessionToken: hashToken(token) })).toBe(1);
    expect((await me(`auth_session=${hashToken(token)}`)).status).toBe(401);
  });

  it("returns 409 email_taken for a known address in any spelling", async () => {
    const email = newEmail();
    await register({ email, password: PASSWORD });
    const again = await register({ email: ` ${email.toUpperCase()} `, password: PASSWORD });
    expect([again.status, again.json.code]).toEqual([409, "email_taken"]);
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  it("creates one account for two concurrent registrations of one address", async () => {
    const email = newEmail();
    const before = await collections.workspaces().countDocuments();
    const answers = await Promise.all(Array.from({ length: 5 }, () => register({ email, password: PASSWORD })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await collections.users().countDocuments({ email })).toBe(1);
    expect(await collections.workspaces().countDocuments()).toBe(before + 1);
  });

  it.each([
    ["seven characters", "1234567", 400],
    ["eight characters", "12345678", 201],
    ["64 characters", "x".repeat(64), 201],
    ["emoji, each of which is one character", "🦫".repeat(8), 201],
    ["seven emoji, which are more bytes but fewer characters", "🦫".repeat(7), 400],
    ["128 characters", "x".repeat(128), 201],
    ["129 characters", "x".repeat(129), 400],
  ])("applies the limits to a password of %s (T7)", async (_, password, status) => {
    expect((await register({ email: newEmail(), password })).status).toBe(status);
  });

  it.each([
    [{ password: PASSWORD }, "email"],
    [{ email: "ines@harrowandpine", password: PASSWORD }, "email"],
    [{ email: newEmail() }, "password"],
    [{ email: newEmail(), password: PASSWORD, name: 7 }, "name"],
    [{ email: { $ne: null }, password: PASSWORD }, "email"],
  ])("names the invalid field: %j", async (body, path) => {
    const answer = await register(body);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(answer.json.details).toContainEqual(expect.objectContaining({ path, message: expect.any(String) }));
  });

  it("stores no extra fields of the body (T29)", async () => {
    const email = newEmail();
    await register({ email, password: PASSWORD, role: "owner", _id: "x", emailVerified: true, passwordHash: "x" });
    const stored = await collections.users().findOne({ email });
    expect(Object.keys(stored ?? {}).sort()).toEqual(["_id", "createdAt", "email", "emailVerified", "name"]);
    expect(stored?.emailVerified).toBeNull();
  });

  it("rejects the 31st registration of an address within an hour (T3)", async () => {
    const headers = { "x-millrace-remote-address": "198.51.100.7" };
    const statuses: number[] = [];
    // A taken address counts the same, and spares the test thirty password hashes.
    const { email } = await seedPerson();
    for (let i = 0; i < 31; i += 1) statuses.push((await register({ email, password: PASSWORD }, headers)).status);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(409));
    const last = await register({ email: newEmail(), password: PASSWORD }, headers);
    expect([last.status, last.json.code]).toEqual([429, "rate_limited"]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("login", () => {
  it("starts a new session, whatever cookie was sent (T8)", async () => {
    const person = await seedPerson();
    const answer = await call("POST", "/api/auth/login", {
      body: { email: person.email, password: PASSWORD },
      cookie: "auth_session=chosen-by-somebody-else",
    });
    expect(answer.status).toBe(200);
    expect(answer.json.data.user.email).toBe(person.email);
    expect(tokenOf(answer)).not.toBe("chosen-by-somebody-else");
    expect((await me(cookieOf(answer))).status).toBe(200);
    expect((await me("auth_session=chosen-by-somebody-else")).status).toBe(401);
  });

  it("returns the same bytes for an unknown address and a wrong password (T1)", async () => {
    const person = await seedPerson();
    const wrong = await login({ email: person.email, password: "not the password" });
    const unknown = await login({ email: newEmail(), password: "not the password" });
    expect([wrong.status, wrong.json.code]).toEqual([401, "invalid_credentials"]);
    expect(unknown.text).toBe(wrong.text);
    const names = (answer: Answer) => [...answer.headers.keys()].sort();
    expect(names(unknown)).toEqual(names(wrong));
  });

  it("accepts composed and decomposed spellings of a password (T7)", async () => {
    const email = newEmail();
    await register({ email, password: "caf\u00e9 au lait" });
    expect((await login({ email, password: "cafe\u0301 au lait" })).status).toBe(200);
    expect((await login({ email, password: "cafe au lait" })).status).toBe(401);
  });

  it("rejects the eleventh attempt on an account from one address, and no one else (T4)", async () => {
    const person = await seedPerson();
    const other = await seedPerson();
    const tries = await Promise.all(
      Array.from({ length: 11 }, () => login({ email: person.email, password: "wrong password" }, "192.0.2.9")),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429]);
    const right = await login({ email: person.email, password: PASSWORD }, "192.0.2.9");
    expect([right.status, right.json.code]).toEqual([429, "rate_limited"]);
    expect((await login({ email: person.email, password: PASSWORD }, "192.0.2.10")).status).toBe(200);
    expect((await login({ email: other.email, password: PASSWORD }, "192.0.2.9")).status).toBe(200);
  });

  it("does not count successful sign-ins", async () => {
    const person = await seedPerson();
    for (let i = 0; i < 12; i += 1) {
      expect((await login({ email: person.email, password: PASSWORD }, "192.0.2.77")).status).toBe(200);
    }
  });

  it("rehashes an old hash with current parameters (T5)", async () => {
    const person = await seedPerson();
    const { hash } = await import("@node-rs/argon2");
    const old = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    const _id = new ObjectId(person.id);
    await collections.credentials().updateOne({ _id }, { $set: { passwordHash: old } });
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
    const upgraded = await collections.credentials().findOne({ _id });
    expect(upgraded?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await login({ email: person.email, password: PASSWORD })).status).toBe(200);
  });
});

describe("sessions", () => {
  it("end on the server at logout (T11)", async () => {
    const person = await seedPerson();
    const answer = await call("POST", "/api/auth/logout", { cookie: person.cookie });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^auth_session=; Path=\/; Max-Age=0;/);
    expect((await me(person.cookie)).status).toBe(401);
    expect((await call("POST", "/api/auth/logout", { cookie: person.cookie })).status).toBe(200);
  });

  it("expire, even while the record exists (T12)", async () => {
    const person = await seedPerson();
    await collections
      .sessions()
      .updateMany({ userId: new ObjectId(person.id) }, { $set: { expires: new Date(Date.now() - 1) } });
    expect((await me(person.cookie)).status).toBe(401);
  });

  it("are renewed with a new cookie when less than half of their time is left", async () => {
    const person = await seedPerson();
    const userId = new ObjectId(person.id);
    expect((await me(person.cookie)).headers.getSetCookie()).toEqual([]);
    const soon = new Date(Date.now() + 5 * 24 * 60 * 60 * 1000);
    await collections.sessions().updateMany({ userId }, { $set: { expires: soon } });
    const answer = await me(person.cookie);
    expect(cookieOf(answer)).toBe(person.cookie);
    const [session] = await collections.sessions().find({ userId }).toArray();
    expect((session?.expires.getTime() ?? 0) - Date.now()).toBeGreaterThan(29 * 24 * 60 * 60 * 1000);
  });
});

describe("API keys", () => {
  it("take precedence: an invalid one is 401 with a valid cookie (T21)", async () => {
    const person = await seedPerson();
    for (const authorization of ["Bearer junk", "Bearer ", "Basic abc", `Bearer mr_${"x".repeat(43)}`]) {
      const answer = await call("GET", "/api/workspaces", { cookie: person.cookie, headers: { authorization } });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  });
});
