import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { AppError } from "@/lib/platform/http/errors";
import { readKeptText } from "@/lib/platform/mail/account-mail";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { dumpDatabase } from "@/test/security/dump";
import { PASSWORD, type Person, seedPerson } from "@/test/seed";
import { isResetLinkOpen } from "./reset-service";
import { hashToken } from "./tokens";

const hashing = vi.hoisted(() => ({ fails: false, afterVerify: null as (() => Promise<void>) | null }));
vi.mock("./passwords", async (load) => {
  const real = await load<typeof import("./passwords")>();
  const hashPassword = (password: string) => (hashing.fails ? Promise.reject(busy()) : real.hashPassword(password));
  const verifyPassword = async (stored: string | null, password: string) => {
    const wait = hashing.afterVerify;
    const fits = await real.verifyPassword(stored, password);
    await wait?.();
    return fits;
  };
  return { ...real, hashPassword, verifyPassword };
});
function busy(): AppError {
  return new AppError("unavailable", "The server is busy.");
}

const own = takeOwnDatabase();
afterAll(() => own.drop());

const NEXT = "another short sentence";
let caller = 0;
const login = (email: string, password: string) => {
  caller += 1;
  const headers = { "x-millrace-remote-address": `198.51.100.${caller}` };
  return call("POST", "/api/auth/login", { body: { email, password }, headers });
};
const change = (person: Person, body: object) => call("POST", "/api/auth/password", { cookie: person.cookie, body });
const forgot = (email: string, address?: string) => {
  caller += 1;
  const headers = { "x-millrace-remote-address": address ?? `198.51.100.${caller}` };
  return call("POST", "/api/auth/password/forgot", { body: { email }, headers });
};
const reset = (token: string, password = NEXT) =>
  call("POST", "/api/auth/password/reset", { body: { token, password } });
const isSignedIn = async (cookie: string) => (await call("GET", "/api/auth/me", { cookie })).status === 200;
const mailsTo = (email: string) => collections.mails().find({ to: email }).sort({ _id: 1 }).toArray();

/** Returns the token of the nth mail to an address; the mail is written after the answer. */
async function linkToken(email: string, count = 1): Promise<string> {
  const mails = await vi.waitUntil(
    async () => {
      const found = await mailsTo(email);
      return found.length >= count && found;
    },
    { timeout: 5000 },
  );
  const mail = mails[count - 1];
  const token = /\/reset\/([A-Za-z0-9_-]{43})/.exec(mail ? readKeptText(mail) : "")?.[1];
  if (!token) throw new Error("The mail holds no link.");
  return token;
}

describe("changing the password", () => {
  it("accepts the new one, rejects the old one, and ends all other sessions (T11)", async () => {
    const person = await seedPerson();
    const elsewhere = cookieOf(await login(person.email, PASSWORD));
    const answer = await change(person, { current: PASSWORD, next: NEXT });
    expect([answer.status, answer.json]).toEqual([200, { success: true, data: null, message: "Password changed" }]);
    expect([await isSignedIn(person.cookie), await isSignedIn(elsewhere)]).toEqual([true, false]);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });

  it("requires the current one, and changes nothing without it", async () => {
    const person = await seedPerson();
    const elsewhere = cookieOf(await login(person.email, PASSWORD));
    const answer = await change(person, { current: "not the password", next: NEXT });
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_credentials"]);
    expect([await isSignedIn(person.cookie), await isSignedIn(elsewhere)]).toEqual([true, true]);
    expect((await login(person.email, PASSWORD)).status).toBe(200);
  });

  it("applies the limits to new ones, counting every byte (T7)", async () => {
    const person = await seedPerson();
    const short = await change(person, { current: PASSWORD, next: "1234567" });
    expect([short.status, short.json.details[0].path]).toEqual([400, "next"]);
    // Other algorithms truncate at 72 bytes: the 73rd must matter.
    const long = "x".repeat(72);
    expect((await change(person, { current: PASSWORD, next: `${long}a` })).status).toBe(200);
    expect((await login(person.email, `${long}b`)).status).toBe(401);
    expect((await login(person.email, long)).status).toBe(401);
    expect((await login(person.email, ` ${long}a`)).status).toBe(401);
    expect((await login(person.email, `${long}a`)).status).toBe(200);
  });

  it("rejects the eleventh guess of a session's holder (T4)", async () => {
    const person = await seedPerson();
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await change(person, { current: `guess ${i}`, next: NEXT })).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await change(person, { current: PASSWORD, next: NEXT })).status).toBe(429);
  });

  it("invalidates links that were mailed before", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    expect((await change(person, { current: PASSWORD, next: NEXT })).status).toBe(200);
    expect((await reset(token, "a third sentence")).status).toBe(400);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });
});

/** Pauses the next request right after its password was verified, until `resume` is called. */
function pauseAfterVerify(): { reached: Promise<void>; resume: () => void } {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hashing.afterVerify = () => {
    reached.resolve();
    return gate.promise;
  };
  return {
    reached: reached.promise.then(() => {
      hashing.afterVerify = null;
    }),
    resume: gate.resolve,
  };
}

describe("a password that changes while the old one is used", () => {
  const sessionsOf = (person: Person) => collections.sessions().countDocuments({ userId: new ObjectId(person.id) });

  it("opens no session for a login that was running when it was changed (T11)", async () => {
    const person = await seedPerson();
    const { reached, resume } = pauseAfterVerify();
    const late = login(person.email, PASSWORD);
    await reached;
    expect((await change(person, { current: PASSWORD, next: NEXT })).status).toBe(200);
    resume();
    const answer = await late;
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_credentials"]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect([await sessionsOf(person), await isSignedIn(person.cookie)]).toEqual([1, true]);
  });

  it("opens no session for a login that was running when it was reset (T11)", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    const { reached, resume } = pauseAfterVerify();
    const late = login(person.email, PASSWORD);
    await reached;
    expect((await reset(token)).status).toBe(200);
    resume();
    expect((await late).status).toBe(401);
    expect(await sessionsOf(person)).toBe(0);
  });

  it("ends every session of logins with the old one, in any order (T11)", async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await seedPerson();
      const logins = [0, 1, 2].map(() => login(person.email, PASSWORD));
      const changed = await change(person, { current: PASSWORD, next: NEXT });
      expect(changed.status).toBe(200);
      const cookies = (await Promise.all(logins)).filter(({ status }) => status === 200).map(cookieOf);
      for (const cookie of cookies) expect(await isSignedIn(cookie)).toBe(false);
      expect(await sessionsOf(person)).toBe(1);
    }
  });

  it("is changed by one of two people who know it (T111)", async () => {
    const person = await seedPerson();
    const { reached, resume } = pauseAfterVerify();
    const late = change(person, { current: PASSWORD, next: "a third sentence" });
    await reached;
    expect((await change(person, { current: PASSWORD, next: NEXT })).status).toBe(200);
    resume();
    const answer = await late;
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_credentials"]);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });
});

describe("a forgotten password", () => {
  it("is reset by a mailed link, which ends all sessions and works once", async () => {
    const person = await seedPerson();
    expect((await forgot(` ${person.email.toUpperCase()} `)).status).toBe(200);
    const token = await linkToken(person.email);
    expect((await reset(token)).status).toBe(200);
    expect(await isSignedIn(person.cookie)).toBe(false);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await login(person.email, NEXT)).status).toBe(200);
    const again = await reset(token, "a third sentence");
    expect([again.status, again.json.code]).toEqual([400, "invalid_request"]);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });

  it("is answered alike for an unknown address, which gets no mail (T1)", async () => {
    const person = await seedPerson();
    const unknown = `nobody-${person.email}`;
    const [known, none] = [await forgot(person.email), await forgot(unknown)];
    expect([none.status, none.text]).toEqual([known.status, known.text]);
    await linkToken(person.email);
    expect(await mailsTo(unknown)).toEqual([]);
    expect(await collections.users().countDocuments({ email: unknown })).toBe(0);
  });

  it("sends a link with PUBLIC_URL, whatever host the request names, visible to the operator only (T109)", async () => {
    const person = await seedPerson();
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    await call("POST", "/api/auth/password/forgot", { body: { email: person.email }, headers });
    const token = await linkToken(person.email);
    const [mail] = await mailsTo(person.email);
    expect(mail).toMatchObject({ workspaceId: null, status: "kept", error: null, subject: "Reset your password" });
    const text = mail ? readKeptText(mail) : "";
    expect(text).toContain(`http://localhost:3000/reset/${token}`);
    expect([mail?.html, text.includes("evil.example")]).toEqual(["", false]);
    const outbox = await call("GET", `/api/workspaces/${person.workspaceId}/outbox`, { cookie: person.cookie });
    expect(outbox.json.data.items).toEqual([]);
  });

  it("stores the link only encrypted, for the operator (T10, T44)", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    const dump = await dumpDatabase();
    expect([dump.includes(token), dump.includes(Buffer.from(token).toString("base64").slice(0, -4))]).toEqual([
      false,
      false,
    ]);
    expect(dump).toContain(hashToken(token));
  });

  it("stores only the hash of the token, which expires after 30 minutes", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    const stored = await collections.passwordResets().findOne({ tokenHash: hashToken(token) });
    expect(JSON.stringify(stored)).not.toContain(token);
    const minutes = ((stored?.expiresAt.getTime() ?? 0) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(29);
    expect(minutes).toBeLessThanOrEqual(30);
    expect([await isResetLinkOpen(token), await isResetLinkOpen("not-a-link")]).toEqual([true, false]);
    // The document may outlive its expiry, since the TTL index removes it late.
    await collections.passwordResets().updateOne({ _id: stored?._id }, { $set: { expiresAt: new Date() } });
    expect([await isResetLinkOpen(token), (await reset(token)).status]).toEqual([false, 400]);
    expect((await login(person.email, PASSWORD)).status).toBe(200);
  });

  it("is set by one of two concurrent clicks (T111)", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    const answers = await Promise.all([reset(token, "first sentence"), reset(token, "second sentence")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("invalidates the account's other links once it is set", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const first = await linkToken(person.email);
    await forgot(person.email);
    const second = await linkToken(person.email, 2);
    expect([await isResetLinkOpen(first), await isResetLinkOpen(second)]).toEqual([true, true]);
    expect((await reset(second)).status).toBe(200);
    expect([await isResetLinkOpen(first), await isResetLinkOpen(second)]).toEqual([false, false]);
    expect((await reset(first, "a third sentence")).status).toBe(400);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });

  it("keeps its link if the server is too busy", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    hashing.fails = true;
    const busy = await reset(token);
    hashing.fails = false;
    expect([busy.status, busy.json.code]).toEqual([503, "unavailable"]);
    expect((await reset(token)).status).toBe(200);
  });

  it("rejects a new password that is too short, and keeps the link", async () => {
    const person = await seedPerson();
    await forgot(person.email);
    const token = await linkToken(person.email);
    const short = await reset(token, "1234567");
    expect([short.status, short.json.details[0].path]).toEqual([400, "password"]);
    expect((await reset(token)).status).toBe(200);
  });

  it("does not distinguish unknown, used and malformed links", async () => {
    const unknown = await reset("A".repeat(43));
    for (const token of ["", "x", "A".repeat(200), "../../etc/passwd", "\u0000"]) {
      const answer = await reset(token);
      expect([answer.status, answer.text]).toEqual([400, unknown.text]);
    }
    const asked = await collections.passwordResets().countDocuments();
    const shaped = await call("POST", "/api/auth/password/reset", { body: { token: { $ne: null }, password: NEXT } });
    expect([shaped.status, shaped.json.details[0].path]).toEqual([400, "token"]);
    expect(await collections.passwordResets().countDocuments()).toBe(asked);
  });

  it("can be requested ten times an hour from one address", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await forgot("nobody@example.com", "192.0.2.200")).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });

  it("mails at most five links an hour for requests from many addresses, all answered alike", async () => {
    const person = await seedPerson();
    const texts = new Set<string>();
    for (let i = 0; i < 8; i += 1) texts.add((await forgot(person.email, `203.0.113.${i}`)).text);
    expect(texts.size).toBe(1);
    await linkToken(person.email, 5);
    const other = await seedPerson();
    await forgot(other.email);
    await linkToken(other.email);
    expect(await mailsTo(person.email)).toHaveLength(5);
  });

  it("can be set for an account without one", async () => {
    const person = await seedPerson();
    await collections.credentials().deleteOne({ _id: new ObjectId(person.id) });
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    await forgot(person.email);
    expect((await reset(await linkToken(person.email))).status).toBe(200);
    expect((await login(person.email, NEXT)).status).toBe(200);
  });
});
