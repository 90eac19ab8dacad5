import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverNotification } from "@/inngest/functions/deliver-notification";
import { collections } from "@/lib/features/instance/collections";
import { deliver } from "@/lib/features/notifications/deliver";
import type { DeliveryQueued } from "@/lib/features/notifications/enqueue";
import { mongoClient } from "@/lib/platform/db/client";
import { databaseReady } from "@/lib/platform/db/ready";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { bundleProcess } from "@/test/bundle";
import { takeOwnDatabase } from "@/test/database";
import { addConsole } from "@/test/fixtures/notifications/ended-run";
import { startReceiver } from "@/test/fixtures/notifications/receiver";
import { type JobServer, startJobServer } from "@/test/jobs/server";
import { type Person, seedPerson } from "@/test/seed";
import { addRules, queue, startReceivers } from "./backlog";

/*
 * A backlog of deliveries to slow receivers (F13). `npm test` has a few hundred; BACKLOG=10000 is the number that the
 * product promises. backlog-product.int.test.ts measures its rate and its effect on others.
 */
const BACKLOG = Number(process.env.BACKLOG ?? 240);
const IS_WHOLE = process.env.BACKLOG !== undefined;
const HOSTS = IS_WHOLE ? 20 : 4;
const RULES_PER_RUN = IS_WHOLE ? 50 : 20;
const ANSWER_MS = 100;
const AT_ONCE = 5;
/** Less than one command each to claim and to record; the rest is for the runner and the sweeps. */
const COMMANDS_EACH_MAX = 4;
/** Maximum growth of the heap from the middle of a backlog, where all have warmed up, to its end, in bytes. */
const GROWTH_MAX = 32 * 1024 * 1024;

process.env.ALLOW_PRIVATE_NETWORK = "all";
// Monitoring each command costs the driver a twentieth of its time, which would lower the rate.
if (!IS_WHOLE) {
  const uri = new URL(process.env.MONGODB_URI ?? "");
  uri.searchParams.set("monitorCommands", "true");
  process.env.MONGODB_URI = uri.toString();
}
const own = takeOwnDatabase();
let owner: Person;
let bundle = "";

beforeAll(async () => {
  await databaseReady();
  owner = await seedPerson("Owner");
  bundle = await bundleProcess("test/faults/receivers-process.ts");
});
afterAll(async () => {
  await own.drop();
  rmSync(bundle, { force: true });
});

const statuses = async (consoleId: string) =>
  (await collections.deliveries().distinct("status", { resourceId: new ObjectId(consoleId) })).sort();
const openOf = (consoleId: string) =>
  collections
    .deliveries()
    .countDocuments({ resourceId: new ObjectId(consoleId), status: { $in: ["queued", "retrying"] } });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Returns the retained bytes of the process: garbage depends on the machine. */
async function kept(): Promise<number> {
  // Objects that the first collection finalises are freed in a later tick.
  for (let i = 0; i < 3; i += 1) {
    collect();
    await sleep(0);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a backlog of deliveries (F13)", () => {
  it(
    `of ${BACKLOG} is sent once each, at most ${AT_ONCE} per host at once, with few calls and commands`,
    async () => {
      const receivers = await startReceivers(bundle, HOSTS, ANSWER_MS);
      const consoleId = await addConsole(owner);
      await addRules(
        owner.workspaceId,
        consoleId,
        Array.from({ length: RULES_PER_RUN }, (_, i) => `${receivers.urls[i % HOSTS]}/in`),
      );
      const events = await queue(owner.workspaceId, consoleId, BACKLOG / RULES_PER_RUN);
      // One call for each host, and another when the first is so old that it might be lost.
      if (!IS_WHOLE) expect(events).toHaveLength(HOSTS);
      let jobs: JobServer | null = null;
      let commands = 0;
      const count = () => {
        commands += 1;
      };
      try {
        jobs = await startJobServer([deliverNotification]);
        mongoClient().on("commandStarted", count);
        const cpu = process.cpuUsage();
        const since = performance.now();
        await jobs.send(events);
        let atHalf = 0;
        for (let seen = 0; seen < BACKLOG; { messages: seen } = await receivers.look()) {
          if (atHalf === 0 && seen >= BACKLOG / 2) atHalf = await kept();
          await sleep(100);
        }
        const seconds = (performance.now() - since) / 1000;
        const used = process.cpuUsage(cpu);
        await expect.poll(() => openOf(consoleId), { timeout: 30_000 }).toBe(0);
        mongoClient().off("commandStarted", count);
        await jobs.settled();

        expect(await statuses(consoleId)).toEqual(["sent"]);
        const seen = await receivers.look();
        expect(seen).toMatchObject({ messages: BACKLOG, repeated: 0 });
        // A busy machine may never send that many to one host at the same moment.
        expect(seen.busiest).toBeLessThanOrEqual(AT_ONCE);
        const calls = (await jobs.runsOf("deliver-notification")).length;
        const each = commands / BACKLOG;
        const rate = BACKLOG / seconds;
        const grown = (await kept()) - atHalf;
        process.stdout.write(
          `F13: ${BACKLOG} deliveries to ${HOSTS} receivers of ${ANSWER_MS} ms: ${rate.toFixed(0)} a second, ${calls} calls, ` +
            `${IS_WHOLE ? "" : `${each.toFixed(2)} commands and `}${((used.user + used.system) / 1000 / BACKLOG).toFixed(1)} ms of processor each; ` +
            `${(grown / 1024 / 1024).toFixed(0)} MiB more kept at the end than at half\n`,
        );
        expect(each).toBeLessThan(COMMANDS_EACH_MAX);
        expect(calls).toBeLessThanOrEqual(IS_WHOLE ? BACKLOG / 10 : HOSTS);
        expect(grown).toBeLessThan(GROWTH_MAX);
      } finally {
        mongoClient().off("commandStarted", count);
        await jobs?.stop();
        await receivers.close();
      }
    },
    IS_WHOLE ? 1_800_000 : 120_000,
  );

  it("continues in the next call after its time, and completes", { tags: ["long"] }, async () => {
    const receiver = await startReceiver();
    const consoleId = await addConsole(owner);
    await addRules(owner.workspaceId, consoleId, Array(40).fill(`${receiver.url}/in`));
    const waiting = await queue(owner.workspaceId, consoleId, 1);
    expect(waiting).toHaveLength(1);
    let calls = 0;
    const seen = new Set<string>();
    sendJobEventsBy(async (events) => {
      waiting.push(...events);
    });
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      expect(seen.has(event.id)).toBe(false);
      seen.add(event.id);
      calls += 1;
      expect(await deliver(event.data as DeliveryQueued, { callMs: 1 })).toMatchObject({ state: "final" });
    }
    expect(new Set(receiver.hits.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
    expect(receiver.hits).toHaveLength(40);
    expect(calls).toBeGreaterThan(1);
    expect(await statuses(consoleId)).toEqual(["sent"]);
    await receiver.close();
  });

  it("resends failed deliveries on schedule in separate calls", async () => {
    const hits = new Map<string, number>();
    const receiver = await startReceiver(({ headers, url }, response) => {
      const id = String(headers["webhook-id"]);
      hits.set(id, (hits.get(id) ?? 0) + 1);
      response.writeHead(url?.startsWith("/fails") && hits.get(id) === 1 ? 500 : 200).end();
    });
    const consoleId = await addConsole(owner);
    const paths = [...Array(25).fill("/in"), ...Array(5).fill("/fails")];
    await addRules(
      owner.workspaceId,
      consoleId,
      paths.map((path) => receiver.url + path),
    );
    const [asked] = await queue(owner.workspaceId, consoleId, 1);
    const later: JobEvent[] = [];
    sendJobEventsBy(async (events) => {
      later.push(...events);
    });
    // It was called for twenty, and sends all thirty.
    const only = { ...(asked?.data as DeliveryQueued) };
    only.deliveryIds = only.deliveryIds.slice(0, 20);
    expect((await deliver(only)).state).toBe("final");
    expect(hits.size).toBe(30);
    expect(later).toHaveLength(1);
    expect(later[0]?.data).toMatchObject({ target: only.target, afterMs: 15_000 });
    expect(later[0]?.data.deliveryIds).toHaveLength(5);
    const again = await Promise.all([deliver(later[0]?.data as DeliveryQueued), deliver(only)]);
    expect(again.map(({ state }) => state)).toContain("final");
    expect([...hits.values()].sort()).toEqual([...Array(25).fill(1), ...Array(5).fill(2)]);
    expect(await statuses(consoleId)).toEqual(["sent"]);
    await receiver.close();
  });
});
