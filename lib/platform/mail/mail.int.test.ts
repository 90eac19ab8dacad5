import { ObjectId } from "mongodb";
import { createElement } from "react";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InviteMail } from "@/emails/invite";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { dumpDatabase } from "@/test/security/dump";
import { type FakeResend, startFakeResend } from "@/test/security/fake-resend";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { sendMail } from "./service";

const own = takeOwnDatabase();
const API_KEY = "re_marker_5f0c1f7d9b";
let resend: FakeResend;
let owner: Person;
let base: string;

beforeAll(async () => {
  resend = await startFakeResend();
  Object.assign(process.env, {
    RESEND_API_KEY: API_KEY,
    RESEND_BASE_URL: resend.url,
    MAIL_FROM: "Harbour data <data@harbour.example>",
  });
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
});
afterAll(async () => {
  await own.drop();
  await resend.close();
});
beforeEach(() => {
  resend.mood = "accepts";
  resend.received.length = 0;
});

const invite = (email: string, by = owner) =>
  call("POST", `${base}/invites`, { cookie: by.cookie, body: { email, role: "member" } });
const outbox = (by: Person = owner, query = "") => call("GET", `${base}/outbox${query}`, { cookie: by.cookie });

function lastReceived() {
  const last = resend.received.at(-1);
  if (!last) throw new Error("The mail service got nothing.");
  return last;
}

describe("mail by the HTTP service", () => {
  it("is one request with key, sender, one recipient, text and HTML; the outbox says sent", async () => {
    const answer = await invite("guest@example.com");
    expect([answer.status, answer.json.data.mail]).toEqual([201, "sent"]);
    expect(resend.received).toHaveLength(1);
    const { headers, body } = lastReceived();
    expect(headers.authorization).toBe(`Bearer ${API_KEY}`);
    expect(Object.keys(body).sort()).toEqual(["from", "html", "subject", "text", "to"]);
    expect(body).toMatchObject({
      from: "Harbour data <data@harbour.example>",
      to: ["guest@example.com"],
      subject: "Owner invited you to Owner's workspace",
    });
    expect(body.text).toContain(answer.json.data.link);
    expect(body.html).toContain(answer.json.data.link);

    const [entry] = (await outbox()).json.data.items;
    expect(entry).toEqual({
      id: expect.any(String),
      to: ["guest@example.com"],
      subject: body.subject,
      text: body.text,
      html: body.html,
      status: "sent",
      createdAt: expect.any(String),
    });
  });

  it.each([
    ["refuses", "422"],
    ["fails", "500"],
    ["cuts", null],
  ] as const)("%s is failed in the outbox, and the invitation stays valid", async (mood, said) => {
    resend.mood = mood;
    const answer = await invite(`${mood}@example.com`);
    expect([answer.status, answer.json.data.mail]).toEqual([201, "failed"]);
    const stored = await collections.mails().findOne({ to: `${mood}@example.com` });
    expect(stored?.status).toBe("failed");
    if (said) expect(stored?.error).toBe(`The mail service returned ${said}.`);
    else expect(stored?.error).toMatch(/\.$/);
    expect((await outbox()).text).not.toContain(stored?.error);
    const token = (answer.json.data.link as string).split("/").at(-1);
    expect((await call("GET", `/api/invites/${token}`)).status).toBe(200);
  });

  it("times out after ten seconds", async () => {
    resend.mood = "hangs";
    const start = performance.now();
    const answer = await invite("hangs@example.com");
    const seconds = (performance.now() - start) / 1000;
    expect([answer.status, answer.json.data.mail]).toEqual([201, "failed"]);
    expect(seconds).toBeGreaterThan(9);
  });

  it("exposes the service's key in no response, log or stored record (T46, T47)", async () => {
    const lines = captureLog();
    for (const mood of ["accepts", "fails", "cuts"] as const) {
      resend.mood = mood;
      const answer = await invite(`key-${mood}@example.com`);
      expect(answer.text).not.toContain(API_KEY);
    }
    expect(lines.stop().join("")).toContain("a mail could not be sent");
    expect(lines.text().includes(API_KEY)).toBe(false);
    expect((await outbox()).text.includes(API_KEY)).toBe(false);
    expect((await dumpDatabase()).includes(API_KEY)).toBe(false);
  });
});

it("with a password link is not in the outbox after the service has accepted it (T10)", async () => {
  expect((await call("POST", "/api/auth/password/forgot", { body: { email: owner.email } })).status).toBe(200);
  const find = () => collections.mails().findOne({ workspaceId: null, to: owner.email });
  // The mail is sent after the answer.
  await expect.poll(find).not.toBeNull();
  const token = /\/reset\/([\w-]{43})/.exec(JSON.stringify(lastReceived()))?.[1] ?? "";
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await find()).toMatchObject({ status: "sent", subject: "Reset your password", text: "", html: "" });
  expect((await dumpDatabase()).includes(token)).toBe(false);
});

describe("user input in mail", () => {
  it.each([
    "guest@example.com\r\nBcc: everybody@example.com",
    "guest@example.com\nBcc:everybody@example.com",
    "guest@example.com, second@example.com",
    "guest@example.com;second@example.com",
    "Guest <guest@example.com>",
    "guest@example.com\u0000",
    '"a\r\nBcc: x"@example.com',
    "guest@exam ple.com",
    `${"a".repeat(250)}@example.com`,
  ])("%j is not accepted as a recipient (T83)", async (email) => {
    const answer = await invite(email);
    expect([answer.status, answer.json.details?.[0].path]).toEqual([400, "email"]);
    expect(resend.received).toEqual([]);
  });

  it("adds no header and no markup through names of people and workspaces (T83, T84)", async () => {
    const nasty = 'Eve\r\nBcc: all@example.com\u0000\u0085\u2028<script>alert(1)</script>" onload=x & \u{1F9AB}';
    const guest = `names-${Date.now()}@example.com`;
    await collections.users().updateOne({ _id: new ObjectId(owner.id) }, { $set: { name: nasty } });
    await collections.workspaces().updateOne({ _id: new ObjectId(owner.workspaceId) }, { $set: { name: nasty } });
    await invite(guest);
    const { body } = lastReceived();
    expect(body.to).toEqual([guest]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(body.subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(body.subject).toContain("Eve Bcc: all@example.com");
    expect(body.html).not.toContain("<script");
    expect(body.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(body.html).not.toMatch(/<[^>]*onload=x[^>]*>/);
    expect(Object.keys(body).sort()).toEqual(["from", "html", "subject", "text", "to"]);
  });

  it("is cut to 200 characters in a subject, never within a character", async () => {
    const content = createElement(InviteMail, {
      workspaceName: "W",
      inviterName: "I",
      role: "a member",
      href: "http://localhost/",
      days: 7,
    });
    await sendMail(null, {
      to: ["long@example.com"],
      subject: `${"x".repeat(199)}\u{1F9AB}tail`,
      content,
      grants: null,
    });
    const subject = (await collections.mails().findOne({ to: "long@example.com" }))?.subject ?? "";
    expect(subject).toBe(`${"x".repeat(199)}\u{1F9AB}`);
  });
});

describe("the outbox", () => {
  it("shows a workspace's mails to its admins only, page by page, newest first", async () => {
    const [admin, member, stranger] = [
      await seedMember(owner.workspaceId, "admin"),
      await seedMember(owner.workspaceId, "member"),
      await seedPerson("Stranger"),
    ];
    await invite("page@example.com");
    expect([(await outbox(admin)).status, (await outbox(member)).status, (await outbox(stranger)).status]).toEqual([
      200, 403, 403,
    ]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await outbox(owner, `?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
      expect(page.json.data.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.json.data.items.map((each: { id: string }) => each.id));
      cursor = page.json.data.nextCursor;
    } while (cursor);
    const stored = await collections
      .mails()
      .find({ workspaceId: new ObjectId(owner.workspaceId) })
      .sort({ _id: -1 })
      .toArray();
    expect(seen).toEqual(stored.map(({ _id }) => _id.toHexString()));
    expect((await outbox(owner, "?cursor=zz")).status).toBe(400);
    const theirs = await call("GET", `/api/workspaces/${stranger.workspaceId}/outbox`, { cookie: stranger.cookie });
    expect(theirs.json.data).toEqual({ items: [], nextCursor: null });
  });
});
