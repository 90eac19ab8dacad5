import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { LOOPBACK_FORMS } from "@/test/fixtures/net/forms";
import { listener } from "@/test/fixtures/net/listener";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { addConsole } from "@/test/fixtures/notifications/ended-run";
import { type Person, seedPerson } from "@/test/seed";
import { collections } from "./collections";

/* The default setup of a server: databases may be on private addresses, receivers may not. */

const own = takeOwnDatabase();
takeJobEvents();
let owner: Person;
let base = "";
let resource: { resourceType: "scheduled_query"; resourceId: string };
beforeAll(async () => {
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}/notification-rules`;
  resource = { resourceType: "scheduled_query", resourceId: await addConsole(owner) };
});
afterAll(() => own.drop());

const asUrl = (form: string, port: number) => `http://${form.includes(":") ? `[${form}]` : form}:${port}/hook`;

describe("a receiver on this machine (T30 to T32, T82)", () => {
  it("is rejected in every form on save, change and test, and never dialled", async () => {
    const canary = await listener();
    const send = (method: string, path: string, body: object) =>
      call(method, `${base}${path}`, { cookie: owner.cookie, body });
    const email = { channelType: "email", recipients: ["a@example.com"], triggers: ["failure"] };
    const { id } = (await send("POST", "", { ...resource, ...email })).json.data;
    const answers = new Map<string, Set<string>>();
    for (const form of LOOPBACK_FORMS) {
      const url = asUrl(form, canary.port);
      for (const channel of [
        { channelType: "webhook", url },
        { channelType: "chat", chatWebhookUrl: url },
        { channelType: "teams", teamsWebhookUrl: url.replace("http:", "https:") },
      ]) {
        for (const answer of [
          await send("POST", "", { ...resource, ...channel, triggers: ["failure"] }),
          await send("PATCH", `/${id}`, channel),
          await send("POST", "/test", { ...resource, ...channel }),
        ]) {
          const told = `${answer.status} ${answer.json.code}`;
          answers.set(told, (answers.get(told) ?? new Set()).add(form));
        }
      }
    }
    // A malformed address is reported as such. No response shows whether anything listens at an address.
    expect([...answers.keys()].sort()).toEqual(["400 address_refused", "400 invalid_request"]);
    expect(answers.get("400 address_refused")).toContain("127.0.0.1");
    expect(canary.hits()).toBe(0);
    expect(await collections.notificationRules().countDocuments()).toBe(1);
    expect(await collections.deliveries().countDocuments()).toBe(0);
  });

  it("is reported alike, with or without a listener", async () => {
    const canary = await listener();
    const body = (port: number) => ({ ...resource, channelType: "webhook", url: `http://127.0.0.1:${port}/hook` });
    const [there, nobody] = await Promise.all(
      [canary.port, 1].map((port) => call("POST", `${base}/test`, { cookie: owner.cookie, body: body(port) })),
    );
    expect([there?.status, there?.text]).toEqual([nobody?.status, nobody?.text]);
    expect(there?.json.code).toBe("address_refused");
    expect(canary.hits()).toBe(0);
  });
});

describe("a Microsoft Teams URL", () => {
  it("must be https on save, change and test", async () => {
    const channel = { channelType: "teams", teamsWebhookUrl: "http://teams.example.com/workflows/1" };
    const send = (method: string, path: string, body: object) =>
      call(method, `${base}${path}`, { cookie: owner.cookie, body });
    const email = { channelType: "email", recipients: ["a@example.com"], triggers: ["failure"] };
    const { id } = (await send("POST", "", { ...resource, ...email })).json.data;
    for (const answer of [
      await send("POST", "", { ...resource, ...channel, triggers: ["failure"] }),
      await send("PATCH", `/${id}`, channel),
      await send("POST", "/test", { ...resource, ...channel }),
    ]) {
      expect([answer.status, answer.json.details]).toEqual([
        400,
        [{ path: "teamsWebhookUrl", message: "The URL must start with https://." }],
      ]);
    }
  });
});
