import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { collections as jobCollections } from "@/lib/platform/jobs/collections";
import { toEventDocs } from "@/lib/platform/jobs/events";
import { bundleProcess } from "@/test/bundle";
import { takeOwnDatabase } from "@/test/database";
import { addConsole } from "@/test/fixtures/notifications/ended-run";
import { type Person, seedPerson } from "@/test/seed";
import { becomesHealthy, startServer, type TestServer } from "@/test/servers/millrace";
import { addRules, queue, startReceivers } from "./backlog";

/*
 * The effect of a backlog of deliveries on all other users (F13), on the product as built and started: its rate, and
 * the latency of another route during it. It runs only in full: times of a few hundred deliveries say nothing.
 */
const BACKLOG = Number(process.env.BACKLOG ?? 0);
const HOSTS = 20;
const RULES_PER_RUN = 50;
const ANSWER_MS = 100;
const RATE_MIN = 200;
const PROBE_EVERY_MS = 50;
/** Times of the route alone, in ms: for compilation, and for measurements before and after the backlog. */
const WARM_MS = 5_000;
const IDLE_MS = 6_000;
/** Minimum share of the requested processor time with which measured times are meaningful. */
const SPARE_MIN = 0.8;
const SPARE_MS = 3_000;
const SLICE_MS = 4;

const own = takeOwnDatabase();
let owner: Person;
let bundle = "";
let product: TestServer | null = null;

describe.runIf(BACKLOG > 0)("a backlog of deliveries in the product (F13)", () => {
  beforeAll(async () => {
    await databaseReady();
    owner = await seedPerson("Owner");
    bundle = await bundleProcess("test/faults/receivers-process.ts");
  });
  afterAll(async () => {
    product?.process.kill("SIGTERM");
    await product?.ended;
    await own.drop();
    rmSync(bundle, { force: true });
  });

  it(`of ${BACKLOG} is sent at ${RATE_MIN} a second, with little effect on others`, async ({ skip }) => {
    const receivers = await startReceivers(bundle, HOSTS, ANSWER_MS);
    try {
      const { MONGODB_URI = "", AUTH_SECRET = "", ENCRYPTION_KEYS = "", DATA_DIR = "" } = process.env;
      const keys = { MONGODB_URI, AUTH_SECRET, ENCRYPTION_KEYS, DATA_DIR };
      product = await startServer({ ...keys, ALLOW_PRIVATE_NETWORK: "all", RATE_LIMIT_SCALE: "1000" });
      await becomesHealthy(product);
      const consoleId = await addConsole(owner);
      await addRules(
        owner.workspaceId,
        consoleId,
        Array.from({ length: RULES_PER_RUN }, (_, i) => `${receivers.urls[i % HOSTS]}/in`),
      );
      await probeFor(product, WARM_MS);
      const idle = await probeFor(product, IDLE_MS);
      const spareBefore = await spareOfMachine();
      const events = await queue(owner.workspaceId, consoleId, BACKLOG / RULES_PER_RUN);
      expect((await receivers.look()).messages).toBe(0);

      const since = performance.now();
      const busy = probe(product);
      // Without an owner yet: the product claims them at its next poll.
      const docs = toEventDocs(events, null, "", new Date()).map((doc) => ({ ...doc, state: "ready" as const }));
      await jobCollections.jobEvents().insertMany(docs.map((doc) => ({ ...doc, leaseBy: null })));
      while ((await receivers.look()).messages < BACKLOG) await sleep(100);
      const rate = BACKLOG / ((performance.now() - since) / 1000);
      const busyMs = p95(await busy());
      const open = { resourceId: new ObjectId(consoleId), status: { $in: ["queued" as const, "retrying" as const] } };
      await expect.poll(() => collections.deliveries().countDocuments(open), { timeout: 30_000 }).toBe(0);
      expect(await receivers.look()).toMatchObject({ messages: BACKLOG, repeated: 0 });

      const idleMs = p95([...idle, ...(await probeFor(product, IDLE_MS))]);
      const spare = Math.min(spareBefore, await spareOfMachine());
      process.stdout.write(
        `F13: ${BACKLOG} deliveries by the product to ${HOSTS} receivers of ${ANSWER_MS} ms: ${rate.toFixed(0)} a second; ` +
          `another route's p95 ${idleMs.toFixed(0)} ms idle, ${busyMs.toFixed(0)} ms then, ` +
          `on a machine that gives a thread ${(spare * 100).toFixed(0)} % of what it wants\n`,
      );
      if (spare < SPARE_MIN) skip("other work has the processors: the rate and other routes' times say nothing");
      expect(rate).toBeGreaterThanOrEqual(RATE_MIN);
      expect(busyMs).toBeLessThan(2 * idleMs);
    } finally {
      await receivers.close();
    }
  }, 1_800_000);
});

/** Polls one of the other routes. @returns a function that stops it and returns the duration of each response, in ms */
function probe({ url }: TestServer): () => Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now();
      const answer = await fetch(`${url}/api/workspaces/${owner.workspaceId}`, { headers: { cookie: owner.cookie } });
      await answer.text();
      if (answer.status !== 200) throw new Error(`Another route answered ${answer.status}.`);
      times.push(performance.now() - since);
      await sleep(PROBE_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return times;
  };
}

async function probeFor(server: TestServer, ms: number): Promise<number[]> {
  const end = probe(server);
  await sleep(ms);
  return end();
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}

/** Returns the share of the requested processor time that this thread gets: 1 if no other work interferes. */
async function spareOfMachine(): Promise<number> {
  let wantedMs = 0;
  const before = process.threadCpuUsage();
  const end = performance.now() + SPARE_MS;
  while (performance.now() < end) {
    const since = performance.now();
    while (performance.now() < since + SLICE_MS);
    wantedMs += performance.now() - since;
    await sleep(SLICE_MS);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / wantedMs;
}
