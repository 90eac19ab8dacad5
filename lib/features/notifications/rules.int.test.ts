import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import "@/lib/features/instance/sealed-fields";
import { getSecrets } from "@/lib/platform/secrets/bootstrap";
import { rotateSealedFields } from "@/lib/platform/secrets/rotate";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { dumpDatabase } from "@/test/security/dump";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { openChannel } from "./channels/stored";
import { RULES_PER_RESOURCE_MAX } from "./limits";

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
const clock = takeJobEvents();
let receiver: Receiver;
let owner: Person;
let member: Person;
let base: string;
let consoleId: string;
let resource: { resourceType: "scheduled_query"; resourceId: string };

beforeAll(async () => {
  receiver = await startReceiver();
  owner = await seedPerson("Owner");
  member = await seedMember(owner.workspaceId, "member");
  base = `/api/workspaces/${owner.workspaceId}`;
  consoleId = await addConsole(owner);
  resource = { resourceType: "scheduled_query", resourceId: consoleId };
});
afterAll(async () => {
  await own.drop();
  await receiver.close();
});

const both = ["success", "failure"];
const add = (body: object, by: { cookie?: string; key?: string } = owner) =>
  call("POST", `${base}/notification-rules`, { ...by, body: { ...resource, triggers: both, ...body } });
const change = (id: string, body: object, by: { cookie?: string; key?: string } = owner) =>
  call("PATCH", `${base}/notification-rules/${id}`, { ...by, body });
const list = (of: object = resource, by: Person = owner) =>
  call("GET", `${base}/notification-rules?${new URLSearchParams(of as Record<string, string>)}`, { cookie: by.cookie });
const stored = (id: string) => collections.notificationRules().findOne({ _id: new ObjectId(id) });
async function opened(id: string) {
  const doc = await stored(id);
  if (!doc) throw new Error("There is no such rule.");
  return openChannel(doc, doc.channel);
}

describe("a notification rule", () => {
  it("of email is returned enabled, with distinct triggers and normalised addresses", async () => {
    const answer = await add({
      channelType: "email",
      recipients: ["Ana@Example.com", "ana@example.com", "bo@example.com"],
      triggers: ["failure", "failure"],
    });
    expect([answer.status, answer.json.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        workspaceId: owner.workspaceId,
        ...resource,
        enabled: true,
        triggers: ["failure"],
        channelType: "email",
        channel: { recipients: ["ana@example.com", "bo@example.com"] },
        createdBy: owner.id,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
  });

  it("of webhook returns its secret once, and its URL never", async () => {
    const url = `${receiver.url}/hooks/T0P-SECRET-PATH?token=q1w2`;
    const { status, json } = await add({ channelType: "webhook", url, enabled: false });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({
      enabled: false,
      channelType: "webhook",
      channel: { urlPreview: `${receiver.url}/…q1w2`, hasSecret: true },
      signingSecretOnce: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
    });
    expect(await opened(json.data.id)).toEqual({ type: "webhook", url, secret: json.data.signingSecretOnce });
    const listed = (await list()).json.data.find(({ id }: { id: string }) => id === json.data.id);
    const { signingSecretOnce: _, ...rule } = json.data;
    expect(listed).toEqual(rule);
  });

  it("of chat returns its label and that it is configured", async () => {
    const { json } = await add({ channelType: "chat", chatWebhookUrl: `${receiver.url}/services/T1/B2/xyz` });
    expect(json.data.channel).toEqual({ displayLabel: null, configured: true });
    const labelled = await change(json.data.id, { displayLabel: "#data" });
    expect(labelled.json.data.channel).toEqual({ displayLabel: "#data", configured: true });
    expect(await opened(json.data.id)).toMatchObject({ url: `${receiver.url}/services/T1/B2/xyz` });
  });

  it.each([
    [{ channelType: "email" }, "recipients"],
    [{ channelType: "email", recipients: [] }, "recipients"],
    [{ channelType: "email", recipients: Array.from({ length: 51 }, (_, i) => `${i}@example.com`) }, "recipients"],
    [{ channelType: "email", recipients: ["a@example.com\r\nBcc: b@example.com"] }, "recipients.0"],
    [{ channelType: "webhook" }, "url"],
    [{ channelType: "webhook", url: "ftp://files.example.com/" }, "url"],
    [{ channelType: "webhook", url: "https://user:pw@hooks.example.com/" }, "url"],
    [{ channelType: "webhook", url: "https://hooks.example.com:22/" }, "url"],
    [{ channelType: "webhook", url: "not an address" }, "url"],
    [{ channelType: "chat" }, "chatWebhookUrl"],
    [{ channelType: "chat", chatWebhookUrl: "javascript:alert(1)" }, "chatWebhookUrl"],
    [{ channelType: "chat", chatWebhookUrl: "https://chat.example.com/", displayLabel: "a\r\nb" }, "displayLabel"],
    [{ channelType: "pigeon" }, "channelType"],
    [{ channelType: "email", recipients: ["a@example.com"], triggers: [] }, "triggers"],
    [{ channelType: "email", recipients: ["a@example.com"], triggers: ["cancelled"] }, "triggers.0"],
    [{ channelType: "email", recipients: ["a@example.com"], resourceType: "dashboard" }, "resourceType"],
    [{ channelType: "email", recipients: ["a@example.com"], resourceId: "zz" }, "resourceId"],
  ])("is 400 for %j, naming %s", async (body, path) => {
    const before = await collections.notificationRules().countDocuments();
    const answer = await add(body);
    expect([answer.status, answer.json.code, answer.json.details[0].path]).toEqual([400, "invalid_request", path]);
    expect(await collections.notificationRules().countDocuments()).toBe(before);
  });

  it("accepts a host name that does not resolve now: each send looks it up", async () => {
    expect((await add({ channelType: "webhook", url: "https://nowhere.invalid/hook" })).status).toBe(201);
  });

  it("is managed by owners, admins and every key; a member can read it", async () => {
    const admin = await seedMember(owner.workspaceId, "admin");
    const memberKey = await seedKey(owner.workspaceId, member);
    const email = { channelType: "email", recipients: ["a@example.com"] };
    expect((await add(email, member)).status).toBe(403);
    expect((await add(email, admin)).status).toBe(201);
    const made = await add(email, { key: memberKey });
    expect([made.status, made.json.data.createdBy]).toEqual([201, member.id]);
    const { id } = made.json.data;
    expect((await change(id, { enabled: false }, member)).status).toBe(403);
    expect((await call("DELETE", `${base}/notification-rules/${id}`, { cookie: member.cookie })).status).toBe(403);
    expect((await list(resource, member)).json.data.map((rule: { id: string }) => rule.id)).toContain(id);
    expect((await call("DELETE", `${base}/notification-rules/${id}`, { key: memberKey })).status).toBe(200);
    expect((await call("DELETE", `${base}/notification-rules/${id}`, { key: memberKey })).status).toBe(404);
  });

  it("can't be on an invisible resource: another's private console is missing (T86)", async () => {
    const hidden = await addConsole(member, undefined, "private");
    const missing = new ObjectId().toHexString();
    const email = { channelType: "email", recipients: ["a@example.com"] };
    const ask = async (resourceId: string) => [
      await add({ ...email, resourceId }),
      await list({ ...resource, resourceId }),
      await call("GET", `${base}/notification-rules/deliveries?resourceType=scheduled_query&resourceId=${resourceId}`, {
        cookie: owner.cookie,
      }),
      await call("POST", `${base}/notification-rules/test`, {
        cookie: owner.cookie,
        body: { ...resource, ...email, resourceId },
      }),
    ];
    const [ofHidden, ofMissing] = [await ask(hidden), await ask(missing)];
    expect(ofHidden.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(ofHidden.map(({ text }) => text)).toEqual(ofMissing.map(({ text }) => text));
    expect((await add({ ...email, resourceType: "flow", resourceId: missing })).status).toBe(404);
    // The owner's API key may.
    const key = await seedKey(owner.workspaceId, member);
    const made = await add({ ...email, resourceId: hidden }, { key });
    expect(made.status).toBe(201);
    const { id } = made.json.data;
    expect((await change(id, { enabled: false })).status).toBe(404);
    const all = await call("GET", `${base}/notifications/rules?limit=200`, { cookie: owner.cookie });
    expect(all.json.data.items.map((rule: { id: string }) => rule.id)).not.toContain(id);
    const theirs = await call("GET", `${base}/notifications/rules?limit=200`, { cookie: member.cookie });
    expect(theirs.json.data.items.map((rule: { id: string }) => rule.id)).toContain(id);
  });

  it("is limited per resource, also with concurrent requests", async () => {
    const resourceId = await addConsole(owner);
    const email = { channelType: "email", recipients: ["a@example.com"], resourceId };
    for (let i = 0; i < RULES_PER_RESOURCE_MAX - 5; i += 1) await add(email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(email)));
    const made = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - made);
    expect(made).toBeLessThanOrEqual(5);
    // Concurrent requests may all be rejected; sequential ones succeed up to the limit.
    for (let i = made; i < 5; i += 1) expect((await add(email)).status).toBe(201);
    expect((await add(email)).status).toBe(409);
    const { length } = (await list({ ...resource, resourceId, limit: "200" })).json.data;
    expect(length).toBe(RULES_PER_RESOURCE_MAX);
  });
});

describe("a change of a rule", () => {
  it("keeps omitted fields, the secret too", async () => {
    const { id, signingSecretOnce } = (await add({ channelType: "webhook", url: `${receiver.url}/one` })).json.data;
    const moved = await change(id, { url: `${receiver.url}/two`, channelType: "webhook" });
    expect(moved.json.data).toMatchObject({ enabled: true, triggers: both });
    expect(moved.json.data).not.toHaveProperty("signingSecretOnce");
    expect(await opened(id)).toEqual({ type: "webhook", url: `${receiver.url}/two`, secret: signingSecretOnce });
    const paused = await change(id, { enabled: false, triggers: ["failure"] });
    expect(paused.json.data).toMatchObject({ enabled: false, triggers: ["failure"] });
    expect(await opened(id)).toEqual({ type: "webhook", url: `${receiver.url}/two`, secret: signingSecretOnce });
  });

  it.each([
    { rotateWebhookSecret: true },
    { channelType: "webhook", url: "https://hooks.example.com/same", rotateWebhookSecret: true },
  ])("rotates the secret by %j, returned once", async (body) => {
    const made = (await add({ channelType: "webhook", url: "https://hooks.example.com/same" })).json.data;
    const { signingSecretOnce } = (await change(made.id, body)).json.data;
    expect(signingSecretOnce).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(signingSecretOnce).not.toBe(made.signingSecretOnce);
    expect(await opened(made.id)).toMatchObject({ secret: signingSecretOnce });
    expect((await change(made.id, { rotateWebhookSecret: false })).json.data).not.toHaveProperty("signingSecretOnce");
  });

  it("to another channel requires its fields, and a new webhook returns its secret", async () => {
    const { id } = (await add({ channelType: "email", recipients: ["a@example.com"] })).json.data;
    const bare = await change(id, { channelType: "webhook" });
    expect([bare.status, bare.json.details[0].path]).toEqual([400, "url"]);
    expect((await change(id, { channelType: "chat", url: "https://hooks.example.com/" })).status).toBe(400);
    const switched = await change(id, { channelType: "webhook", url: "https://hooks.example.com/" });
    expect(switched.json.data).toMatchObject({
      channelType: "webhook",
      channel: { urlPreview: "https://hooks.example.com", hasSecret: true },
      signingSecretOnce: expect.any(String),
    });
    // The fields of the previous channel were deleted.
    expect((await change(id, { channelType: "email" })).status).toBe(400);
  });

  it("loses none of many concurrent ones", async () => {
    const { id } = (await add({ channelType: "email", recipients: ["a@example.com"] })).json.data;
    const answers = await Promise.all([
      change(id, { enabled: false }),
      change(id, { triggers: ["failure"] }),
      change(id, { recipients: ["b@example.com"] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored(id)).toMatchObject({
      enabled: false,
      triggers: ["failure"],
      channel: { type: "email", recipients: ["b@example.com"] },
      revision: 4,
    });
  });
});

describe("private addresses", () => {
  it.each(["http://169.254.169.254/latest", "http://[fe80::1]/", "http://metadata.google.internal/"])(
    "%s is rejected on save, change and test (T30, T82)",
    async (address) => {
      const { id } = (await add({ channelType: "email", recipients: ["a@example.com"] })).json.data;
      const asWebhook = { channelType: "webhook", url: address };
      const asChat = { channelType: "chat", chatWebhookUrl: address };
      const test = (body: object) =>
        call("POST", `${base}/notification-rules/test`, { cookie: owner.cookie, body: { ...resource, ...body } });
      for (const answer of [
        await add(asWebhook),
        await add(asChat),
        await change(id, asWebhook),
        await change(id, asChat),
        await test(asWebhook),
        await test(asChat),
      ]) {
        expect([answer.status, answer.json.code]).toEqual([400, "address_refused"]);
      }
    },
  );
});

describe("secrets of rules (T76, T85)", () => {
  it("are encrypted, survive a key rotation, and are in no response, log or event", async () => {
    const log = captureLog();
    const resourceId = await addConsole(owner);
    const of = { resourceType: "scheduled_query", resourceId };
    const hidden = ["hidden-path-1f2e3d", "hidden-chat-9a8b7c"];
    const hook = await add({ ...of, channelType: "webhook", url: `${receiver.url}/${hidden[0]}/in` });
    const secret = hook.json.data.signingSecretOnce;
    await add({ ...of, channelType: "chat", chatWebhookUrl: `${receiver.url}/${hidden[1]}/in` });
    receiver.answer = ({ url = "" }, response) => {
      // Some receivers repeat the request, and some even their own settings.
      const settings = url.includes(hidden[0] ?? "") ? secret : "";
      response.writeHead(500).end(`no ${url}, no ${receiver.url}${url}, no ${settings}`);
    };
    await endRun({ workspaceId: owner.workspaceId, consoleId: resourceId }, { status: "failure", error: "boom" });
    await clock.drain();
    const reads = [
      `/notification-rules?${new URLSearchParams(of)}`,
      `/notification-rules/deliveries?${new URLSearchParams(of)}`,
      "/notifications/rules",
      "/notifications/deliveries",
    ];
    const answers = await Promise.all(
      [owner, member].flatMap(({ cookie }) => reads.map((path) => call("GET", base + path, { cookie }))),
    );
    const [delivery] = answers[1]?.json.data ?? [];
    answers.push(await call("GET", `${base}/notification-rules/deliveries/${delivery.id}`, { cookie: member.cookie }));
    answers.push(await change(hook.json.data.id, { enabled: false }));
    for (const each of answers) expect(each.status).toBe(200);
    const seen = [
      ...answers.map(({ text }) => text),
      await dumpDatabase(),
      JSON.stringify(clock.events),
      log.text(),
    ].join("\n");
    for (const marker of [...hidden, secret, secret.slice("whsec_".length)]) expect(seen.includes(marker)).toBe(false);
  });

  it("decrypt after a key rotation (T45)", async () => {
    const { id, signingSecretOnce } = (await add({ channelType: "webhook", url: `${receiver.url}/sealed` })).json.data;
    const before = await stored(id);
    const [current] = getSecrets().encryptionKeys;
    const ring = [{ id: "next", key: Buffer.alloc(32, 9) }, current as NonNullable<typeof current>];
    const counts = await rotateSealedFields({ ring });
    expect(counts.find(({ name }) => name === "notification rules")?.resealed).toBeGreaterThanOrEqual(2);
    expect(await stored(id)).not.toEqual(before);
    const back = await rotateSealedFields({ ring: [...ring].reverse() });
    expect(back.find(({ name }) => name === "notification rules")?.unreadable).toEqual([]);
    expect(await opened(id)).toEqual({ type: "webhook", url: `${receiver.url}/sealed`, secret: signingSecretOnce });
  });
});

describe("deletion", () => {
  it("deletes the rules of a console or folder; they are not restored with it", async () => {
    const resourceId = await addConsole(owner);
    const email = { channelType: "email", recipients: ["a@example.com"] };
    const { id } = (await add({ ...email, resourceId })).json.data;
    const folder = await call("POST", `${base}/consoles/folders`, {
      cookie: owner.cookie,
      body: { name: `F ${id}`, access: "workspace" },
    });
    const inFolder = await call("POST", `${base}/consoles`, {
      cookie: owner.cookie,
      body: { name: "x", content: "", folderId: folder.json.data.id },
    });
    const second = (await add({ ...email, resourceId: inFolder.json.data.id })).json.data.id;
    const kept = (await add(email)).json.data.id;
    await call("DELETE", `${base}/consoles/${resourceId}`, { cookie: owner.cookie });
    await call("DELETE", `${base}/consoles/folders/${folder.json.data.id}?recursive=true`, { cookie: owner.cookie });
    expect([await stored(id), await stored(second)]).toEqual([null, null]);
    expect(await stored(kept)).not.toBeNull();
    await call("POST", `${base}/consoles/${resourceId}/restore`, { cookie: owner.cookie, body: {} });
    expect((await list({ ...resource, resourceId })).json.data).toEqual([]);
  });

  it("leaves no rule added at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const resourceId = await addConsole(owner);
      const email = { channelType: "email", recipients: ["a@example.com"], resourceId };
      await Promise.all([
        ...Array.from({ length: 5 }, () => add(email)),
        call("DELETE", `${base}/consoles/${resourceId}`, { cookie: owner.cookie }),
      ]);
      expect(await collections.notificationRules().countDocuments({ resourceId: new ObjectId(resourceId) })).toBe(0);
    }
  });
});

describe("lists", () => {
  it("of one resource require its ID", async () => {
    for (const path of ["/notification-rules", "/notification-rules/deliveries"]) {
      for (const query of [
        "",
        `?resourceType=scheduled_query`,
        `?resourceId=${consoleId}`,
        "?resourceType=x&resourceId=y",
      ]) {
        const answer = await call("GET", base + path + query, { cookie: owner.cookie });
        expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
      }
    }
  });

  it("of the workspace have each rule with its last delivery, and filters", async () => {
    receiver.answer = (_, response) => void response.writeHead(204).end();
    const resourceId = await addConsole(owner);
    const made = await add({ resourceId, channelType: "webhook", url: `${receiver.url}/last` });
    const where = { workspaceId: owner.workspaceId, consoleId: resourceId };
    await endRun(where);
    const last = await endRun(where);
    await clock.drain();
    const rules = await call("GET", `${base}/notifications/rules?channelType=webhook&limit=1`, {
      cookie: owner.cookie,
    });
    expect(rules.json.data.items).toMatchObject([
      { id: made.json.data.id, lastDelivery: { runId: last._id.toHexString(), status: "sent" } },
    ]);
    const deliveries = async (query: string) =>
      (await call("GET", `${base}/notifications/deliveries?${query}`, { cookie: owner.cookie })).json.data.items;
    const id = made.json.data.id;
    expect(await deliveries(`ruleId=${id}&status=sent&channelType=webhook`)).toHaveLength(2);
    expect(await deliveries(`ruleId=${id}&status=failed`)).toEqual([]);
    expect(await deliveries(`ruleId=${id}&channelType=chat`)).toEqual([]);
  });
});
