import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import type { RunDoc } from "@/lib/features/runs/model";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { answerWith, type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { type JobServer, startJobServer, until } from "@/test/jobs/server";
import { type Person, seedPerson } from "@/test/seed";
import { deliverNotification } from "./deliver-notification";
import { fanOutNotifications } from "./fan-out-notifications";

/** The full check of F7: enough sends for a meaningful p95. */
const HEALTHY_SENDS = Number(process.env.HEALTHY_SENDS ?? 5);
const IS_WHOLE = process.env.HEALTHY_SENDS !== undefined;

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let jobs: JobServer;
let receiver: Receiver;
let owner: Person;

beforeAll(async () => {
  owner = await seedPerson("Owner");
  receiver = await startReceiver();
  jobs = await startJobServer([fanOutNotifications, deliverNotification]);
});
beforeEach(() => {
  receiver.hits.length = 0;
  receiver.answer = answerWith(200);
});
afterAll(async () => {
  await jobs.stop();
  await own.drop();
  await receiver.close();
});

async function addRule(url: string, consoleId?: string): Promise<{ workspaceId: string; consoleId: string }> {
  const id = consoleId ?? (await addConsole(owner));
  const body = {
    resourceType: "scheduled_query",
    resourceId: id,
    triggers: ["success", "failure"],
    channelType: "webhook",
    url,
  };
  const path = `/api/workspaces/${owner.workspaceId}/notification-rules`;
  expect((await call("POST", path, { cookie: owner.cookie, body })).status).toBe(201);
  return { workspaceId: owner.workspaceId, consoleId: id };
}
const deliveryOf = (runId: RunDoc["_id"]) => collections.deliveries().findOne({ runId });

describe("notifications on the job runner", () => {
  it("share calls per host, and a failed one is resent without the others", async () => {
    const consoleId = await addConsole(owner);
    for (let i = 0; i < 12; i += 1) await addRule(`${receiver.url}/${i}`, consoleId);
    let failures = 2;
    receiver.answer = (request, response) => {
      const isFailure = request.url === "/7" && failures-- > 0;
      response.writeHead(isFailure ? 500 : 200).end();
    };
    const run = await endRun({ workspaceId: owner.workspaceId, consoleId });
    await jobs.settled();
    const paths = receiver.hits.map(({ path }) => path).sort();
    expect(paths).toEqual([...Array.from({ length: 12 }, (_, i) => `/${i}`), "/7", "/7"].sort());
    const deliveries = await collections.deliveries().find({ runId: run._id }).toArray();
    expect(deliveries.map(({ status }) => status)).toEqual(Array(12).fill("sent"));
    expect(deliveries.map(({ attempts }) => attempts).sort()).toEqual([...Array(11).fill(1), 3]);
    const calls = await jobs.runsOf("deliver-notification");
    expect(calls).toHaveLength(1);
  });

  it("are sent automatically when a run ends", async () => {
    const where = await addRule(`${receiver.url}/in`);
    const run = await endRun(where);
    await jobs.settled();
    expect(receiver.hits).toHaveLength(1);
    expect(await deliveryOf(run._id)).toMatchObject({ status: "sent", attempts: 1 });
    expect(await collections.runs().findOne({ _id: run._id })).not.toHaveProperty("endPendingSince");
  });

  it("fail after six attempts", async () => {
    const where = await addRule(`${receiver.url}/in`);
    receiver.answer = answerWith(503);
    const run = await endRun(where);
    await jobs.settled();
    expect(receiver.hits).toHaveLength(6);
    expect(await deliveryOf(run._id)).toMatchObject({ status: "failed", attempts: 6, httpStatus: 503 });
  });

  it("store only IDs with the runner: no secret, address or run text (T49)", async () => {
    const consoleId = await addConsole(owner);
    const path = `/api/workspaces/${owner.workspaceId}/notification-rules`;
    const of = { resourceType: "scheduled_query", resourceId: consoleId, triggers: ["failure"] };
    const channels = [
      { channelType: "webhook", url: `${receiver.url}/marker-of-a-webhook` },
      { channelType: "chat", chatWebhookUrl: `${receiver.url}/marker-of-a-chat` },
      { channelType: "email", recipients: ["marker-of-a-mail@example.com"] },
    ];
    const secrets: string[] = [];
    for (const channel of channels) {
      const { json } = await call("POST", path, { cookie: owner.cookie, body: { ...of, ...channel } });
      if (json.data.signingSecretOnce) secrets.push(json.data.signingSecretOnce);
    }
    receiver.answer = answerWith(500, {}, "marker-of-an-answer");
    await endRun({ workspaceId: owner.workspaceId, consoleId }, { status: "failure", error: "marker-of-an-error" });
    await jobs.settled();
    expect(receiver.hits).toHaveLength(12);
    expect(secrets).toHaveLength(1);
    const kept: unknown[] = [];
    for (const [name, of] of Object.entries(collections)) {
      if (name.startsWith("job")) kept.push(...(await of().find().toArray()));
    }
    const text = JSON.stringify(kept);
    expect(text).toContain(consoleId);
    expect(text).not.toContain("marker-of-");
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it(`do not delay other hosts if one hangs: ${HEALTHY_SENDS} to a healthy one (F7)`, async () => {
    let underWay = 0;
    let busiest = 0;
    const hanging = await startReceiver((_, response) => {
      underWay += 1;
      busiest = Math.max(busiest, underWay);
      response.once("close", () => {
        underWay -= 1;
      });
    });
    const consoleId = await addConsole(owner);
    for (let i = 0; i < 12; i += 1) await addRule(`${hanging.url}/in`, consoleId);
    const where = await addRule(`${receiver.url}/in`);
    /** Returns the milliseconds from the end of each run until its message exists, one run after another. */
    const sendMany = async () => {
      const times: number[] = [];
      for (let n = 0; n < HEALTHY_SENDS; n += 1) {
        const hits = receiver.hits.length;
        const since = performance.now();
        const run = await endRun(where);
        await until(async () => receiver.hits.length > hits);
        times.push(performance.now() - since);
        await until(async () => (await deliveryOf(run._id))?.status === "sent");
      }
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
    };
    // The first runs load code, which belongs to none of them.
    await sendMany();
    const idleMs = await sendMany();
    await endRun({ workspaceId: owner.workspaceId, consoleId });
    await until(async () => hanging.hits.length === 5);
    const busyMs = await sendMany();
    // At most five deliveries to one host run at once, and the others wait.
    expect(busiest).toBe(5);
    process.stdout.write(
      `F7: ${HEALTHY_SENDS} deliveries beside a host that hangs: p95 ${busyMs.toFixed(0)} ms, ${idleMs.toFixed(0)} ms without it\n`,
    );
    // The times of a few prove nothing.
    if (IS_WHOLE) expect(busyMs).toBeLessThan(2 * idleMs);
    await hanging.close();
  });
});
