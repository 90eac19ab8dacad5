import { createHmac, randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withDataSource } from "@/lib/features/connections/pool";
import { collections } from "@/lib/features/instance/collections";
import type { HeldRun } from "@/lib/features/runs/execute";
import type { RunDoc } from "@/lib/features/runs/model";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Answer, call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { seedMember } from "@/test/seed";
import type { FlowDoc } from "./model";
import { Progress } from "./progress";
import { moveEvents, queuePendingEvents } from "./webhook-batch";

const own = takeOwnDatabase();
let ana: FlowAuthor;
let into = "";
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  into = await ana.file("sqlite");
}, 120_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await own.drop();
});

type Hook = { flowId: string; url: string; path: string; secret: string; table: string };
let tables = 0;

async function open(body: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Promise<Hook> {
  const table = `events_${tables++}`;
  const destination = { connectionId: into, table, write: "append" };
  const { flow, run } = await ana.make({ type: "webhook", destination, trigger: true, ...more });
  expect([flow.source, run]).toEqual([null, null]);
  return { flowId: flow.id, table, ...(await provision(flow.id, body)) };
}

async function provision(flowId: string, body: Record<string, unknown> = {}) {
  const answer = await ana.send("POST", `/flows/${flowId}/webhook/provision`, body);
  expect([answer.status, answer.json.error]).toEqual([201, undefined]);
  const { url, secret, signatureHeader, provisionedAt } = answer.json.data;
  expect([signatureHeader, secret]).toEqual(["X-Service-Signature", expect.stringMatching(/^whsec_[0-9a-f]{64}$/)]);
  expect(Date.parse(provisionedAt)).toBeGreaterThan(0);
  return { url, path: new URL(url).pathname, secret };
}

const plain = (secret: string, body: string) => createHmac("sha256", secret).update(body).digest("hex");
const send = (path: string, rawBody: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call("POST", path, { rawBody, headers });
const sendPlain = ({ path, secret }: Hook, body: string) =>
  send(path, body, { "x-service-signature": plain(secret, body) });
const stats = async ({ flowId }: Hook) => (await ana.send("GET", `/flows/${flowId}/webhook/stats`)).json.data;
const rows = (hook: Hook) => ana.sql(into, `select event_id, payload from ${hook.table} order by event_id`);

/** Executes a run of a webhook flow up to its end, without ending it, as before a crash. */
async function startOf(flow: FlowDoc, run: RunDoc): Promise<void> {
  const held = { run, report: async () => {}, log: async () => {} } as unknown as HeldRun;
  const connection = await collections.connections().findOne({ _id: new ObjectId(into) });
  if (!connection) throw new Error("The destination is missing.");
  await withDataSource(connection, (destination) =>
    moveEvents(flow, run, {
      destination,
      progress: new Progress(held, ["events"]),
      signal: new AbortController().signal,
    }),
  );
}

describe("viewers", () => {
  it("are told of rejected events too, once per burst", async () => {
    const hook = await open();
    const flow = { kind: "run", "data.resourceId": hook.flowId } as const;
    const told = () => collections.events().countDocuments(flow);
    // One event for the new flow, one for its new address.
    await expect.poll(told).toBe(2);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(hook.path, "{}")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    await expect.poll(told, { timeout: 30_000 }).toBeGreaterThan(2);
    expect(await told()).toBeLessThan(6);
  });
});

describe("an event", () => {
  it("is accepted once stored, and becomes a row of the destination", async () => {
    const hook = await open();
    const body = JSON.stringify({ id: "evt_1", type: "paid", amount: 12345678901234567890n.toString(), note: "ü" });
    const answer = await sendPlain(hook, body);
    expect([answer.status, answer.json.data]).toEqual([202, { accepted: true }]);
    expect(await stats(hook)).toMatchObject({ received: 1, accepted: 1, pending: 1, processed: 0, url: hook.url });
    await ana.runJobs();
    expect(await rows(hook)).toEqual([{ event_id: "evt_1", payload: expect.anything() }]);
    expect(JSON.parse(String((await rows(hook))[0]?.payload))).toEqual(JSON.parse(body));
    const shown = await stats(hook);
    expect(shown).toMatchObject({
      received: 1,
      accepted: 1,
      rejected: 0,
      duplicates: 0,
      pending: 0,
      processed: 1,
      failed: 0,
    });
    expect([shown.last24h.length, shown.last24h.at(-1).count]).toEqual([24, 1]);
    expect(shown.lastReceivedAt).not.toBeNull();
    const { lastRun } = (await ana.send("GET", `/flows/${hook.flowId}`)).json.data;
    expect(lastRun).toMatchObject({ status: "success", triggerType: "webhook", triggeredBy: null, rowCount: 1 });
  });

  it("is signed by the stock libraries of Standard Webhooks and Svix", async () => {
    const hook = await open();
    const body = JSON.stringify({ hello: "wörld" });
    const at = new Date();
    const timestamp = String(Math.floor(at.getTime() / 1000));
    for (const [prefix, signature] of [
      ["webhook", new StandardWebhook(hook.secret).sign("msg_1", at, body)],
      ["svix", new SvixWebhook(hook.secret).sign("msg_2", at, body)],
    ] as const) {
      const id = prefix === "svix" ? "msg_2" : "msg_1";
      const headers = {
        [`${prefix}-id`]: id,
        [`${prefix}-timestamp`]: timestamp,
        [`${prefix}-signature`]: `v1,bm90 ${signature}`,
      };
      expect((await send(hook.path, body, headers)).json.data).toEqual({ accepted: true });
    }
    await ana.runJobs();
    expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["msg_1", "msg_2"]);
  });

  it("without a valid signature is 401 and no run (T70)", async () => {
    const [hook, other] = [await open(), await open()];
    const body = '{"id":"forged"}';
    const right = plain(hook.secret, body);
    const at = new Date();
    const standard = (signature: string) => ({
      "webhook-id": "m",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signature,
    });
    const signed = new StandardWebhook(hook.secret).sign("m", at, body);
    const attempts: [string, Record<string, string>][] = [
      [body, {}],
      [body, { "x-service-signature": "" }],
      [body, { "x-service-signature": right.slice(1) }],
      [body, { "x-service-signature": `${right.startsWith("0") ? "1" : "0"}${right.slice(1)}` }],
      [body, { "x-service-signature": plain(other.secret, body) }],
      [body.replace("forged", "forgex"), { "x-service-signature": right }],
      [body, standard("")],
      [body, standard(new StandardWebhook(other.secret).sign("m", at, body))],
      [`${body} `, standard(signed)],
      [body, { ...standard(signed), "webhook-id": "n" }],
      // A valid plain signature does not make up for an invalid standard one.
      [body, { ...standard("v1,bm9uZQ=="), "x-service-signature": right }],
    ];
    for (const [text, headers] of attempts) {
      const answer = await send(hook.path, text, headers);
      expect([answer.status, answer.json.code]).toEqual([401, "unauthenticated"]);
    }
    expect(await stats(hook)).toMatchObject({
      received: attempts.length,
      rejected: attempts.length,
      accepted: 0,
      pending: 0,
    });
    expect((await ana.send("GET", `/flows/${hook.flowId}/runs`)).json.data.items).toEqual([]);
  });

  it("with a signature six minutes old, or early, is 401 (T71)", async () => {
    const hook = await open();
    for (const [minutes, status] of [[-6, 401], [6, 401], [-4, 202], [4, 202]] as const) {
      const at = new Date(Date.now() + minutes * 60_000);
      const id = randomUUID();
      const answer = await send(hook.path, "{}", {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new StandardWebhook(hook.secret).sign(id, at, "{}"),
      });
      expect([minutes, answer.status]).toEqual([minutes, status]);
    } // biome-ignore format: four cases
    await ana.runJobs();
  });

  it("that is repeated, also concurrently, is one row (T71)", async () => {
    const hook = await open();
    const bodies = ['{"id":"a"}', '{"id":7}', '{"id":"a"}'];
    const answers = await Promise.all([...bodies, ...bodies, ...bodies].map((body) => sendPlain(hook, body)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(9).fill(202));
    expect(answers.filter(({ json }) => json.data.duplicate)).toHaveLength(7);
    await ana.runJobs();
    expect((await sendPlain(hook, '{"id":"a"}')).json.data).toEqual({ duplicate: true });
    expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["7", "a"]);
    expect(await stats(hook)).toMatchObject({ received: 10, accepted: 2, duplicates: 8, processed: 2 });
    // Without an id none counts as a repeat.
    for (const _ of [1, 2]) expect((await sendPlain(hook, "[1]")).json.data).toEqual({ accepted: true });
    await ana.runJobs();
    expect(await rows(hook)).toHaveLength(4);
  });

  it("is JSON of at most 1 MiB, unchanged (T72)", async () => {
    const hook = await open();
    const deep = "[".repeat(65) + "]".repeat(65);
    const attempts: [string, number, Record<string, string>?][] = [
      ["{", 400],
      ["", 400],
      [deep, 400],
      ['{"__proto__":{"a":1}}', 400],
      [JSON.stringify("x".repeat(1_153_434)), 413],
      ["{}", 415, { "content-encoding": "gzip" }],
    ];
    for (const [body, status, headers = {}] of attempts) {
      const answer = await send(hook.path, body, { "x-service-signature": plain(hook.secret, body), ...headers });
      expect([body.slice(0, 20), answer.status]).toEqual([body.slice(0, 20), status]);
    }
    expect(await stats(hook)).toMatchObject({ received: attempts.length, rejected: attempts.length });
  });

  it("may be unsigned if allowed, and only of accepted types", async () => {
    const hook = await open({ verifySignature: false, events: ["paid"] });
    expect((await send(hook.path, '{"type":"paid"}')).json.data).toEqual({ accepted: true });
    expect((await send(hook.path, '{"event":"paid"}')).json.data).toEqual({ accepted: true });
    expect((await send(hook.path, '{"type":"made"}')).json.data).toEqual({ ignored: true });
    expect((await send(hook.path, '{"type":"paid"}', { "x-service-signature": "00" })).status).toBe(401);
    expect(await stats(hook)).toMatchObject({ received: 4, accepted: 2, rejected: 2 });
    await ana.runJobs();
  });
});

describe("the URL of a webhook flow", () => {
  it("is created by an admin, and a new one ends the old one (T74)", async () => {
    const hook = await open();
    const member = await seedMember(ana.person.workspaceId, "member");
    const path = `${ana.home}/flows/${hook.flowId}/webhook`;
    expect((await call("POST", `${path}/provision`, { cookie: member.cookie, body: {} })).status).toBe(403);
    const seen = (await call("GET", `${path}/stats`, { cookie: member.cookie })).json.data.url;
    expect(hook.url.startsWith(seen.replace("...", ""))).toBe(true);
    expect(seen.length).toBeLessThan(hook.url.length - 20);
    const next = { ...hook, ...(await provision(hook.flowId, { tokenHash: "x", accepted: 7 })) };
    expect((await sendPlain(hook, "{}")).status).toBe(404);
    expect((await sendPlain({ ...next, secret: hook.secret }, "{}")).status).toBe(401);
    expect((await sendPlain(next, "{}")).status).toBe(202);
    expect(await stats(next)).toMatchObject({ accepted: 1, rejected: 1 });
    const doc = await collections.flowWebhooks().findOne({ _id: new ObjectId(hook.flowId) });
    const token = next.path.split("/").at(-1) ?? "";
    for (const kept of [JSON.stringify(doc), JSON.stringify((await ana.send("GET", `/flows/${hook.flowId}`)).json)]) {
      expect(kept).not.toContain(token);
      expect(kept).not.toContain(next.secret);
    }
    await ana.runJobs();
  });

  it("ends with its flow, and no other flow has one", async () => {
    const hook = await open();
    expect((await ana.send("DELETE", `/flows/${hook.flowId}`)).status).toBe(200);
    expect((await sendPlain(hook, "{}")).status).toBe(404);
    const unknown = await send("/api/webhooks/unknown", "{}");
    expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
    for (const token of ["x".repeat(2000), "%00", "..%2f..", "%E2%98%83"]) {
      expect((await send(`/api/webhooks/${token}`, "{}")).text).toBe(unknown.text);
    }
    const { flow } = await ana.make({
      type: "query",
      source: { connectionId: into, query: "select 1 as a" },
      destination: { connectionId: into, write: "append" },
    });
    expect((await ana.send("POST", `/flows/${flow.id}/webhook/provision`, {})).status).toBe(400);
    expect((await ana.send("GET", `/flows/${flow.id}/webhook/stats`)).status).toBe(400);
  });

  describe("a flood of events", () => {
    beforeEach(() => {
      process.env.RATE_LIMIT_SCALE = "1";
    });

    it("stores what fits and rejects the rest (T73)", async () => {
      const hook = await open();
      const answers: Answer[] = [];
      for (let round = 0; round < 10; round += 1) {
        const bodies = Array.from({ length: 100 }, (_, index) => `{"id":"${round}-${index}"}`);
        answers.push(...(await Promise.all(bodies.map((body) => sendPlain(hook, body)))));
      }
      const taken = answers.filter(({ status }) => status === 202).length;
      const refused = answers.filter(({ status }) => status === 429);
      expect(taken + refused.length).toBe(1000);
      expect(taken).toBeGreaterThanOrEqual(600);
      expect(refused.length).toBeGreaterThan(0);
      expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await stats(hook)).toMatchObject({ received: taken, accepted: taken, pending: taken });
      await ana.runJobs();
      expect(await rows(hook)).toHaveLength(taken);
      const { items } = (await ana.send("GET", `/flows/${hook.flowId}/runs`)).json.data;
      expect(items.map(({ rowCount }: { rowCount: number }) => rowCount).sort((a: number, b: number) => b - a)[0]).toBe(
        500,
      );
    }, 180_000);
  });
});

describe("received events", () => {
  type Arrived = { id: string; status: string; eventId: string | null; type: string | null; runId: string | null };
  const arrivals = async ({ flowId }: Hook, query = "") => {
    const answer = await ana.send("GET", `/flows/${flowId}/webhook/events${query}`);
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    return answer.json.data as { items: (Arrived & Record<string, unknown>)[]; nextCursor: string | null };
  };

  it("are listed by outcome, newest first, a rejected one with its sender and start", async () => {
    const hook = await open();
    const body = '{"id":"evt_1","type":"parcel.scanned"}';
    await sendPlain(hook, body);
    expect((await arrivals(hook)).items).toMatchObject([{ status: "waiting", eventId: "evt_1", runId: null }]);
    await ana.runJobs();
    const { lastRun } = (await ana.send("GET", `/flows/${hook.flowId}`)).json.data;
    await sendPlain(hook, body);
    const forged = `{"forged":"${"x".repeat(2000)}\u0000"}`;
    await send(hook.path, forged, { "x-service-signature": "00", "user-agent": `curl ${"y".repeat(500)}` });
    const { items, nextCursor } = await arrivals(hook);
    expect(nextCursor).toBeNull();
    expect(items).toMatchObject([
      {
        status: "refused",
        eventId: null,
        type: null,
        bytes: forged.length,
        reason: expect.stringMatching(/signature/),
      },
      { status: "repeat", eventId: "evt_1", type: "parcel.scanned", runId: null },
      { status: "written", eventId: "evt_1", type: "parcel.scanned", bytes: body.length, runId: lastRun.id },
    ]);
    expect(String(items[0]?.snippet)).toHaveLength(500);
    expect(String(items[0]?.agent)).toHaveLength(120);
    expect(JSON.stringify(items)).not.toContain(hook.secret);
    expect((await arrivals(hook, "?status=repeat")).items.map(({ status }) => status)).toEqual(["repeat"]);
    expect((await arrivals(hook, "?status=refused")).items.map(({ status }) => status)).toEqual(["refused"]);
    expect((await arrivals(hook, "?eventId=evt_1")).items.map(({ status }) => status)).toEqual(["repeat", "written"]);
    expect((await arrivals(hook, "?eventId=none")).items).toEqual([]);
    const first = await arrivals(hook, "?limit=2");
    const rest = await arrivals(hook, `?limit=2&cursor=${first.nextCursor}`);
    expect([...first.items, ...rest.items]).toEqual(items);
  });

  it("include the newest 200 rejections of any number (T73)", { tags: ["long"], timeout: 60_000 }, async () => {
    const hook = await open();
    const _id = new ObjectId(hook.flowId);
    await collections.flowWebhooks().updateOne({ _id }, { $set: { rejected: 195 } });
    for (let n = 0; n < 210; n += 1) await send(hook.path, `{"n":${n}}`);
    expect(await collections.flowRefusals().countDocuments({ flowId: _id })).toBe(200);
    const { items } = await arrivals(hook, "?limit=200");
    expect(items.map(({ snippet }) => JSON.parse(String(snippet)).n)).toEqual(
      Array.from({ length: 200 }, (_, i) => 209 - i),
    );
    expect((await ana.send("DELETE", `/flows/${hook.flowId}`)).status).toBe(200);
    expect(await collections.flowRefusals().countDocuments({ flowId: _id })).toBe(0);
  });

  it("include an admin's test, sent through the same endpoint", async () => {
    const hook = await open({ events: ["parcel.scanned"] });
    const path = `${ana.home}/flows/${hook.flowId}/webhook/test`;
    const member = await seedMember(ana.person.workspaceId, "member");
    expect((await call("POST", path, { cookie: member.cookie, body: {} })).status).toBe(403);
    const answer = await ana.send("POST", `/flows/${hook.flowId}/webhook/test`, {});
    expect([answer.status, answer.json.data]).toEqual([202, { accepted: true }]);
    await ana.runJobs();
    const [arrived] = (await arrivals(hook)).items;
    expect(arrived).toMatchObject({
      status: "written",
      type: "parcel.scanned",
      eventId: expect.stringMatching(/^test_/),
    });
    expect(JSON.parse(String((await rows(hook))[0]?.payload))).toMatchObject({ test: true, type: "parcel.scanned" });
    const destination = { connectionId: into, table: `events_${tables++}`, write: "append" };
    const { flow } = await ana.make({ type: "webhook", destination });
    expect((await ana.send("POST", `/flows/${flow.id}/webhook/test`, {})).status).toBe(400);
  });
});

describe("queued events", () => {
  it("for an unavailable destination are written later, once", async () => {
    const hook = await open();
    await ana.send("PATCH", `/connectors/${into}`, { readOnly: true });
    await sendPlain(hook, '{"id":"patient"}');
    await ana.runJobs();
    expect((await ana.send("GET", `/flows/${hook.flowId}`)).json.data.lastRun).toMatchObject({ status: "failure" });
    expect(await stats(hook)).toMatchObject({ pending: 1, processed: 0 });
    await ana.send("PATCH", `/connectors/${into}`, { readOnly: false });
    // Not with every new event: the next attempt is later.
    await sendPlain(hook, '{"id":"second"}');
    await ana.runJobs();
    expect(await stats(hook)).toMatchObject({ pending: 2 });
    await collections.flowWebhooks().updateOne({ _id: new ObjectId(hook.flowId) }, { $set: { retryAt: new Date(0) } });
    await queuePendingEvents();
    await ana.runJobs();
    expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["patient", "second"]);
    expect(await stats(hook)).toMatchObject({ pending: 0, processed: 2 });
  });

  it("are not written twice by a run after a killed one", async () => {
    const hook = await open();
    await sendPlain(hook, '{"id":"one"}');
    await ana.runJobs();
    // State between the write to the destination and its confirmation.
    const event = { flowId: new ObjectId(hook.flowId) };
    await collections.flowEvents().updateOne(event, { $set: { isPending: true, payload: '{"id":"one"}' } });
    await ana.run(hook.flowId);
    expect(await rows(hook)).toHaveLength(1);
    expect(await collections.flowEvents().countDocuments({ ...event, isPending: true })).toBe(0);
  });

  it.each([
    ["fewer events", 1],
    ["as many events", 3],
    ["more events", 5],
  ])("C4 are written by a run that restarts after its batch was settled, with %s", async (_, count) => {
    const hook = await open();
    for (let i = 0; i < 3; i++) await sendPlain(hook, `{"id":"first-${i}"}`);
    const flow = await collections.flows().findOne({ _id: new ObjectId(hook.flowId) });
    const run = await collections.runs().findOne({ resourceId: new ObjectId(hook.flowId) });
    if (!flow || !run) throw new Error("The first event queues a run.");
    await startOf(flow, run);
    for (let i = 0; i < count; i++) await sendPlain(hook, `{"id":"second-${i}"}`);
    await startOf(flow, run);
    expect(await rows(hook)).toHaveLength(3 + count);
    expect(await stats(hook)).toMatchObject({ pending: 0, processed: 3 + count });
  });

  it("C4 are written when an earlier version reused the name of a finished batch", async () => {
    const hook = await open();
    await sendPlain(hook, '{"id":"one"}');
    await ana.runJobs();
    const flowId = new ObjectId(hook.flowId);
    const written = await collections.flowEvents().findOne({ flowId });
    for (const id of ["two", "three"]) await sendPlain(hook, `{"id":"${id}"}`);
    await collections
      .flowEvents()
      .updateMany({ flowId, isPending: true }, { $set: { batchId: written?.batchId as ObjectId } });
    await ana.runJobs();
    expect((await rows(hook)).map(({ event_id }) => event_id)).toEqual(["one", "three", "two"]);
    expect(await stats(hook)).toMatchObject({ pending: 0, processed: 3 });
  });

  it("wait until a disabled flow is enabled", async () => {
    const hook = await open();
    await ana.send("PATCH", `/flows/${hook.flowId}`, { enabled: false });
    expect((await sendPlain(hook, '{"id":"kept"}')).status).toBe(202);
    await ana.runJobs();
    expect(await stats(hook)).toMatchObject({ pending: 1 });
    await ana.send("PATCH", `/flows/${hook.flowId}`, { enabled: true });
    await queuePendingEvents();
    await ana.runJobs();
    expect(await rows(hook)).toHaveLength(1);
  });
});
