import { createServer, type Server } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { env, parseEnv } from "@/lib/platform/env";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedPerson } from "@/test/seed";
import { CERTIFICATE_KEY, TEST_AUTHORITY, VALID_CERTIFICATE } from "@/test/servers/certificates";
import { type SmtpServer, startSmtpServer } from "@/test/servers/smtp";
import type { OutgoingMail } from "./model";
import { parseSmtpUrl, sendBySmtp } from "./smtp";

const own = takeOwnDatabase();
const tls = { key: CERTIFICATE_KEY, cert: VALID_CERTIFICATE };
const PASSWORD = encodeURIComponent("p@ss/w:rd");
const MAIL: OutgoingMail = {
  to: ["ana@example.com"],
  subject: "Orders of Zoë: done ✓",
  text: "Plain words.",
  html: "<p>Words <img src='cid:chart'></p>",
  files: [],
};

let owner: Person;
const servers: SmtpServer[] = [];
const trusted = getCACertificates("default");

async function server(...args: Parameters<typeof startSmtpServer>): Promise<SmtpServer> {
  const started = await startSmtpServer(...args);
  servers.push(started);
  return started;
}

beforeAll(async () => {
  Object.assign(env(), { MAIL_FROM: "Harbour data <data@harbour.example>" });
  owner = await seedPerson();
});
afterEach(async () => {
  setDefaultCACertificates(trusted);
  Object.assign(env(), { SMTP_URL: undefined });
  await Promise.all(servers.splice(0).map((each) => each.close()));
});
afterAll(() => own.drop());

describe("C47 mail by SMTP", () => {
  it("C47 has sender, recipients, subject, both texts and attachments", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS", "AUTH"] });
    const files = [{ filename: "chart.png", contentType: "image/png", contentId: "chart", bytes: Buffer.from("png!") }];
    const mail = { ...MAIL, to: ["ana@example.com", "bo@example.com"], files };
    expect(await sendBySmtp(`smtp://127.0.0.1:${port}`, mail, { key: "delivery-1" })).toEqual({ refused: [] });
    const [arrived] = received;
    expect(arrived).toMatchObject({ from: "data@harbour.example", to: mail.to, isSecure: false, user: null });
    expect(arrived?.raw).toMatch(/^From: Harbour data <data@harbour\.example>\r$/m);
    expect(arrived?.raw).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(arrived?.raw).toContain("Plain words.");
    expect(arrived?.raw).toMatch(/^Content-Id: <chart>\r$/im);
    expect(arrived?.raw).toContain(Buffer.from("png!").toString("base64"));
  });

  it("C47 keeps its Message-ID when it is resent", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS", "AUTH"] });
    for (const key of ["one", "one", "two"]) await sendBySmtp(`smtp://127.0.0.1:${port}`, MAIL, { key });
    const ids = received.map(({ raw }) => /^Message-ID: (.+)\r$/im.exec(raw)?.[1]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{40}@harbour\.example>$/);
    expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
  });

  it.each([
    ["smtp", {}],
    ["smtps", { secure: true }],
  ])("C47 signs in over TLS by %s", async (scheme, options) => {
    setDefaultCACertificates([...trusted, TEST_AUTHORITY]);
    const { port, received, logins } = await server({ ...tls, ...options });
    await sendBySmtp(`${scheme}://mill:${PASSWORD}@localhost:${port}?tls=required`, MAIL);
    expect(received).toMatchObject([{ isSecure: true, user: "mill" }]);
    expect(logins).toEqual(["mill:p@ss/w:rd"]);
  });

  it.each([
    ["smtp", {}],
    ["smtps", { secure: true }],
  ])("C47 sends no password to an untrusted certificate, by %s", async (scheme, options) => {
    const { port, received, logins } = await server({ ...tls, ...options });
    await expect(sendBySmtp(`${scheme}://mill:${PASSWORD}@localhost:${port}`, MAIL)).rejects.toThrow(
      "The TLS connection to the mail server failed.",
    );
    expect([received, logins]).toEqual([[], []]);
  });

  it("C47 sends no password in plain text if TLS is required", async () => {
    const { port, logins } = await server({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    await expect(sendBySmtp(`smtp://mill:${PASSWORD}@127.0.0.1:${port}?tls=required`, MAIL)).rejects.toThrow();
    expect(logins).toEqual([]);
  });

  it.each([
    ["", null, []],
    [`mill:${PASSWORD}@`, "mill", ["mill:p@ss/w:rd"]],
  ])(
    "C47 sends in plain text with tls=off to a server with an untrusted STARTTLS certificate, as '%s'",
    async (...args) => {
      const [account, user, expected] = args;
      const { port, received, logins } = await server({ ...tls, allowInsecureAuth: true });
      await sendBySmtp(`smtp://${account}localhost:${port}?tls=off`, MAIL);
      expect(received).toMatchObject([{ isSecure: false, user }]);
      expect(logins).toEqual(expected);
    },
  );

  it.each([
    ["smtp", "", {}, /failed\. On a trusted network, add \?tls=off to SMTP_URL to send without TLS\.$/],
    ["smtp", "?tls=required", {}, /failed\.$/],
    ["smtps", "", { secure: true }, /failed\.$/],
    ["smtps", "?tls=off", { secure: true }, /failed\.$/],
  ])("C47 sends nothing to an untrusted certificate by %s%s", async (scheme, option, options, words) => {
    const { port, received } = await server({ ...tls, ...options });
    await expect(sendBySmtp(`${scheme}://localhost:${port}${option}`, MAIL)).rejects.toThrow(words);
    expect(received).toEqual([]);
  });

  it("C47 reports a wrong password without repeating it", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    const sent = sendBySmtp(`smtp://mill:wrong-secret@127.0.0.1:${port}`, MAIL);
    await expect(sent).rejects.toThrow(/^The mail server rejected the user name or password\.$/);
    expect(received).toEqual([]);
  });

  it("C47 names rejected recipients, and fails if all were rejected", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS", "AUTH"] }, (to) => to.startsWith("gone"));
    const url = `smtp://127.0.0.1:${port}`;
    const some = await sendBySmtp(url, { ...MAIL, to: ["ana@example.com", "gone@example.com"] });
    expect(some).toEqual({ refused: ["gone@example.com"] });
    expect(received.map(({ to }) => to)).toEqual([["ana@example.com"]]);
    await expect(sendBySmtp(url, { ...MAIL, to: ["gone@example.com"] })).rejects.toThrow(
      "The mail server returned 550.",
    );
  });

  it("C47 times out on a silent server", async () => {
    const silent: Server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const sent = sendBySmtp(`smtp://127.0.0.1:${port}`, MAIL, { timeoutMs: 200 });
    await expect(sent).rejects.toThrow("The mail server timed out.");
    silent.close();
  });

  it("C47 fails with a message if no server listens", async () => {
    const closed = await startSmtpServer();
    await closed.close();
    await expect(sendBySmtp(`smtp://127.0.0.1:${closed.port}`, MAIL)).rejects.toThrow(/refused/);
  });

  it("C47 adds no header through line breaks in names", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS", "AUTH"] });
    await sendBySmtp(`smtp://127.0.0.1:${port}`, { ...MAIL, subject: "a\r\nBcc: everyone@example.com" });
    expect(received[0]?.to).toEqual(["ana@example.com"]);
    expect(received[0]?.raw).not.toMatch(/^Bcc:/im);
  });
});

describe("C47 an invitation", () => {
  const invite = (email: string) =>
    call("POST", `/api/workspaces/${owner.workspaceId}/invites`, { cookie: owner.cookie, body: { email } });

  it("C47 is sent by SMTP rather than Resend, and logged as sent", async () => {
    const { port, received } = await server({ disabledCommands: ["STARTTLS", "AUTH"] });
    Object.assign(env(), { SMTP_URL: `smtp://127.0.0.1:${port}`, RESEND_API_KEY: "re_unused" });
    const answer = await invite("guest@example.com");
    expect([answer.status, answer.json.data.mail]).toEqual([201, "sent"]);
    expect(received.map(({ to }) => to)).toEqual([["guest@example.com"]]);
    Object.assign(env(), { RESEND_API_KEY: undefined });
  });

  it("C47 that the server rejects is failed in the outbox, and no log has the password (T47)", async () => {
    const { port } = await server({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    Object.assign(env(), { SMTP_URL: `smtp://mill:wrong-secret@127.0.0.1:${port}` });
    const lines = captureLog();
    const answer = await invite("refused@example.com");
    expect([answer.status, answer.json.data.mail]).toEqual([201, "failed"]);
    expect(lines.stop().join("")).not.toContain("wrong-secret");
    const stored = await collections.mails().findOne({ to: "refused@example.com" });
    expect(stored).toMatchObject({ status: "failed", error: "The mail server rejected the user name or password." });
  });
});

describe("C47 SMTP_URL", () => {
  it.each([
    ["smtp://mail.example.com", { port: 587, isImplicitTls: false, requiresTls: false, auth: null }],
    ["smtps://mail.example.com", { port: 465, isImplicitTls: true, requiresTls: false, auth: null }],
    ["smtp://u:p@mail.example.com:25", { port: 25, requiresTls: true, auth: { user: "u", pass: "p" } }],
    ["smtp://u:p@127.0.0.1:2525", { port: 2525, requiresTls: false }],
    ["smtp://u:p@mail.example.com?tls=off", { requiresTls: false, ignoresTls: true }],
    ["smtp://mail.example.com?tls=off", { requiresTls: false, ignoresTls: true }],
    ["smtps://mail.example.com?tls=off", { isImplicitTls: true, ignoresTls: false }],
    ["smtp://mail.example.com", { requiresTls: false, ignoresTls: false }],
    ["smtp://mail.example.com?tls=required", { requiresTls: true, ignoresTls: false }],
    ["smtp://a%40b.example:p%3A%2F@[::1]:2525", { host: "::1", auth: { user: "a@b.example", pass: "p:/" } }],
  ])("C47 reads %s", (url, expected) => {
    expect(parseSmtpUrl(parseEnv({ SMTP_URL: url }).SMTP_URL ?? "")).toMatchObject(expected);
  });

  it.each(["mail.example.com", "http://mail.example.com", "smtp://", "smtp://host?tls=maybe", "smtp://host?debug=1"])(
    "C47 rejects %s at start, without repeating it",
    (url) => {
      expect(() => parseEnv({ SMTP_URL: url })).toThrow(/SMTP_URL (must be|takes one option)/);
    },
  );
});
