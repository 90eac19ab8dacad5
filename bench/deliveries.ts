import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { deliverNotification } from "../inngest/functions/deliver-notification";
import { fanOutNotifications } from "../inngest/functions/fan-out-notifications";
import { collections } from "../lib/features/instance/collections";
import { prepareStore } from "../lib/features/instance/prepare-store";
import { attemptDelivery } from "../lib/features/notifications/attempts";
import { nextChannel } from "../lib/features/notifications/channels/stored";
import { fanOut } from "../lib/features/notifications/fan-out";
import { RUN_ENDED_EVENT, type RunEnded } from "../lib/features/runs/ends";
import { beginRun, finishRun, queueRun } from "../lib/features/runs/service";
import { closeDatabase } from "../lib/platform/db/client";
import { databaseReady } from "../lib/platform/db/ready";
import { sendJobEventsBy } from "../lib/platform/process/job-events";
import { startJobServer } from "../test/jobs/server";

/*
 * Measures deliveries by the embedded executor, with the store and the receivers on one machine and the functions in
 * this process: deliveries per second, and the time from the end of a run to the first attempt. The budget is 200 per
 * second, and 500 ms for 95 of a hundred.
 */

const START_TIMEOUT_MS = 45_000;
const RULES_PER_RUN = 50;
/** Number of concurrent sends without a runner that limits them. */
const SENDERS = 20;
const LATENCIES = 200;
const LATENCY_EVERY_MS = 50;

type Receivers = { urls: string[]; count: () => number; onHit: (runId: string) => void; close: () => void };

/** @param delayMs response time of each */
async function startReceivers(count: number, delayMs: number): Promise<Receivers> {
  // Counted once each: on a busy machine a message may be sent again.
  const messages = new Set<unknown>();
  const receivers: Receivers = { urls: [], count: () => messages.size, onHit: () => {}, close: () => {} };
  const servers: Server[] = [];
  for (let i = 0; i < count; i += 1) {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part) => parts.push(part));
      request.once("end", () => {
        messages.add(request.headers["webhook-id"]);
        receivers.onHit(JSON.parse(Buffer.concat(parts).toString()).runId);
        setTimeout(() => response.end("ok"), delayMs);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
    receivers.urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`);
  }
  receivers.close = () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
  return receivers;
}

/** Creates a console with `count` rules, spread over the receivers. */
async function addRules(workspaceId: ObjectId, urls: string[], count: number): Promise<ObjectId> {
  const resourceId = new ObjectId();
  const now = new Date();
  for (let i = 0; i < count; i += 1) {
    const place = { _id: new ObjectId(), workspaceId };
    const { channel } = nextChannel(place, null, { channelType: "webhook", url: urls[i % urls.length] ?? "" });
    await collections.notificationRules().insertOne({
      ...place,
      resourceType: "scheduled_query",
      resourceId,
      enabled: true,
      triggers: ["success"],
      channel,
      createdBy: new ObjectId(),
      createdAt: now,
      updatedAt: now,
      revision: 1,
    });
  }
  return resourceId;
}

async function endRun(workspaceId: ObjectId, resourceId: ObjectId): Promise<string> {
  const { run } = await queueRun({
    workspaceId,
    resourceType: "scheduled_query",
    resourceId,
    resourceName: "Daily revenue",
    triggerType: "scheduled",
    triggeredBy: null,
  });
  const begun = await beginRun(workspaceId, run._id);
  if (!begun) throw new Error("The run could not be begun.");
  await finishRun(begun.hold, { status: "success", rowCount: 3 });
  return run._id.toHexString();
}

/** Measures a number of deliveries: wall clock, and processor time of this process. */
async function throughput(
  workspaceId: ObjectId,
  deliveries: number,
  receivers: Receivers,
): Promise<Record<string, string>> {
  const rules = Math.min(RULES_PER_RUN, deliveries);
  const resourceId = await addRules(workspaceId, receivers.urls, rules);
  const since = performance.now();
  const cpu = process.cpuUsage();
  for (let made = 0; made < deliveries; made += rules) await endRun(workspaceId, resourceId);
  while (receivers.count() < deliveries) await sleep(20);
  return toRates(deliveries, performance.now() - since, process.cpuUsage(cpu));
}

function toRates(deliveries: number, ms: number, cpu: NodeJS.CpuUsage): Record<string, string> {
  return {
    "deliveries/s": (deliveries / (ms / 1000)).toFixed(0),
    "processor, ms each": ((cpu.user + cpu.system) / 1000 / deliveries).toFixed(1),
  };
}

/** Measures the sends alone, without a runner: the domain's share of the figures. */
async function sendsAlone(workspaceId: ObjectId, deliveries: number): Promise<Record<string, string>> {
  const receivers = await startReceivers(1, 0);
  const rules = Math.min(RULES_PER_RUN, deliveries);
  const resourceId = await addRules(workspaceId, receivers.urls, rules);
  sendJobEventsBy(async (events) => {
    for (const { name, data } of events) {
      if (name === RUN_ENDED_EVENT) await fanOut(data as RunEnded);
    }
  });
  for (let made = 0; made < deliveries; made += rules) await endRun(workspaceId, resourceId);
  const waiting = await collections.deliveries().distinct("_id", { resourceId });
  const since = performance.now();
  const cpu = process.cpuUsage();
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      await attemptDelivery(workspaceId, next);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, work));
  receivers.close();
  return toRates(deliveries, performance.now() - since, process.cpuUsage(cpu));
}

async function latencies(workspaceId: ObjectId, receivers: Receivers): Promise<number[]> {
  const resourceId = await addRules(workspaceId, receivers.urls, 1);
  const ended = new Map<string, number>();
  const arrived = new Map<string, number>();
  receivers.onHit = (runId) => arrived.set(runId, performance.now());
  for (let i = 0; i < LATENCIES; i += 1) {
    const since = performance.now();
    ended.set(await endRun(workspaceId, resourceId), since);
    await sleep(LATENCY_EVERY_MS);
  }
  while (arrived.size < LATENCIES) await sleep(20);
  return [...ended].map(([id, at]) => (arrived.get(id) ?? 0) - at).sort((a, b) => a - b);
}

/** Prints a table. Arguments: the number of deliveries of each kind. */
export async function run([count = "2000"]: string[] = []): Promise<void> {
  const deliveries = Number(count);
  const dir = await mkdtemp(join(tmpdir(), "millrace-bench-"));
  const store = ensureStoreService({ dataDir: dir, durability: "normal" });
  process.env.DATA_DIR = dir;
  process.env.ALLOW_PRIVATE_NETWORK = "all";
  delete process.env.MONGODB_URI;
  try {
    await store.whenUp(START_TIMEOUT_MS);
    prepareStore();
    await databaseReady();
    const workspaceId = new ObjectId();
    await collections
      .workspaces()
      .insertOne({ _id: workspaceId, name: "Bench", slug: "bench", createdAt: new Date(), updatedAt: new Date() });
    const rows: Record<string, Record<string, string>> = {};
    rows["sends without a runner"] = await sendsAlone(workspaceId, deliveries);
    const jobs = await startJobServer([fanOutNotifications, deliverNotification]);
    for (const [name, hosts, delayMs] of [
      ["one receiver", 1, 0],
      ["20 receivers", 20, 0],
      ["20 receivers that take 100 ms", 20, 100],
    ] as const) {
      const receivers = await startReceivers(hosts, delayMs);
      rows[name] = await throughput(workspaceId, deliveries, receivers);
      receivers.close();
    }
    const receivers = await startReceivers(1, 0);
    const sorted = await latencies(workspaceId, receivers);
    receivers.close();
    const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)} ms`;
    rows["from the end of a run to its first attempt"] = { p50: at(0.5), p95: at(0.95) };
    console.table(rows);
    await jobs.stop();
  } finally {
    await closeDatabase();
    await store.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
