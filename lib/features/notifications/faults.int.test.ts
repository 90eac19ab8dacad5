import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { bundleProcess } from "@/test/bundle";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { randomOf } from "@/test/random";
import { type Person, seedPerson } from "@/test/seed";
import { attemptDelivery } from "./attempts";
import { fanOut } from "./fan-out";

/*
 * Deliveries whose servers are killed and whose receivers fail (F1, F3). `npm test` has a few hundred; DELIVERIES=10000
 * KILLS=200 is the product's guarantee, including the wait for the leases of dead servers.
 */
const DELIVERIES = Number(process.env.DELIVERIES ?? 150);
const KILLS = Number(process.env.KILLS ?? 3);
const SEED = Number(process.env.FAULTS_SEED ?? 1);
const IS_WHOLE = process.env.KILLS !== undefined;

const CONCURRENCY = 20;
const RULES = 50;
const OPEN = ["queued", "retrying"] as const;
/** F1: every status is final two minutes after the last restart, apart from work that was still waiting. */
const TERMINAL_WITHIN_MS = 120_000;
/** The store and the receiver share one clock, which is read to the millisecond. */
const CLOCK_GRAIN_MS = 2;

process.env.ALLOW_PRIVATE_NETWORK = "all";
process.env.JOB_RETRY_FAST = "1";
const own = takeOwnDatabase();
let owner: Person;
let receiver: Receiver;
let bundle: string;

beforeAll(async () => {
  await databaseReady();
  owner = await seedPerson("Owner");
  receiver = await startReceiver();
  bundle = await bundleProcess("test/fixtures/notifications/sender-process.ts");
});
afterAll(async () => {
  await own.drop();
  await receiver.close();
  rmSync(bundle, { force: true });
});

/** Queues this number of deliveries to the receiver, as runs with several rules each. */
async function queueDeliveries(count: number): Promise<{ resourceId: ObjectId }> {
  const consoleId = await addConsole(owner);
  const rules = Math.min(RULES, count);
  for (let i = 0; i < rules; i += 1) {
    const body = {
      resourceType: "scheduled_query",
      resourceId: consoleId,
      triggers: ["success"],
      channelType: "webhook",
      url: `${receiver.url}/in`,
    };
    const url = `/api/workspaces/${owner.workspaceId}/notification-rules`;
    expect((await call("POST", url, { cookie: owner.cookie, body })).status).toBe(201);
  }
  sendJobEventsBy(async () => {});
  for (let made = 0; made < count; made += rules) {
    const run = await endRun({ workspaceId: owner.workspaceId, consoleId });
    await fanOut({
      workspaceId: owner.workspaceId,
      resourceType: "scheduled_query",
      resourceId: consoleId,
      runId: run._id.toHexString(),
      status: "success",
      trigger: "success",
    });
  }
  return { resourceId: new ObjectId(consoleId) };
}

async function startSender(): Promise<ChildProcess> {
  const child = fork(bundle, [String(CONCURRENCY)], {
    env: process.env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The sender ended with ${code}.`))),
  ]);
  return child;
}

it(`loses and repeats none of ${DELIVERIES} deliveries with their server killed ${KILLS} times (F1)`, async () => {
  const random = randomOf(SEED);
  const hits = new Map<string, number[]>();
  let total = 0;
  receiver.answer = ({ headers }, response) => {
    total += 1;
    const id = String(headers["webhook-id"]);
    hits.set(id, [...(hits.get(id) ?? []), Date.now()]);
    setTimeout(() => response.writeHead(200).end("ok"), random() * 30);
  };
  const of = await queueDeliveries(DELIVERIES);
  const open = () => collections.deliveries().countDocuments({ ...of, status: { $in: [...OPEN] } });

  let sender = await startSender();
  for (let kills = 0; kills < KILLS; kills += 1) {
    // The kills are spread over the work, each at a random instant within its share.
    const atHits = Math.min(
      total + 1 + Math.floor(random() * ((2 * DELIVERIES) / KILLS / 3)),
      DELIVERIES - KILLS + kills,
    );
    while (total < atHits && (await open()) > 0) await sleep(2);
    await sleep(random() * 40);
    const ended = once(sender, "exit");
    sender.kill("SIGKILL");
    await ended;
    sender = await startSender();
  }
  const restartedAt = performance.now();
  const leftAtRestart = await open();
  // The leases of dead servers lapse: in the small run the test sets their end.
  const dead = { ...of, "work.claim": { $exists: true }, status: { $in: [...OPEN] } };
  const isAlive = new Set<string>();
  while ((await open()) > 0) {
    if (!IS_WHOLE) {
      const stuck = await collections.deliveries().find(dead).toArray();
      for (const { _id, workspaceId, work } of stuck) {
        const holder = `${_id} ${work?.claim?.token}`;
        // The same send in two checks a second apart: its server is dead.
        if (isAlive.has(holder)) {
          await collections
            .deliveries()
            .updateOne(
              { _id, workspaceId, "work.claim.token": work?.claim?.token as ObjectId },
              { $set: { "work.dueAt": new Date(0) } },
            );
        }
        isAlive.add(holder);
      }
    }
    if (IS_WHOLE) expect(performance.now() - restartedAt).toBeLessThan(TERMINAL_WITHIN_MS);
    await sleep(1_000);
  }
  const seconds = (performance.now() - restartedAt) / 1000;
  sender.disconnect();
  await once(sender, "exit");

  const docs = await collections.deliveries().find(of).toArray();
  expect(docs).toHaveLength(DELIVERIES);
  expect(docs.filter(({ status }) => status !== "sent")).toEqual([]);
  const repeats = docs.reduce((sum, { webhookId }) => sum + (hits.get(webhookId)?.length ?? 0) - 1, 0);
  for (const { webhookId, attempts, sentAt } of docs) {
    const at = hits.get(webhookId) ?? [];
    expect(at.length).toBeGreaterThanOrEqual(1);
    expect(at.length).toBeLessThanOrEqual(attempts);
    expect(attempts).toBeLessThanOrEqual(6);
    expect(Math.max(...at)).toBeLessThanOrEqual((sentAt?.getTime() ?? 0) + CLOCK_GRAIN_MS);
  }
  expect(hits.size).toBe(DELIVERIES);
  expect(repeats).toBeLessThanOrEqual(CONCURRENCY * KILLS);
  process.stdout.write(
    `F1: ${DELIVERIES} deliveries, ${KILLS} kills, seed ${SEED}: 0 lost, ${repeats} sent again that were in flight at a kill (at most ${CONCURRENCY * KILLS}), ${leftAtRestart} left at the last restart and over ${seconds.toFixed(1)} s after it\n`,
  );
}, 1_800_000);

it(`loses and repeats none of ${DELIVERIES} deliveries to receivers that fail one time in five (F3)`, {
  tags: ["long"],
  timeout: 1_800_000,
}, async () => {
  const random = randomOf(SEED + 1);
  const accepted = new Map<string, number>();
  receiver.answer = ({ headers }, response) => {
    const id = String(headers["webhook-id"]);
    const draw = random();
    if (draw < 0.08) return void response.writeHead(500).end();
    if (draw < 0.16) return void response.destroy();
    // A receiver that never responds holds a send for 10 s: in the small run these are resets, too.
    if (draw < 0.2) return IS_WHOLE && draw < 0.165 ? undefined : void response.destroy();
    accepted.set(id, (accepted.get(id) ?? 0) + 1);
    const slow = draw > 0.95 ? 300 : 0;
    setTimeout(() => response.writeHead(200).end(), slow);
  };
  const of = await queueDeliveries(DELIVERIES);
  const queue = await collections.deliveries().find(of).project({ workspaceId: 1 }).toArray();
  const send = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      let state = "retry";
      while (state === "retry") ({ state } = await attemptDelivery(next.workspaceId, next._id));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));

  const docs = await collections.deliveries().find(of).toArray();
  const failed = docs.filter(({ status }) => status === "failed");
  expect(docs.filter(({ status }) => status !== "sent" && status !== "failed")).toEqual([]);
  for (const { status, webhookId, attempts, attemptLog } of docs) {
    expect(accepted.get(webhookId) ?? 0).toBe(status === "sent" ? 1 : 0);
    expect(attempts).toBeLessThanOrEqual(6);
    expect(attemptLog).toHaveLength(attempts);
  }
  // Six failures in a row have a probability of 0.2^6; add five standard deviations of the binomial distribution.
  const expected = DELIVERIES * 0.2 ** 6;
  expect(failed.length).toBeLessThanOrEqual(Math.ceil(expected + 5 * Math.sqrt(expected)));
  process.stdout.write(
    `F3: ${DELIVERIES} deliveries, one send in five fails: 0 lost, 0 doubled, ${failed.length} failed (expected ${expected.toFixed(2)})\n`,
  );
});
