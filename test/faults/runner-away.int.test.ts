import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { functions } from "@/inngest/functions";
import { collections } from "@/lib/features/instance/collections";
import { sweep } from "@/lib/features/instance/sweep";
import { fanOut } from "@/lib/features/notifications/fan-out";
import { writeNow } from "@/lib/features/query/history-writer";
import { databaseReady } from "@/lib/platform/db/ready";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { type JobServer, startJobServer } from "@/test/jobs/server";
import { type Person, seedPerson } from "@/test/seed";
import { addRules } from "./backlog";

/*
 * A job runner that is away for ten minutes and comes back (F6): runs that were triggered, runs that ended and
 * deliveries that were due in that time are all processed. `npm test` has a few of each; in full, with AWAY=300, within
 * the time that F6 allows.
 */
const AWAY = Number(process.env.AWAY ?? 12);
const IS_WHOLE = process.env.AWAY !== undefined;
const TEN_MINUTES_MS = 600_000;
/** Interval of each server's sweep. */
const SWEEP_EVERY_MS = 5_000;
const DRAINED_WITHIN_MS = 60_000;
/** A busy machine may need longer than the promised time. */
const WAIT_MS = 300_000;

process.env.ALLOW_PRIVATE_NETWORK = "all";
process.env.RATE_LIMIT_SCALE = "1000";
const own = takeOwnDatabase();
let owner: Person;
let receiver: Receiver;
let jobs: JobServer | null = null;

beforeAll(async () => {
  await databaseReady();
  owner = await seedPerson("Owner");
  receiver = await startReceiver();
});
afterAll(async () => {
  await jobs?.stop();
  await writeNow();
  await own.drop();
  await receiver.close();
});

/** Moves the times of waiting work back by ten minutes. */
async function passTime(): Promise<void> {
  const earlier = (name: string) => ({ $subtract: [`$${name}`, TEN_MINUTES_MS] });
  for (const [of, name] of [
    [collections.runs(), "work.dueAt"],
    [collections.runs(), "endPendingSince"],
    [collections.deliveries(), "work.dueAt"],
  ] as const) {
    await of.updateMany({ [name]: { $exists: true } }, [{ $set: { [name]: earlier(name) } }]);
  }
}

it(`finds ${AWAY} triggers, ends and deliveries each after ten minutes without a job runner, and loses none (F6)`, {
  tags: ["long"],
  timeout: 900_000,
}, async () => {
  const home = `/api/workspaces/${owner.workspaceId}`;
  const send = (path: string, body?: object) => call("POST", home + path, { cookie: owner.cookie, body });
  const connections = await call("GET", `${home}/connectors`, { cookie: owner.cookie });
  const connectionId = connections.json.data[0].id;
  // Its first query builds the sample.
  await send(`/databases/${connectionId}/execute`, { query: "select 1 as one" });
  const told = await addConsole(owner);
  const sent = await addConsole(owner);
  for (const consoleId of [told, sent]) await addRules(owner.workspaceId, consoleId, [`${receiver.url}/${consoleId}`]);

  sendJobEventsBy(() => Promise.reject(new Error("away")));
  const triggered: string[] = [];
  for (let n = 0; n < AWAY; n += 1) {
    const { id } = (await send("/consoles", { name: `away ${n}`, content: "select 1 as one", connectionId })).json.data;
    const answer = await send(`/consoles/${id}/schedule/run`);
    expect([answer.status, answer.json.data?.run.status]).toEqual([202, "queued"]);
    triggered.push(answer.json.data.run.id);
    await endRun({ workspaceId: owner.workspaceId, consoleId: told });
    // This run's end was reported, and then the runner disappeared before it could be called for the delivery.
    const run = await endRun({ workspaceId: owner.workspaceId, consoleId: sent });
    await fanOut({
      workspaceId: owner.workspaceId,
      resourceType: "scheduled_query",
      resourceId: sent,
      runId: run._id.toHexString(),
      status: "success",
      trigger: "success",
    }).catch(() => {});
    await collections.runs().updateOne({ _id: run._id }, { $unset: { endPendingSince: true } });
  }
  await passTime();
  // They sweep all the time, and give nothing up.
  for (let look = 0; look < 3; look += 1) await sweep();
  const of = { _id: { $in: triggered.map((id) => new ObjectId(id)) } };
  const open = { resourceId: { $in: [told, sent].map((id) => new ObjectId(id)) }, status: "queued" as const };
  expect(await collections.runs().countDocuments({ ...of, status: "queued" })).toBe(AWAY);
  expect(await collections.runs().countDocuments({ endPendingSince: { $exists: true } })).toBe(AWAY);
  expect(await collections.deliveries().countDocuments(open)).toBe(AWAY);
  expect(receiver.hits).toEqual([]);
  await passTime();

  const since = performance.now();
  jobs = await startJobServer(functions);
  const isDone = async () =>
    (await collections.runs().countDocuments({ ...of, status: "success" })) === AWAY &&
    (await collections.deliveries().countDocuments({ ...open, status: "sent" })) === 2 * AWAY;
  for (let look = 0; !(await isDone()); look += 1) {
    if (performance.now() - since > WAIT_MS) throw new Error("Not all was done that waited.");
    if (look % (SWEEP_EVERY_MS / 100) === 0) await sweep();
    await sleep(100);
  }
  const seconds = (performance.now() - since) / 1000;
  expect(new Set(receiver.hits.map(({ headers }) => headers["webhook-id"])).size).toBe(2 * AWAY);
  expect(receiver.hits).toHaveLength(2 * AWAY);
  process.stdout.write(
    `F6: ${AWAY} triggers, ${AWAY} ends and ${AWAY} deliveries of ten minutes without a job runner: 0 lost, all done ${seconds.toFixed(1)} s after its return\n`,
  );
  // Times of a few runs say nothing.
  if (IS_WHOLE) expect(seconds).toBeLessThan(DRAINED_WITHIN_MS / 1000);
});
