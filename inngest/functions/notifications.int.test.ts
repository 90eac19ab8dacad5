import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/lifecycle/collections";
import { addConsole, endRun } from "@/lib/notifications/testing/ended-run";
import { answerWith, type Receiver, startReceiver } from "@/lib/notifications/testing/receiver";
import type { RunDoc } from "@/lib/runs/model";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type JobServer, startJobServer } from "@/test/jobs";
import { type Person, seedPerson } from "@/test/seed";
import { deliverNotification } from "./deliver-notification";
import { fanOutNotifications } from "./fan-out-notifications";

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
  it("go out when a run ends, without anybody's help", async () => {
    const where = await addRule(`${receiver.url}/in`);
    const run = await endRun(where);
    await jobs.settled();
    expect(receiver.hits).toHaveLength(1);
    expect(await deliveryOf(run._id)).toMatchObject({ status: "sent", attempts: 1 });
    expect(await collections.runs().findOne({ _id: run._id })).not.toHaveProperty("endPendingSince");
  });

  it("are sent six times, and then they have failed", async () => {
    const where = await addRule(`${receiver.url}/in`);
    receiver.answer = answerWith(503);
    const run = await endRun(where);
    await jobs.settled();
    expect(receiver.hits).toHaveLength(6);
    expect(await deliveryOf(run._id)).toMatchObject({ status: "failed", attempts: 6, httpStatus: 503 });
  });

  it("to a host that hangs hold up no other (F7)", async () => {
    const hanging = await startReceiver(() => {});
    const consoleId = await addConsole(owner);
    for (let i = 0; i < 8; i += 1) await addRule(`${hanging.url}/in`, consoleId);
    await endRun({ workspaceId: owner.workspaceId, consoleId });
    await expect.poll(() => hanging.hits.length, { timeout: 8_000 }).toBe(5);
    const where = await addRule(`${receiver.url}/in`);
    const run = await endRun(where);
    await expect.poll(async () => (await deliveryOf(run._id))?.status, { timeout: 8_000 }).toBe("sent");
    // Of those to one host five are on their way at once, and these still are.
    expect(hanging.hits).toHaveLength(5);
    await hanging.close();
  });
});
