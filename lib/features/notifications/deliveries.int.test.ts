import { createHmac } from "node:crypto";
import { createServer as createTlsServer } from "node:https";
import fc from "fast-check";
import { ObjectId } from "mongodb";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { reportPendingEnds } from "@/lib/features/runs/ends";
import type { RunDoc } from "@/lib/features/runs/model";
import { writeNow } from "@/lib/platform/events/publish";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { readFrames } from "@/test/fixtures/events/frames";
import { TEST_CERTIFICATE, TEST_KEY } from "@/test/fixtures/net/certificate";
import { listener, track } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { takeJobEvents } from "@/test/fixtures/notifications/clock";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Answer, answerWith, type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { lapsedWork } from "@/test/fixtures/work/lapsed";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { attemptDelivery } from "./attempts";
import { sweepDeliveries } from "./deliveries";
import { publishDeliveriesNow } from "./events";
import { fanOut } from "./fan-out";
import type { DeliveryDoc } from "./model";
import { payloadSchema } from "./payload-schema";

process.env.ALLOW_PRIVATE_NETWORK = "all";
process.env.PUBLIC_URL = "https://data.example.com";
const own = takeOwnDatabase();
let clock = takeJobEvents();
let receiver: Receiver;
let owner: Person;
let base: string;
let slug: string;
const accept: Answer = (_, response) => void response.writeHead(200).end("ok");

beforeAll(async () => {
  receiver = await startReceiver();
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
  slug = (await call("GET", base, { cookie: owner.cookie })).json.data.slug;
});
afterEach(() => {
  receiver.answer = accept;
  receiver.hits.length = 0;
  clock = takeJobEvents();
});
afterAll(async () => {
  await own.drop();
  await receiver.close();
});

type Fixture = { consoleId: string; ruleId: string; secret: string; where: { workspaceId: string; consoleId: string } };

async function addRule(channel: object = {}, consoleId?: string): Promise<Fixture> {
  const id = consoleId ?? (await addConsole(owner));
  const body = {
    resourceType: "scheduled_query",
    resourceId: id,
    triggers: ["success", "failure"],
    channelType: "webhook",
    url: `${receiver.url}/in`,
    ...channel,
  };
  const answer = await call("POST", `${base}/notification-rules`, { cookie: owner.cookie, body });
  if (answer.status !== 201) throw new Error(answer.text);
  const { id: ruleId, signingSecretOnce } = answer.json.data;
  const where = { workspaceId: owner.workspaceId, consoleId: id };
  return { consoleId: id, ruleId, secret: signingSecretOnce, where };
}
const change = (ruleId: string, body: object) =>
  call("PATCH", `${base}/notification-rules/${ruleId}`, { cookie: owner.cookie, body });
const deliveriesOf = (run: RunDoc) => collections.deliveries().find({ runId: run._id }).sort({ _id: 1 }).toArray();
async function onlyDelivery(run: RunDoc): Promise<DeliveryDoc> {
  const [only, ...others] = await deliveriesOf(run);
  if (!only || others.length > 0) throw new Error("There should be one delivery.");
  return only;
}
const detailsOf = async ({ _id }: DeliveryDoc) =>
  (await call("GET", `${base}/notification-rules/deliveries/${_id.toHexString()}`, { cookie: owner.cookie })).json.data;
const touch = (doc: DeliveryDoc, set: object) => collections.deliveries().updateOne({ _id: doc._id }, { $set: set });
const LONG_AGO = new Date(Date.now() - 3_600_000);

describe("a delivery", () => {
  it("is the exact payload, signed as receivers verify it (T75)", async () => {
    const { where, ruleId, secret, consoleId } = await addRule();
    const name = "Täglich \u{1F9AB} \u2028 <b>&";
    const run = await endRun(where, { status: "failure", error: "relation \ud800 is gone", rowCount: 0 }, name);
    await clock.drain();
    const delivery = await onlyDelivery(run);
    const [hit] = receiver.hits;
    expect(receiver.hits).toHaveLength(1);
    expect(JSON.parse(hit?.raw.toString() ?? "")).toEqual({
      version: 1,
      event: "flow.run.terminal",
      trigger: "failure",
      resourceType: "scheduled_query",
      resourceId: consoleId,
      resourceName: name,
      runId: run._id.toHexString(),
      completedAt: run.completedAt?.toISOString(),
      durationMs: run.durationMs,
      rowCount: 0,
      errorMessage: "relation \ufffd is gone",
      triggerType: "scheduled",
      workspaceId: owner.workspaceId,
      deepLink: `https://data.example.com/w/${slug}/consoles/${consoleId}/schedule?run=${run._id.toHexString()}`,
    });
    expect(payloadSchema.safeParse(JSON.parse(hit?.raw.toString() ?? "")).success).toBe(true);
    expect(hit?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Millrace-Notifications/1",
      "webhook-id": delivery.webhookId,
    });
    const raw = hit?.raw.toString() ?? "";
    new StandardWebhook(secret).verify(raw, hit?.headers ?? {});
    new SvixWebhook(secret).verify(raw, hit?.headers ?? {});
    const plain = createHmac("sha256", secret)
      .update(hit?.raw ?? "")
      .digest("hex");
    expect(hit?.headers["x-service-signature"]).toBe(plain);

    expect(delivery.key).toBe(`scheduled_query:${consoleId}:${run._id.toHexString()}:failure:webhook:${ruleId}`);
    const details = await detailsOf(delivery);
    expect(details).toEqual({
      id: delivery._id.toHexString(),
      ruleId,
      runId: run._id.toHexString(),
      resourceType: "scheduled_query",
      resourceId: consoleId,
      resourceName: name,
      trigger: "failure",
      channelType: "webhook",
      status: "sent",
      attempts: 1,
      httpStatus: 200,
      lastError: null,
      sentAt: details.completedAt,
      completedAt: expect.any(String),
      createdAt: expect.any(String),
      attemptLog: [
        { at: expect.any(String), httpStatus: 200, durationMs: expect.any(Number), error: null, snippet: "ok" },
      ],
    });
  });

  it("of a success has no error, and no rowCount if unknown", async () => {
    const { where } = await addRule();
    await endRun(where, { status: "success", error: "left over" });
    await clock.drain();
    const payload = JSON.parse(receiver.hits[0]?.raw.toString() ?? "");
    expect(payload).toMatchObject({ trigger: "success", errorMessage: null });
    expect(payload).not.toHaveProperty("rowCount");
  });

  it("is not created for a cancelled run", async () => {
    const { where } = await addRule();
    const run = await endRun(where, { status: "cancelled" });
    await clock.drain();
    expect(clock.events.map(({ name }) => name)).toEqual(["flow.run.terminal"]);
    expect(await deliveriesOf(run)).toEqual([]);
  });

  it("is one per rule for a hundred events from two servers (T80, F4)", async () => {
    const { where, consoleId } = await addRule();
    await addRule({ channelType: "email", recipients: ["ana@example.com"] }, consoleId);
    const run = await endRun(where);
    const data = clock.events[0]?.data as Parameters<typeof fanOut>[0];
    await Promise.all(Array.from({ length: 100 }, () => fanOut(data)));
    await clock.drain();
    expect(
      (await deliveriesOf(run)).map(({ channelType, status, attempts }) => [channelType, status, attempts]),
    ).toEqual([
      ["webhook", "sent", 1],
      ["email", "sent", 1],
    ]);
    expect(receiver.hits).toHaveLength(1);
    await fanOut(data);
    await clock.drain();
    expect(receiver.hits).toHaveLength(1);
  });

  it("is sent by one of many concurrent calls", async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    await clock.step();
    const { _id, workspaceId } = await onlyDelivery(run);
    const results = await Promise.all(Array.from({ length: 30 }, () => attemptDelivery(workspaceId, _id)));
    expect(results.filter(({ state }) => state === "final").length).toBeGreaterThan(0);
    expect(receiver.hits).toHaveLength(1);
    expect(await attemptDelivery(workspaceId, _id)).toEqual({ state: "final", status: "sent" });
    expect(receiver.hits).toHaveLength(1);
  });
});

describe("the rules that a finished run triggers (T81)", () => {
  it("are those of its workspace, type and resource that are enabled for its outcome", async () => {
    const [one, two] = [await addConsole(owner), await addConsole(owner)];
    const stranger = await seedPerson("Stranger");
    const make = async (person: Person, consoleId: string, triggers: string[], enabled: boolean) => {
      const body = {
        resourceType: "scheduled_query",
        resourceId: consoleId,
        triggers,
        enabled,
        channelType: "webhook",
        url: `${receiver.url}/in`,
      };
      const url = `/api/workspaces/${person.workspaceId}/notification-rules`;
      const { id } = (await call("POST", url, { cookie: person.cookie, body })).json.data;
      return { id, workspaceId: person.workspaceId, consoleId, triggers, enabled };
    };
    const rules: Awaited<ReturnType<typeof make>>[] = [];
    for (const consoleId of [one, two]) {
      for (const enabled of [true, false]) {
        for (const triggers of [["success"], ["failure"], ["success", "failure"]]) {
          rules.push(await make(owner, consoleId, triggers, enabled));
        }
      }
    }
    rules.push(await make(stranger, await addConsole(stranger), ["success", "failure"], true));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(one, two),
        fc.constantFrom("success" as const, "failure" as const, "cancelled" as const),
        async (consoleId, status) => {
          const run = await endRun({ workspaceId: owner.workspaceId, consoleId }, { status, error: "no" });
          await clock.drain();
          const expected = rules.filter(
            (rule) =>
              rule.workspaceId === owner.workspaceId &&
              rule.consoleId === consoleId &&
              rule.enabled &&
              rule.triggers.includes(status),
          );
          const found = (await deliveriesOf(run)).map(({ ruleId }) => ruleId.toHexString());
          expect(found.sort()).toEqual(expected.map(({ id }) => id).sort());
        },
      ),
      { numRuns: 12 },
    );
  });

  it("are not triggered by an event that contradicts the run", async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    const data = clock.events[0]?.data as Parameters<typeof fanOut>[0];
    await fanOut({ ...data, trigger: "failure" });
    await fanOut({ ...data, workspaceId: new ObjectId().toHexString() });
    await fanOut({ ...data, runId: new ObjectId().toHexString() });
    expect(await deliveriesOf(run)).toEqual([]);
  });

  it.each([
    [
      "deleted",
      "deleted",
      (id: string) => call("DELETE", `${base}/notification-rules/${id}`, { cookie: owner.cookie }),
    ],
    ["disabled", "disabled", (id: string) => change(id, { enabled: false })],
    [
      "moved to another channel",
      "channel has changed",
      (id: string) => change(id, { channelType: "email", recipients: ["a@example.com"] }),
    ],
  ])("send nothing if the rule was %s before the send", async (_, words, act) => {
    const { where, ruleId } = await addRule();
    const run = await endRun(where);
    await clock.step();
    await act(ruleId);
    await clock.drain();
    expect(await onlyDelivery(run)).toMatchObject({
      status: "skipped",
      attempts: 0,
      lastError: expect.stringContaining(words),
      sentAt: null,
      completedAt: expect.any(Date),
    });
    expect(receiver.hits).toEqual([]);
  });
});

describe("receivers' behaviour (T79)", () => {
  const outcomes: [string, Answer, { httpStatus: number | null; sends: number }][] = [
    ...[200, 201, 202, 204, 299].map((status): (typeof outcomes)[number] => [
      `${status}`,
      answerWith(status),
      { httpStatus: status, sends: 1 },
    ]),
    ...[300, 304, 400, 401, 404, 410, 418, 429, 500, 502, 503].map((status): (typeof outcomes)[number] => [
      `${status}`,
      answerWith(status),
      { httpStatus: status, sends: 6 },
    ]),
    ["a redirect", answerWith(302, { Location: "http://127.0.0.1:1/" }), { httpStatus: 302, sends: 6 }],
    ["a reset", (_, response) => void response.destroy(), { httpStatus: null, sends: 6 }],
    [
      "an early hint",
      (_, response) => void response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.end("ok")),
      { httpStatus: 200, sends: 1 },
    ],
    [
      "headers without end",
      (_, response) => void response.writeHead(200, { "X-Long": "x".repeat(200_000) }).end(),
      { httpStatus: null, sends: 6 },
    ],
  ];
  it.each(outcomes)("%s", async (_, answer, { httpStatus, sends }) => {
    const { where } = await addRule();
    receiver.answer = answer;
    const run = await endRun(where);
    await clock.drain();
    const delivery = await onlyDelivery(run);
    const isSent = sends === 1;
    expect(delivery).toMatchObject({
      status: isSent ? "sent" : "failed",
      attempts: sends,
      httpStatus,
      lastError: isSent ? null : expect.any(String),
      sentAt: isSent ? expect.any(Date) : null,
      completedAt: expect.any(Date),
    });
    const { attemptLog } = await detailsOf(delivery);
    expect(attemptLog.map((each: { httpStatus: number }) => each.httpStatus)).toEqual(Array(sends).fill(httpStatus));
    expect(receiver.hits).toHaveLength(sends);
    // Every send has the same id and body.
    expect(new Set(receiver.hits.map(({ headers, raw }) => `${headers["webhook-id"]} ${raw}`)).size).toBe(1);
  });

  it("retries an unknown name, a closed port, missing TLS and an untrusted certificate, with fixed messages", async () => {
    const nobody = await listener();
    const tls = await track(
      createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_, response) => void response.end("ok")),
      "127.0.0.1",
      0,
      () => 0,
    );
    const nonsense = await listener((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    for (const [url, words] of [
      ["http://nowhere.invalid/hook", "Host not found"],
      ["http://127.0.0.1:1/hook", "refused"],
      [`https://127.0.0.1:${nonsense.port}/hook`, "TLS handshake failed"],
      [`https://127.0.0.1:${tls.port}/hook`, "TLS handshake failed"],
      [`http://127.0.0.1:${nonsense.port}/hook`, "not valid HTTP"],
    ]) {
      const { where } = await addRule({ url });
      const run = await endRun(where);
      await clock.drain();
      expect(await onlyDelivery(run)).toMatchObject({
        status: "failed",
        attempts: 6,
        httpStatus: null,
        lastError: expect.stringContaining(words ?? ""),
      });
    }
    expect(nobody.hits()).toBe(0);
  });

  it("ends a drip and a hang after 10 s in total, and retries (T78)", async () => {
    const dripping = await listener((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 250);
      socket.once("close", () => clearInterval(drip));
    });
    const hanging = await listener();
    const begun = performance.now();
    await Promise.all(
      [dripping, hanging].map(async ({ port }) => {
        const { where } = await addRule({ url: `http://127.0.0.1:${port}/hook` });
        const run = await endRun(where);
        await fanOut({
          workspaceId: owner.workspaceId,
          resourceType: "scheduled_query",
          resourceId: where.consoleId,
          runId: run._id.toHexString(),
          status: "success",
          trigger: "success",
        });
        const { _id, workspaceId } = await onlyDelivery(run);
        expect(await attemptDelivery(workspaceId, _id)).toMatchObject({ state: "retry" });
        expect(await onlyDelivery(run)).toMatchObject({
          status: "retrying",
          httpStatus: null,
          lastError: expect.stringContaining("Timed out"),
        });
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    expect(seconds).toBeGreaterThan(9);
  });

  it("reads 64 KiB of a response of 1 GB, and uses its status", async () => {
    let written = 0;
    const huge = await listener((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`);
      const chunk = Buffer.alloc(64 * 1024, "x");
      const pour = () => {
        while (!socket.destroyed && written < 2 ** 30) {
          written += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on("drain", pour);
      pour();
    });
    const { where } = await addRule({ url: `http://127.0.0.1:${huge.port}/hook` });
    const before = process.memoryUsage().rss;
    const run = await endRun(where);
    await clock.drain();
    const delivery = await onlyDelivery(run);
    expect(delivery).toMatchObject({ status: "sent", httpStatus: 200 });
    expect(delivery.attemptLog[0]?.snippet).toBe("x".repeat(500));
    // Only the socket buffers of both sides.
    expect(written).toBeLessThan(64 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("reaches no one through a name that is internal when sent (T33)", async () => {
    const canary = await listener();
    const url = `http://rebound.example:${canary.port}/hook`;
    const { where } = await addRule({ url });
    const policy = testPolicy("none", { names: { "rebound.example": [["127.0.0.1"]] } });
    clock = takeJobEvents(policy);
    const run = await endRun(where);
    await clock.drain();
    expect(canary.hits()).toBe(0);
    expect(policy.lookups).toEqual(["rebound.example"]);
    // A retry cannot help.
    expect(await onlyDelivery(run)).toMatchObject({
      status: "failed",
      attempts: 1,
      lastError: expect.stringContaining("address is blocked"),
    });
  });

  it("honours Retry-After up to an hour, and sends nothing earlier", async () => {
    const cases: [number, string, number | null][] = [
      [429, "120", 120_000],
      [503, new Date(Date.now() + 600_000).toUTCString(), 600_000],
      [429, "86400", 3_600_000],
      [429, "1", null],
      [429, "soon", null],
      [500, "120", null],
    ];
    for (const [status, header, afterMs] of cases) {
      clock = takeJobEvents();
      const { where } = await addRule();
      receiver.answer = answerWith(status, { "Retry-After": header });
      const run = await endRun(where);
      await clock.step();
      const { _id, workspaceId } = await onlyDelivery(run);
      const result = await attemptDelivery(workspaceId, _id);
      const given = result.state === "retry" ? result.afterMs : undefined;
      if (afterMs === null) expect([header, given]).toEqual([header, null]);
      else expect(Math.abs((given ?? 0) - afterMs)).toBeLessThan(5_000);
    }
  });
});

describe("a retry", () => {
  it("is signed with the current secret (T77)", async () => {
    const { where, ruleId, secret } = await addRule();
    receiver.answer = answerWith(500);
    const run = await endRun(where);
    await clock.step();
    const { _id, workspaceId } = await onlyDelivery(run);
    await attemptDelivery(workspaceId, _id);
    const next = (await change(ruleId, { rotateWebhookSecret: true, url: `${receiver.url}/moved` })).json.data;
    receiver.answer = accept;
    expect(await attemptDelivery(workspaceId, _id)).toEqual({ state: "final", status: "sent" });
    const [first, second] = receiver.hits;
    expect(second?.path).toBe("/moved");
    new StandardWebhook(secret).verify(first?.raw.toString() ?? "", first?.headers ?? {});
    new StandardWebhook(next.signingSecretOnce).verify(second?.raw.toString() ?? "", second?.headers ?? {});
    expect(() => new StandardWebhook(secret).verify(second?.raw.toString() ?? "", second?.headers ?? {})).toThrow();
  });

  it("follows a send whose server died, which is logged and counted", async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    await clock.step();
    const delivery = await onlyDelivery(run);
    const claim = { token: new ObjectId(), at: LONG_AGO };
    const work = lapsedWork({ claim, dueAt: new Date(Date.now() + 60_000) });
    await touch(delivery, { work, attempts: 1, roundAttempts: 1 });
    const ask = () => attemptDelivery(delivery.workspaceId, delivery._id);
    expect(await ask()).toEqual({ state: "busy", afterMs: 12_000 });
    await touch(delivery, { "work.dueAt": LONG_AGO });
    expect(await ask()).toEqual({ state: "final", status: "sent" });
    const details = await detailsOf(await onlyDelivery(run));
    expect(details).toMatchObject({
      attempts: 2,
      attemptLog: [
        { at: LONG_AGO.toISOString(), durationMs: null, error: expect.stringContaining("server stopped") },
        { error: null, httpStatus: 200 },
      ],
    });
  });

  it("is not made after six sends, even if all were interrupted (F16)", { tags: ["long"] }, async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    await clock.step();
    const delivery = await onlyDelivery(run);
    await touch(delivery, { work: lapsedWork(), attempts: 6, roundAttempts: 6 });
    expect(await attemptDelivery(delivery.workspaceId, delivery._id)).toEqual({ state: "final", status: "failed" });
    expect(receiver.hits).toEqual([]);
    expect(await onlyDelivery(run)).toMatchObject({ completedAt: expect.any(Date) });
  });

  it("can't revert a late success", async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    await clock.step();
    const delivery = await onlyDelivery(run);
    let answerFirst = () => {};
    receiver.answer = (_, response, hits) => {
      if (hits === 1) answerFirst = () => response.end("ok");
      else response.writeHead(500).end();
    };
    const first = attemptDelivery(delivery.workspaceId, delivery._id);
    await expect.poll(() => receiver.hits.length).toBe(1);
    // Its lease has lapsed, as if the process had halted.
    await touch(delivery, { "work.dueAt": LONG_AGO });
    expect(await attemptDelivery(delivery.workspaceId, delivery._id)).toMatchObject({ state: "retry" });
    answerFirst();
    expect(await first).toEqual({ state: "final", status: "sent" });
    expect(await onlyDelivery(run)).toMatchObject({ status: "sent" });
    expect(await attemptDelivery(delivery.workspaceId, delivery._id)).toEqual({ state: "final", status: "sent" });
    expect(receiver.hits).toHaveLength(2);
  });
});

describe("overdue work (F6)", () => {
  it("is found by a sweep: an unreported end, an unsent delivery", async () => {
    const { where } = await addRule();
    clock = takeJobEvents();
    const run = await endRun(where);
    // The runner has lost the event, and then the wake-up call.
    await collections.runs().updateOne({ _id: run._id }, { $set: { endPendingSince: LONG_AGO } });
    clock = takeJobEvents();
    expect(await reportPendingEnds()).toBe(1);
    await clock.step();
    clock = takeJobEvents();
    expect(await sweepDeliveries()).toBe(0);
    await touch(await onlyDelivery(run), { "work.dueAt": LONG_AGO });
    expect(await sweepDeliveries()).toBe(1);
    expect(await sweepDeliveries()).toBe(0);
    await clock.drain();
    expect(await onlyDelivery(run)).toMatchObject({ status: "sent", attempts: 1 });
    expect(await onlyDelivery(run)).not.toHaveProperty("work.dueAt");
  });

  it("stays due while the runner is away", async () => {
    const { where } = await addRule();
    const run = await endRun(where);
    await clock.step();
    await touch(await onlyDelivery(run), { "work.dueAt": LONG_AGO });
    sendJobEventsBy(() => Promise.reject(new Error("away")));
    await expect(sweepDeliveries()).rejects.toThrow("away");
    clock = takeJobEvents();
    expect(await sweepDeliveries()).toBe(1);
  });
});

describe("resending a failed delivery", () => {
  const resend = (id: ObjectId, by: Person = owner) =>
    call("POST", `${base}/notification-rules/deliveries/${id.toHexString()}/resend`, { cookie: by.cookie });

  it("keeps the record and webhook-id, with six more sends", async () => {
    const { where } = await addRule();
    receiver.answer = answerWith(500);
    const run = await endRun(where);
    await clock.drain();
    const failed = await onlyDelivery(run);
    const answer = await resend(failed._id);
    expect([answer.status, answer.json.data]).toMatchObject([
      202,
      { id: failed._id.toHexString(), status: "queued", completedAt: null, attempts: 6 },
    ]);
    await clock.drain();
    expect(await onlyDelivery(run)).toMatchObject({ _id: failed._id, status: "failed", attempts: 12 });
    receiver.answer = accept;
    expect((await resend(failed._id)).status).toBe(202);
    await clock.drain();
    expect(await onlyDelivery(run)).toMatchObject({ status: "sent", attempts: 13, lastError: null });
    expect(new Set(receiver.hits.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("returns 409 if not failed or not sendable, 403 for a member, 404 for an unknown one", async () => {
    const member = await seedMember(owner.workspaceId, "member");
    const { where, ruleId } = await addRule();
    const sent = await endRun(where);
    await clock.drain();
    expect((await resend((await onlyDelivery(sent))._id)).status).toBe(409);
    receiver.answer = answerWith(500);
    const run = await endRun(where);
    await clock.drain();
    const failed = await onlyDelivery(run);
    expect((await resend(failed._id, member)).status).toBe(403);
    await change(ruleId, { enabled: false });
    expect((await resend(failed._id)).status).toBe(409);
    await call("DELETE", `${base}/notification-rules/${ruleId}`, { cookie: owner.cookie });
    expect((await resend(failed._id)).status).toBe(409);
    expect((await resend(new ObjectId())).status).toBe(404);
    // It is still readable.
    expect((await detailsOf(failed)).attempts).toBe(6);
  });

  it("queues it once for concurrent requests", async () => {
    const { where } = await addRule();
    receiver.answer = answerWith(500);
    const run = await endRun(where);
    await clock.drain();
    receiver.answer = accept;
    receiver.hits.length = 0;
    const { _id } = await onlyDelivery(run);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => resend(_id)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    await clock.drain();
    expect(receiver.hits).toHaveLength(1);
  });
});

describe("other channels", () => {
  it("posts text and blocks to chat, and does not log the URL from its response", async () => {
    const { where } = await addRule({ channelType: "chat", chatWebhookUrl: `${receiver.url}/services/T0/B0/secret` });
    receiver.answer = answerWith(200, {}, "ok /services/T0/B0/secret");
    const run = await endRun(where, { status: "failure", error: "no <!channel>" });
    await clock.drain();
    const message = JSON.parse(receiver.hits[0]?.raw.toString() ?? "");
    expect(Object.keys(message)).toEqual(["text", "blocks"]);
    expect(message.text).toContain(run._id.toHexString());
    expect(receiver.hits[0]?.headers).not.toHaveProperty("x-service-signature");
    expect((await onlyDelivery(run)).attemptLog[0]?.snippet).toBe("ok ***");
  });

  it("sends one email to all, kept in the outbox without a mail service", async () => {
    const recipients = ["ana@example.com", "bo@example.com"];
    const { where } = await addRule({ channelType: "email", recipients });
    const run = await endRun(where, { status: "success", rowCount: 1284 });
    await clock.drain();
    expect(await onlyDelivery(run)).toMatchObject({ status: "sent", attempts: 1, httpStatus: null });
    const outbox = await call("GET", `${base}/outbox`, { cookie: owner.cookie });
    const [mail] = outbox.json.data.items;
    expect(mail).toMatchObject({ to: recipients, subject: "Daily revenue succeeded", status: "kept" });
    for (const fact of [
      "Succeeded",
      "1,284",
      run._id.toHexString(),
      `/consoles/${where.consoleId}/schedule?run=`,
      "UTC",
    ]) {
      expect([fact, mail.text.includes(fact), mail.html.includes(fact)]).toEqual([fact, true, true]);
    }
  });

  it("limits email about a private console to its owner in the outbox", async () => {
    const admin = await seedMember(owner.workspaceId, "admin");
    const hidden = await addConsole(owner, undefined, "private");
    const { where } = await addRule({ channelType: "email", recipients: ["x@example.com"] }, hidden);
    await endRun(where, { status: "failure", error: "marker-of-a-private-console" });
    await clock.drain();
    const read = async (person: Person) => (await call("GET", `${base}/outbox`, { cookie: person.cookie })).text;
    expect(await read(owner)).toContain("marker-of-a-private-console");
    expect(await read({ ...admin, workspaceId: owner.workspaceId })).not.toContain("marker-of-a-private-console");
  });
});

describe("live updates", () => {
  /** Collects the events about deliveries that a person receives, until there are that many. */
  async function follow(person: Person) {
    // Publish earlier changes first.
    await publishDeliveriesNow();
    await writeNow();
    const stop = new AbortController();
    const response = await callRaw("GET", `${base}/events`, { cookie: person.cookie, signal: stop.signal });
    const { next } = readFrames(response);
    expect((await next())?.event).toBeUndefined();
    const told = async () => {
      for (;;) {
        const frame = await next();
        if (frame?.event === "delivery") return JSON.parse(frame.data ?? "{}");
      }
    };
    return { told, leave: () => stop.abort() };
  }
  const seen = (where: { consoleId: string }, delivery: object) => ({
    resourceType: "scheduled_query",
    resourceId: where.consoleId,
    at: expect.any(String),
    delivery: expect.objectContaining(delivery),
  });

  it("report a new delivery, each attempt, its end and a resend", async () => {
    const { where, ruleId } = await addRule();
    receiver.answer = answerWith(500);
    const { told, leave } = await follow(owner);
    const run = await endRun(where);
    await clock.step();
    expect(await told()).toEqual(seen(where, { ruleId, runId: run._id.toHexString(), status: "queued", attempts: 0 }));
    const { _id, workspaceId } = await onlyDelivery(run);
    for (let attempts = 1; attempts <= 6; attempts += 1) {
      await attemptDelivery(workspaceId, _id);
      const status = attempts < 6 ? "retrying" : "failed";
      expect(await told()).toEqual(seen(where, { id: _id.toHexString(), status, attempts, httpStatus: 500 }));
    }
    receiver.answer = accept;
    const again = `${base}/notification-rules/deliveries/${_id.toHexString()}/resend`;
    expect((await call("POST", again, { cookie: owner.cookie })).status).toBe(202);
    expect(await told()).toEqual(seen(where, { status: "queued", attempts: 6, completedAt: null }));
    await attemptDelivery(workspaceId, _id);
    const last = await told();
    expect(last).toEqual(seen(where, { status: "sent", attempts: 7, httpStatus: 200 }));
    const listed = await call(
      "GET",
      `${base}/notification-rules/deliveries?resourceType=scheduled_query&resourceId=${where.consoleId}`,
      { cookie: owner.cookie },
    );
    expect(listed.json.data).toEqual([last.delivery]);
    leave();
  });

  it("report changed rules of a console", async () => {
    const { told, leave } = await follow(owner);
    const { where, ruleId } = await addRule();
    const ofRules = { resourceType: "scheduled_query", resourceId: where.consoleId, at: expect.any(String) };
    expect(await told()).toEqual(ofRules);
    expect((await change(ruleId, { enabled: false })).status).toBe(200);
    expect(await told()).toEqual(ofRules);
    const gone = await call("DELETE", `${base}/notification-rules/${ruleId}`, { cookie: owner.cookie });
    expect(gone.status).toBe(200);
    expect(await told()).toEqual(ofRules);
    leave();
  });

  it("report nothing of another's private console, whenever it became private", async () => {
    const member = await seedMember(owner.workspaceId, "member");
    const hidden = await addRule({}, await addConsole(owner));
    const shared = await addRule();
    const readers = [await follow(owner), await follow({ ...member, workspaceId: owner.workspaceId })];
    await endRun(hidden.where);
    const made = await call("PUT", `${base}/consoles/${hidden.consoleId}`, {
      cookie: owner.cookie,
      body: { access: "private", version: 1 },
    });
    expect(made.status).toBe(200);
    await clock.drain();
    const [ownerTold, memberTold] = readers;
    expect(await ownerTold?.told()).toEqual(seen(hidden.where, { ruleId: hidden.ruleId }));
    await publishDeliveriesNow();
    await endRun(shared.where);
    await clock.drain();
    // The first event that the member receives.
    expect(await memberTold?.told()).toEqual(seen(shared.where, { ruleId: shared.ruleId }));
    for (const { leave } of readers) leave();
  });
});

describe("a test notification (T82)", () => {
  const test = (body: object, by: Person = owner, where = base) =>
    call("POST", `${where}/notification-rules/test`, { cookie: by.cookie, body });
  let home: { owner: Person; base: string; consoleId: string };
  // The limit is ten an hour for each workspace, so this one is separate.
  beforeAll(async () => {
    const person = await seedPerson("Tester");
    home = {
      owner: person,
      base: `/api/workspaces/${person.workspaceId}`,
      consoleId: await addConsole(person, "Tested"),
    };
  });

  it("is sent at once, without a delivery; the response has nothing of the receiver's", async () => {
    const of = { resourceType: "scheduled_query", resourceId: home.consoleId };
    const adHoc = { ...of, channelType: "webhook", url: `${receiver.url}/try` };
    const before = await collections.deliveries().countDocuments();
    const good = await test(adHoc, home.owner, home.base);
    expect([good.status, good.json.data]).toEqual([200, { delivered: true, httpStatus: 200 }]);
    receiver.answer = answerWith(500, {}, "a secret of the receiver");
    const bad = await test({ ...adHoc, trigger: "failure" }, home.owner, home.base);
    expect(bad.json.data).toEqual({ delivered: false, httpStatus: 500, error: "The receiver returned 500." });
    expect(receiver.hits.map(({ raw }) => JSON.parse(raw.toString()).trigger)).toEqual(["success", "failure"]);
    expect(payloadSchema.parse(JSON.parse(receiver.hits[0]?.raw.toString() ?? ""))).toMatchObject({
      resourceName: "Tested",
      resourceId: home.consoleId,
    });

    receiver.answer = accept;
    const rule = await call("POST", `${home.base}/notification-rules`, {
      cookie: home.owner.cookie,
      body: { ...of, triggers: ["failure"], enabled: false, channelType: "webhook", url: `${receiver.url}/saved` },
    });
    const { id: ruleId, signingSecretOnce } = rule.json.data;
    expect((await test({ ruleId }, home.owner, home.base)).json.data).toEqual({ delivered: true, httpStatus: 200 });
    const last = receiver.hits.at(-1);
    new StandardWebhook(signingSecretOnce).verify(last?.raw.toString() ?? "", last?.headers ?? {});
    const email = await test({ ...of, channelType: "email", recipients: ["me@example.com"] }, home.owner, home.base);
    expect(email.json.data).toEqual({ delivered: true });
    expect(await collections.deliveries().countDocuments()).toBe(before);
  });

  it("returns 400 without required fields, 404 for an unknown rule, and is limited to ten an hour", async () => {
    const of = { resourceType: "scheduled_query", resourceId: home.consoleId };
    for (const [body, path] of [
      [{}, "ruleId"],
      [{ channelType: "email", recipients: ["me@example.com"] }, "resourceId"],
      [{ ...of, channelType: "email" }, "recipients"],
      [{ ...of, channelType: "webhook" }, "url"],
    ] as const) {
      const answer = await test(body, home.owner, home.base);
      expect([answer.status, answer.json.details[0].path]).toEqual([400, path]);
    }
    expect((await test({ ruleId: new ObjectId().toHexString() }, home.owner, home.base)).status).toBe(404);
    const send = () => test({ ...of, channelType: "webhook", url: `${receiver.url}/try` }, home.owner, home.base);
    const statuses: number[] = [];
    for (let i = 0; i < 10; i += 1) statuses.push((await send()).status);
    // Four were sent above.
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(4).fill(429)]);
    expect((await send()).headers.get("retry-after")).toMatch(/^\d+$/);
  });
});
