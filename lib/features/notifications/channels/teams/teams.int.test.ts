import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { answerWith, type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { dumpDatabase } from "@/test/security/dump";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedPerson } from "@/test/seed";
import { attemptDelivery } from "../../attempts";

// The stand-in of Teams is on this machine, without TLS.
process.env.ALLOW_PRIVATE_NETWORK = "all";
process.env.PUBLIC_URL = "https://data.example.com";
const own = takeOwnDatabase();
let clock = takeJobEvents();
let receiver: Receiver;
let owner: Person;
let base: string;
const SIGNATURE = "KODuebWbDGYFr0z0eu6Rj8aUKz7108W3wrNJZxFE5A";
const addressOf = (path: string) =>
  `${receiver.url}/workflows/${path}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sig=${SIGNATURE}`;

beforeAll(async () => {
  receiver = await startReceiver(answerWith(202));
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
});
afterEach(() => {
  receiver.answer = answerWith(202);
  receiver.hits.length = 0;
  clock = takeJobEvents();
});
afterAll(async () => {
  await own.drop();
  await receiver.close();
});

const send = (method: string, path: string, body?: object) =>
  call(method, `${base}${path}`, { cookie: owner.cookie, ...(body && { body }) });
async function addRule(more: object = {}) {
  const consoleId = await addConsole(owner);
  const resource = { resourceType: "scheduled_query", resourceId: consoleId };
  const channel = { channelType: "teams", teamsWebhookUrl: addressOf("a1") };
  const answer = await send("POST", "/notification-rules", {
    ...resource,
    triggers: ["success", "failure"],
    ...channel,
    ...more,
  });
  expect([answer.status, answer.json.error]).toEqual([201, undefined]);
  return { rule: answer.json.data, resource, where: { workspaceId: owner.workspaceId, consoleId } };
}
const deliveriesOf = async (ruleId: string) =>
  (await send("GET", `/notifications/deliveries?ruleId=${ruleId}&channelType=teams`)).json.data.items;
const cardOf = (at = -1) => JSON.parse(receiver.hits.at(at)?.raw.toString() ?? "{}");

describe("a rule of Microsoft Teams", () => {
  it("shows its name and host, and is listed and changed like any other", async () => {
    const { rule, resource } = await addRule({ displayLabel: "Finance" });
    const { host } = new URL(receiver.url);
    expect(rule).toMatchObject({ channelType: "teams", channel: { displayLabel: "Finance", host } });
    expect(rule).not.toHaveProperty("signingSecretOnce");
    const renamed = await send("PATCH", `/notification-rules/${rule.id}`, { displayLabel: "" });
    expect(renamed.json.data.channel).toEqual({ displayLabel: null, host });
    const listed = await send("GET", `/notification-rules?${new URLSearchParams(resource)}`);
    expect(listed.json.data).toEqual([{ ...renamed.json.data }]);
    const bare = await send("PATCH", `/notification-rules/${rule.id}`, { channelType: "chat" });
    expect([bare.status, bare.json.details[0].path]).toEqual([400, "chatWebhookUrl"]);
    const moved = await send("PATCH", `/notification-rules/${rule.id}`, {
      channelType: "webhook",
      url: `${receiver.url}/in`,
    });
    expect(moved.json.data.signingSecretOnce).toMatch(/^whsec_/);
    const back = await send("PATCH", `/notification-rules/${rule.id}`, { channelType: "teams" });
    expect([back.status, back.json.details[0].path]).toEqual([400, "teamsWebhookUrl"]);
  });

  it("posts a card when a run ends", async () => {
    const { rule, where } = await addRule();
    const run = await endRun(where, { status: "failure", error: "relation *orders* is gone" });
    await clock.drain();
    expect(receiver.hits.map(({ path }) => path)).toEqual([
      new URL(addressOf("a1")).pathname + new URL(addressOf("a1")).search,
    ]);
    const [attachment] = cardOf().attachments;
    expect(attachment.contentType).toBe("application/vnd.microsoft.card.adaptive");
    expect(attachment.content).toMatchObject({ type: "AdaptiveCard", version: "1.4" });
    expect(attachment.content.actions[0].url).toContain(run._id.toHexString());
    expect(JSON.stringify(attachment.content.body)).toContain("relation *orders* is gone");
    expect(await deliveriesOf(rule.id)).toMatchObject([{ channelType: "teams", status: "sent", httpStatus: 202 }]);
  });

  it("is tested, saved or not", async () => {
    const { rule, resource } = await addRule();
    const saved = await send("POST", "/notification-rules/test", { ruleId: rule.id, trigger: "failure" });
    expect(saved.json.data).toEqual({ delivered: true, httpStatus: 202 });
    expect(cardOf().summary).toContain("✗ Test: ");
    const body = { ...resource, channelType: "teams", teamsWebhookUrl: addressOf("b2") };
    expect((await send("POST", "/notification-rules/test", body)).json.data.delivered).toBe(true);
    expect(receiver.hits).toHaveLength(2);
    const bare = await send("POST", "/notification-rules/test", { ...resource, channelType: "teams" });
    expect([bare.status, bare.json.details[0].path]).toEqual([400, "teamsWebhookUrl"]);
  });
});

describe("a rejection by Teams", () => {
  it("is retried after Retry-After", async () => {
    const { where } = await addRule();
    receiver.answer = answerWith(429, { "Retry-After": "180" });
    const run = await endRun(where);
    await clock.step();
    const delivery = await collections.deliveries().findOne({ runId: run._id });
    const result = await attemptDelivery(new ObjectId(owner.workspaceId), delivery?._id ?? new ObjectId());
    expect(result).toMatchObject({ state: "retry", error: "The receiver returned 429.", afterMs: 180_000 });
  });

  it.each([429, 413])("of status %i inside a 200 response is a failed attempt", async (status) => {
    const { rule, where } = await addRule();
    const refusal = `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0`;
    receiver.answer = answerWith(200, {}, refusal);
    await endRun(where);
    await clock.drain();
    expect(receiver.hits).toHaveLength(6);
    expect(await deliveriesOf(rule.id)).toMatchObject([
      { status: "failed", httpStatus: status, lastError: `The receiver returned ${status}.` },
    ]);
  });
});

describe("the signature of a Teams URL (T85)", () => {
  it("is in no response, log, event or stored text, whatever the receiver repeats", async () => {
    const log = captureLog();
    const { rule, resource, where } = await addRule();
    receiver.answer = ({ url = "" }, response) =>
      void response.writeHead(500).end(`no ${url}, no ${receiver.url}${url}, no sig=${SIGNATURE}, no "${SIGNATURE}"`);
    await endRun(where);
    await clock.drain();
    const [delivery] = await deliveriesOf(rule.id);
    const responses = await Promise.all([
      send("GET", `/notification-rules?${new URLSearchParams(resource)}`),
      send("GET", "/notifications/rules"),
      send("GET", `/notification-rules/deliveries/${delivery.id}`),
      send("PATCH", `/notification-rules/${rule.id}`, { enabled: false }),
      send("POST", "/notification-rules/test", { ruleId: rule.id }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(responses[2]?.json.data.attemptLog[0].snippet).toContain("no ***");
    const texts = [
      ...responses.map(({ text }) => text),
      await dumpDatabase(),
      JSON.stringify(clock.events),
      log.text(),
    ];
    expect(texts.filter((text) => text.includes(SIGNATURE))).toEqual([]);
  });
});
