import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import type { MailDoc } from "@/lib/platform/mail/model";
import { seal } from "@/lib/platform/secrets/seal";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import { outboxCommand } from "./outbox";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let printed: string[] = [];
const run = (...args: string[]) => outboxCommand(args, (line) => printed.push(line));
const output = () => printed.join("\n");
let person: Person;

beforeAll(async () => {
  person = await seedPerson();
});
beforeEach(async () => {
  printed = [];
  await collections.mails().deleteMany({});
});

async function keep(mail: Partial<MailDoc>): Promise<void> {
  const common = { to: ["ana@example.com"], subject: "Subject", text: "Text", html: "", error: null };
  const doc = { ...common, workspaceId: null, status: "kept" as const, createdAt: new Date("2026-01-02T03:04:05Z") };
  await collections.mails().insertOne({ _id: new ObjectId(), ...doc, ...mail });
}

describe("npm run outbox", () => {
  it("shows the reset link of an account on a server without mail, which then works", async () => {
    await call("POST", "/api/auth/password/forgot", { body: { email: person.email } });
    await vi.waitUntil(async () => (await collections.mails().countDocuments()) === 1);
    expect(await run()).toBe(0);
    expect(output()).toContain(`to ${person.email}`);
    const token = /http:\/\/localhost:3000\/reset\/([\w-]{43})/.exec(output())?.[1];
    const body = { token, password: "another short sentence" };
    expect((await call("POST", "/api/auth/password/reset", { body })).status).toBe(200);
  });

  it("reports a mail that can't be decrypted, and shows the others", async () => {
    await keep({ subject: "From before", text: "Text from before" });
    await keep({ subject: "Moved", text: seal("x", { workspaceId: "accounts", recordId: "other", field: "text" }) });
    expect(await run()).toBe(0);
    expect(output()).toContain("Couldn't decrypt this email");
    expect(output()).toContain("Text from before");
  });

  it("shows the newest first with date, subject and state", async () => {
    await keep({ subject: "First" });
    await keep({ subject: "Second", status: "failed", error: "The mail service returned 500." });
    await run();
    expect(output()).toContain("2026-01-02T03:04:05.000Z  to ana@example.com");
    expect(output()).toContain("Second  (failed: The mail service returned 500.)");
    expect(output().indexOf("Second")).toBeLessThan(output().indexOf("First  (kept)"));
  });

  it("shows no workspace mail and no sent mail", async () => {
    await keep({ workspaceId: new ObjectId(person.workspaceId), subject: "Of a workspace" });
    await keep({ status: "sent", subject: "Sent" });
    expect(await run()).toBe(0);
    expect(output()).toBe("No account emails in the outbox.");
  });

  it("obeys --limit, and lists its allowed values", async () => {
    for (const subject of ["One", "Two", "Three"]) await keep({ subject });
    await run("--limit", "2");
    expect([output().includes("Three"), output().includes("Two"), output().includes("One")]).toEqual([
      true,
      true,
      false,
    ]);
    for (const wrong of ["0", "201", "many", "1.5"]) await expect(run("--limit", wrong)).rejects.toThrow("1 to 200");
    await expect(run("--all")).rejects.toThrow("--all");
  });

  it("prints no control characters", async () => {
    await keep({ subject: "a\u001b[2Jb", text: "first\n\u001b]0;title\u0007second", to: ["x\u0008@example.com"] });
    await run();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(output()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(output()).toContain("first\n");
  });
});
