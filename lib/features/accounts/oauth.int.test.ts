import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { database } from "@/lib/platform/db/client";
import { env } from "@/lib/platform/env";
import { type Answer, call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import {
  begin,
  comeBack,
  Jar,
  newUser,
  PUBLIC_URL,
  settingsOf,
  signInWith,
} from "@/test/fixtures/accounts/provider-sign-in";
import { dumpDatabase } from "@/test/security/dump";
import { type FakeGitHub, type GitHubUser, startFakeGitHub } from "@/test/security/fake-github";
import { captureLog } from "@/test/security/log-lines";
import { PASSWORD, seedPerson } from "@/test/seed";
import { hashToken } from "./tokens";

const own = takeOwnDatabase();
let github: FakeGitHub;

beforeAll(async () => {
  github = await startFakeGitHub();
  Object.assign(process.env, {
    ...settingsOf(github),
    GOOGLE_CLIENT_ID: "millrace.apps.googleusercontent.com",
    GOOGLE_CLIENT_SECRET: "not-asked-for-here",
  });
});
afterAll(async () => {
  await own.drop();
  await github.close();
});

const signIn = (user: GitHubUser, jar?: Jar) => signInWith(github, user, jar);

it("C46 applies SIGN_UP to new provider accounts, not to existing ones", async () => {
  const known = newUser();
  await signIn(known);
  Object.assign(env(), { SIGN_UP: { mode: "invite", domains: [] } });
  try {
    const stranger = newUser();
    const refused = await signIn(stranger);
    expect(refused.headers.get("location")).toBe(`${PUBLIC_URL}/login?error=SignUpClosed`);
    expect(sessionCookiesOf(refused)).toEqual([]);
    expect(await collections.users().countDocuments({ email: `octo-${stranger.id}@example.com` })).toBe(0);

    expect((await signIn(known)).headers.get("location")).toBe(`${PUBLIC_URL}/w/harbour`);

    const owner = await collections.memberships().findOne({ role: "owner" });
    if (!owner) throw new Error("There is no owner.");
    const now = Date.now();
    await collections.invites().insertOne({
      _id: new ObjectId(),
      workspaceId: owner.workspaceId,
      email: `octo-${stranger.id}@example.com`,
      role: "member",
      invitedBy: owner.userId,
      tokenHash: randomUUID(),
      createdAt: new Date(now),
      expiresAt: new Date(now + 60_000),
    });
    expect((await signIn(stranger)).headers.get("location")).toBe(`${PUBLIC_URL}/w/harbour`);
  } finally {
    Object.assign(env(), { SIGN_UP: { mode: "open", domains: [] } });
  }
});

const me = (cookie: string) => call("GET", "/api/auth/me", { cookie });
const sessionCookiesOf = (answer: Answer) =>
  answer.headers.getSetCookie().filter((line) => line.startsWith("auth_session="));

describe("sign-in with GitHub", () => {
  it("creates an account with the verified primary address, a workspace and a normal session", async () => {
    const user = newUser();
    const answer = await signIn(user);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${PUBLIC_URL}/w/harbour`]);

    const [line = "", ...others] = sessionCookiesOf(answer);
    expect(others).toEqual([]);
    const [pair = "", ...attributes] = line.split("; ");
    expect(pair).toMatch(/^auth_session=[A-Za-z0-9_-]{43}$/);
    const expires = new Date(attributes.find((each) => each.startsWith("Expires="))?.slice(8) ?? 0);
    const days = (expires.getTime() - Date.now()) / (24 * 60 * 60 * 1000);
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    expect(attributes.filter((each) => !each.startsWith("Expires=")).sort()).toEqual([
      "HttpOnly",
      "Path=/",
      "SameSite=Lax",
    ]);

    const { json } = await me(cookieOf(answer));
    expect(json.data.user).toMatchObject({ email: `octo-${user.id}@example.com`, name: "Octavia Lind" });
    expect(json.data.workspaces).toMatchObject([{ name: "Octavia's workspace", role: "owner" }]);
    expect(github.complaints).toEqual([]);
  });

  it("stores the session as a hash with its origin, and lists it (T10)", async () => {
    const jar = new Jar();
    const begun = await begin(jar);
    const back = github.agree(begun.headers.get("location") ?? "", newUser());
    const answer = await comeBack(jar, back, {
      "user-agent": "Lynx/2.9",
      "x-millrace-remote-address": "192.0.2.44",
    });
    const cookie = cookieOf(answer);
    const token = cookie.slice("auth_session=".length);
    expect(await collections.sessions().countDocuments({ sessionToken: token })).toBe(0);
    expect(await collections.sessions().countDocuments({ sessionToken: hashToken(token) })).toBe(1);
    const [session] = (await call("GET", "/api/auth/sessions", { cookie })).json.data;
    expect(session).toMatchObject({ isCurrent: true, userAgent: "Lynx/2.9", address: "192.0.2.44" });
    expect((await call("DELETE", `/api/auth/sessions/${session.id}`, { cookie })).status).toBe(200);
    expect((await me(cookie)).status).toBe(401);
  });

  it("recognises the person by GitHub ID after a change of name and address", async () => {
    const user = newUser();
    const first = (await me(cookieOf(await signIn(user)))).json.data.user;
    const renamed = { ...newUser({ id: user.id, login: "other" }), name: "Octavia Berg" };
    const second = (await me(cookieOf(await signIn(renamed)))).json.data.user;
    expect(second).toEqual(first);
  });

  it("uses the login as a missing name, and cuts a long one", async () => {
    const nameless = newUser({ name: null });
    expect((await me(cookieOf(await signIn(nameless)))).json.data.user.name).toBe(nameless.login);
    const long = await me(cookieOf(await signIn(newUser({ name: "O".repeat(255) }))));
    expect(long.json.data.user.name).toBe("O".repeat(120));
    expect(long.json.data.workspaces[0].name.length).toBeLessThanOrEqual(80);
  });

  it("keeps no GitHub token: not in the store, not in a response (T44, T46)", async () => {
    const answer = await signIn(newUser());
    const given = github.accessTokens.at(-1) ?? "";
    expect(given).toMatch(/^gho_/);
    const dump = await dumpDatabase();
    expect(dump.includes(given)).toBe(false);
    expect(dump.includes(github.clientSecret)).toBe(false);
    const kept = await database()
      .collection(collections.accounts.collectionName)
      .findOne({}, { sort: { _id: -1 } });
    expect(Object.keys(kept ?? {}).sort()).toEqual(["_id", "provider", "providerAccountId", "type", "userId"]);
    expect(JSON.stringify([...answer.headers]) + answer.text).not.toContain(given);
  });
});

describe("rejected sign-in with GitHub", () => {
  it("without a verified address, storing nothing", async () => {
    const user = newUser();
    const unverified = { ...user, emails: user.emails.map((each) => ({ ...each, verified: false })) };
    const before = await collections.users().countDocuments();
    const workspaces = await collections.workspaces().countDocuments();
    const answer = await signIn(unverified);
    expect(answer.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/login\?error=/);
    expect(sessionCookiesOf(answer)).toEqual([]);
    expect(await collections.users().countDocuments()).toBe(before);
    expect(await collections.workspaces().countDocuments()).toBe(workspaces);
  });

  it("for an address with a password account, without linking", async () => {
    const person = await seedPerson("Taken");
    const user = newUser({ emails: [{ email: person.email.toUpperCase(), primary: true, verified: true }] });
    const answer = await signIn(user);
    expect(answer.headers.get("location")).toBe(`${PUBLIC_URL}/login?error=OAuthAccountNotLinked`);
    expect(sessionCookiesOf(answer)).toEqual([]);
    const accounts = database().collection(collections.accounts.collectionName);
    expect(await accounts.countDocuments({ userId: new ObjectId(person.id) })).toBe(0);
    // Nor does the GitHub account open the password account afterwards.
    expect(sessionCookiesOf(await signIn(user))).toEqual([]);
  });

  it("if the callback comes from another browser, twice, or with another state (T13)", async () => {
    const jar = new Jar();
    const begun = await begin(jar);
    const back = github.agree(begun.headers.get("location") ?? "", newUser());
    expect(sessionCookiesOf(await comeBack(new Jar(), back))).toEqual([]);

    const forged = new URL(back);
    forged.searchParams.set("state", "of-somebody-else");
    const stolen = new Jar();
    for (const [name, value] of jar.cookies) stolen.cookies.set(name, value);
    expect(sessionCookiesOf(await comeBack(stolen, forged.href))).toEqual([]);

    expect(sessionCookiesOf(await comeBack(jar, back))).toHaveLength(1);
    expect(sessionCookiesOf(await comeBack(jar, back))).toEqual([]);
  });

  it("without next-auth's CSRF token, or from another site (T14)", async () => {
    const form = new URLSearchParams({ csrfToken: "guessed", callbackUrl: PUBLIC_URL });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const guessed = await call("POST", "/api/auth/signin/github", { rawBody: form, headers });
    expect(guessed.headers.get("location") ?? "").not.toContain("/login/oauth/authorize");
    const foreign = await call("POST", "/api/auth/signin/github", {
      rawBody: form,
      headers: { ...headers, "sec-fetch-site": "cross-site" },
    });
    expect([foreign.status, foreign.json.code]).toEqual([403, "forbidden"]);
  });

  it("if GitHub is unavailable or returns an error, with a link to sign in", async () => {
    const jar = new Jar();
    const begun = await begin(jar);
    const back = new URL(github.agree(begun.headers.get("location") ?? "", newUser()));
    back.searchParams.set("code", "unknown");
    const log = captureLog();
    const failed = await comeBack(jar, back.href);
    const [line = "", ...more] = log.stop();
    expect(failed.headers.get("location")).toBe(`${PUBLIC_URL}/login?error=Configuration`);
    // The log tells the operator the reason, without secrets of the exchange (T47).
    expect([more, JSON.parse(line)]).toEqual([[], expect.objectContaining({ msg: "a provider sign-in failed" })]);
    for (const secret of [
      "unknown",
      back.searchParams.get("state") ?? "",
      github.clientSecret,
      ...github.accessTokens,
    ]) {
      expect(line).not.toContain(secret);
    }
    github.complaints.length = 0;

    const denied = new URL(back);
    denied.searchParams.delete("code");
    denied.searchParams.set("error", "access_denied");
    const refused = await comeBack(jar, denied.href);
    expect(refused.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/login\?error=/);
  });
});

describe("a browser that is already signed in", () => {
  it("gets a session for the new person; the earlier account gains no second sign-in (T8)", async () => {
    const before = await seedPerson("Before");
    const jar = new Jar();
    jar.cookies.set("auth_session", before.cookie.slice("auth_session=".length));
    const answer = await signIn(newUser(), jar);
    const { json } = await me(cookieOf(answer));
    expect(json.data.user.email).toMatch(/^octo-/);
    const accounts = database().collection(collections.accounts.collectionName);
    expect(await accounts.countDocuments({ userId: new ObjectId(before.id) })).toBe(0);
    expect((await me(before.cookie)).status).toBe(401);
  });

  it("gets a new token when the same person signs in again", async () => {
    const user = newUser();
    const jar = new Jar();
    const first = cookieOf(await signIn(user, jar));
    const second = cookieOf(await signIn(user, jar));
    expect(second).not.toBe(first);
    expect((await me(first)).status).toBe(401);
    expect((await me(second)).status).toBe(200);
  });
});

describe("URLs of the flow", () => {
  it("use PUBLIC_URL, whatever host the request names (T109)", async () => {
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    const begun = await begin(new Jar(), { headers });
    const asked = new URL(begun.headers.get("location") ?? "");
    expect(asked.searchParams.get("redirect_uri")).toBe(`${PUBLIC_URL}/api/auth/callback/github`);
    expect(begun.text + JSON.stringify([...begun.headers])).not.toContain("evil.example");
    expect(asked.searchParams.get("code_challenge_method")).toBe("S256");
    expect(asked.searchParams.get("state")).toMatch(/.{20,}/);
  });

  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "javascript:alert(1)",
    "http://localhost:3000.evil.example/",
    "http://localhost:3000@evil.example/",
    "http://[",
  ])("never redirect to %s afterwards", async (callbackUrl) => {
    const jar = new Jar();
    const begun = await begin(jar, { callbackUrl });
    const answer = await comeBack(jar, github.agree(begun.headers.get("location") ?? "", newUser()));
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${PUBLIC_URL}/`]);
  });

  it("return to the sign-in page from a Google callback that no one started", async () => {
    const answer = await call("GET", "/api/auth/callback/google?code=x&state=y");
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/login\?error=/);
    expect(sessionCookiesOf(answer)).toEqual([]);
  });

  it("return 404 for unknown providers", async () => {
    for (const provider of ["credentials", "email", "__proto__", "constructor", "session"]) {
      const answer = await call("GET", `/api/auth/callback/${provider}`);
      expect([provider, answer.status, answer.json?.code]).toEqual([provider, 404, "not_found"]);
    }
  });
});

it("gets a password for a GitHub account by the reset link only", async () => {
  const answer = await signIn(newUser());
  const cookie = cookieOf(answer);
  const { email } = (await me(cookie)).json.data.user;
  const login = await call("POST", "/api/auth/login", { body: { email, password: PASSWORD } });
  expect([login.status, login.json.code]).toEqual([401, "invalid_credentials"]);
  const body = { current: "", next: `${PASSWORD} ${randomUUID()}` };
  const change = await call("POST", "/api/auth/password", { cookie, body });
  expect([change.status, change.json.code]).toEqual([401, "invalid_credentials"]);
});
