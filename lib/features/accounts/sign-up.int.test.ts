import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { env, parseEnv, type SignUpPolicy } from "@/lib/platform/env";
import { call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD } from "@/test/seed";
import { isAdmitted, isInstanceAdmin, requireSignUp } from "./sign-up";

const own = takeOwnDatabase();
afterAll(() => own.drop());

type Admin = { id: string; cookie: string; workspaceId: string };
let admin: Admin;

beforeEach(async () => {
  await collections.users().deleteMany({});
  await collections.instance().deleteMany({});
  policy("open");
  const first = await register("first@example.com");
  const { user, workspace } = first.json.data;
  admin = { id: user.id, cookie: cookieOf(first), workspaceId: workspace.id };
});

function policy(text: string): void {
  // Far more accounts are created here than the limit of one address allows.
  Object.assign(env(), { SIGN_UP: parseEnv({ SIGN_UP: text }).SIGN_UP, RATE_LIMIT_SCALE: 1000 });
}

function register(email: string, inviteToken?: string) {
  return call("POST", "/api/auth/register", {
    body: { email, password: PASSWORD, ...(inviteToken && { inviteToken }) },
  });
}

async function invite(email: string): Promise<string> {
  const answer = await call("POST", `/api/workspaces/${admin.workspaceId}/invites`, {
    cookie: admin.cookie,
    body: { email },
  });
  return (answer.json.data.link as string).split("/").at(-1) ?? "";
}

const unique = (domain = "example.com") => `${randomUUID()}@${domain}`;

describe("C46 registration follows SIGN_UP", () => {
  it.each([
    ["open", unique(), 201],
    ["domain:example.com", unique("example.com"), 201],
    ["domain:a.org, Example.com", unique("EXAMPLE.COM"), 201],
    ["domain:@example.com", unique(), 201],
    ["domain:example.com", unique("sub.example.com"), 403],
    ["domain:example.com", unique("example.com.evil.org"), 403],
    ["domain:example.com", unique("notexample.com"), 403],
    ["domain:example.com", "example.com@evil.org", 403],
    ["invite", unique(), 403],
    ["off", unique(), 403],
  ])("C46 %s admits %s: %i", async (text, email, status) => {
    policy(text);
    expect((await register(email)).status).toBe(status);
  });

  it.each(["invite", "domain:corp.example"])("C46 %s admits an invited address with its link", async (text) => {
    policy(text);
    const email = unique();
    const token = await invite(email);
    expect((await register(email)).status).toBe(403);
    expect((await register(unique(), token)).status).toBe(403);
    expect((await register(email, "x".repeat(43))).status).toBe(403);
    expect((await register(email, token)).status).toBe(201);
  });

  it("C46 off admits no one, invited or not", async () => {
    const email = unique();
    const token = await invite(email);
    policy("off");
    expect((await register(email, token)).status).toBe(403);
  });

  it("C46 an expired invitation, or one whose creator has left, admits no one", async () => {
    policy("invite");
    const [late, orphaned] = [unique(), unique()];
    const [lateToken, orphanedToken] = [await invite(late), await invite(orphaned)];
    await collections.invites().updateOne({ email: late }, { $set: { expiresAt: new Date(0) } });
    expect((await register(late, lateToken)).status).toBe(403);
    await collections.invites().updateOne({ email: orphaned }, { $set: { invitedBy: new ObjectId() } });
    expect((await register(orphaned, orphanedToken)).status).toBe(403);
  });

  it("C46 a provider's verified address needs no link", async () => {
    policy("invite");
    const email = unique();
    await invite(email);
    expect(await isAdmitted({ email, inviteToken: null, isVerified: true })).toBe(true);
    expect(await isAdmitted({ email, inviteToken: null, isVerified: false })).toBe(false);
    expect(await isAdmitted({ email: unique(), inviteToken: null, isVerified: true })).toBe(false);
  });

  it("C46 a rejection does not reveal whether an address has an account", async () => {
    policy("invite");
    const [known, unknown] = [await register("first@example.com"), await register(unique())];
    expect([known.status, known.json.error, known.json.code]).toEqual([
      unknown.status,
      unknown.json.error,
      unknown.json.code,
    ]);
  });

  it("C46 existing accounts sign in under every policy", async () => {
    policy("off");
    const answer = await call("POST", "/api/auth/login", { body: { email: "first@example.com", password: PASSWORD } });
    expect(answer.status).toBe(200);
  });
});

describe("C46 the first account", () => {
  const empty = async () => {
    await collections.users().deleteMany({});
    await collections.instance().deleteMany({});
  };

  it.each(["off", "invite", "domain:corp.example"])("C46 is created on an empty instance with %s", async (text) => {
    await empty();
    policy(text);
    const first = await register(unique());
    expect(first.status).toBe(201);
    expect((await register(unique())).status).toBe(403);
    const instance = await call("GET", "/api/instance", { cookie: cookieOf(first) });
    expect([instance.status, instance.json.data.signUp.mode]).toEqual([200, text.split(":")[0]]);
  });

  it("C46 exists once after concurrent registrations", async () => {
    await empty();
    policy("off");
    const answers = await Promise.all(Array.from({ length: 5 }, () => register(unique())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403]);
    expect(await collections.users().countDocuments({})).toBe(1);
  });

  it("C46 administers the instance; later ones do not", async () => {
    const later = await register(unique());
    const instance = (cookie: string) => call("GET", "/api/instance", { cookie });
    expect((await instance(admin.cookie)).json.data).toEqual({
      version: expect.any(String),
      signUp: { mode: "open", domains: [] },
      mail: "outbox",
      accounts: 2,
      workspaces: expect.any(Number),
    });
    expect((await instance(cookieOf(later))).status).toBe(403);
  });

  it("C46 of an older installation is its oldest account", async () => {
    await register(unique());
    await collections.instance().deleteMany({});
    expect(await isInstanceAdmin(new ObjectId(admin.id))).toBe(true);
    expect((await collections.instance().findOne({ _id: "instance" }))?.adminId.toHexString()).toBe(admin.id);
  });

  it.each([
    ["after a minute, passes to the oldest account", 61_000, true],
    ["within a minute, passes to nobody", 59_000, false],
  ])("C46 of a claim without an account, %s", async (_, ageMs, isPassed) => {
    const [later, adminId] = [await register(unique()), new ObjectId()];
    const claimedAt = new Date();
    await collections.instance().updateOne({ _id: "instance" }, { $set: { adminId, claimedAt } });
    const now = new Date(claimedAt.getTime() + ageMs);
    const ids = [later.json.data.user.id, admin.id].map((id) => new ObjectId(String(id)));
    const answers = await Promise.all([...ids, ...ids, adminId].map((id) => isInstanceAdmin(id, now)));
    expect(answers).toEqual([false, isPassed, false, isPassed, !isPassed]);
    const stored = await collections.instance().findOne({ _id: "instance" });
    expect(stored?.adminId.toHexString()).toBe(isPassed ? admin.id : adminId.toHexString());
  });

  it("C46 stays with the admin's account, however old its claim is", async () => {
    const later = await register(unique());
    const adminId = new ObjectId(String(later.json.data.user.id));
    await collections.instance().updateOne({ _id: "instance" }, { $set: { adminId, claimedAt: new Date(0) } });
    expect(await isInstanceAdmin(new ObjectId(admin.id))).toBe(false);
    expect(await isInstanceAdmin(adminId)).toBe(true);
  });

  it("C46 can be claimed again if its account was never created", async () => {
    await empty();
    policy("off");
    const applicant = { email: unique(), inviteToken: null, isVerified: false };
    const start = new Date();
    await requireSignUp(applicant, new ObjectId(), start);
    await expect(requireSignUp(applicant, new ObjectId(), start)).rejects.toMatchObject({ kind: "forbidden" });
    await requireSignUp(applicant, new ObjectId(), new Date(start.getTime() + 61_000));
  });
});

describe("C46 the setting", () => {
  it.each<[string, SignUpPolicy]>([
    ["open", { mode: "open", domains: [] }],
    ["OFF", { mode: "off", domains: [] }],
    ["invite", { mode: "invite", domains: [] }],
    ["domain:a.example, @B.example", { mode: "domain", domains: ["a.example", "b.example"] }],
  ])("C46 reads %s", (text, expected) => {
    expect(parseEnv({ SIGN_UP: text }).SIGN_UP).toEqual(expected);
  });

  it.each(["closed", "domain", "domain:", "domain:a", "domain:a.example,", "domain:*.example.com", "invite:a.example"])(
    "C46 rejects %s at start",
    (text) => {
      expect(() => parseEnv({ SIGN_UP: text })).toThrow(/SIGN_UP must be open/);
    },
  );
});
