import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { BSON, type CommandStartedEvent, type CommandSucceededEvent, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functions } from "@/inngest/functions";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { collections } from "@/lib/features/instance/collections";
import { SYNC_EVENT } from "@/lib/features/linked-repositories/enqueue";
import type { DeliveryQueued } from "@/lib/features/notifications/enqueue";
import { fanOut } from "@/lib/features/notifications/fan-out";
import { writeNow } from "@/lib/features/query/history-writer";
import { BASE_PACK_EVENT } from "@/lib/features/repository/git/base-pack";
import type { RunEnded } from "@/lib/features/runs/ends";
import { mongoClient } from "@/lib/platform/db/client";
import { databaseReady } from "@/lib/platform/db/ready";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { appDocOf, bindingText, serve } from "@/test/fixtures/apps/bindings/binding-world";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { addConsole, endRun } from "@/test/fixtures/notifications/ended-run";
import { type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import { type JobServer, startJobServer } from "@/test/jobs/server";

/*
 * Runs that an earlier version started (F17). The folder beside this file has a run of each function as the executor
 * stored it, before its first call and after each of its steps. Today's functions bring each to its right end. Ids of
 * functions and steps, and the shapes of events, therefore stay the same once they are published. To change one, keep
 * the old one beside it and add a file for the new one.
 *
 *   STORED_RUNS=write npx vitest run --project 'int*' test/upgrade/stored-runs.int.test.ts
 *
 * writes files for runs that have none yet, and changes none.
 */
const FOLDER = new URL("./stored-runs/", import.meta.url);
const IS_WRITING = process.env.STORED_RUNS === "write";

/** Far longer than a test waits: a sleep that starts a second time is noticed. */
const PAUSE_MS = 3_600_000;

// biome-ignore lint/suspicious/noExplicitAny: documents of the executor, whose shape is what is tested
type Doc = Record<string, any>;
type Stored = { run: Doc; tasks: Doc[] };

process.env.ALLOW_PRIVATE_NETWORK = "all";
const uri = new URL(process.env.MONGODB_URI ?? "");
uri.searchParams.set("monitorCommands", "true");
process.env.MONGODB_URI = uri.toString();
const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let ana: FlowAuthor;
const receivers: Receiver[] = [];
let jobs: JobServer | null = null;

beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
});
afterAll(async () => {
  await jobs?.stop();
  await Promise.all(receivers.map((each) => each.close()));
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
  dataDir.remove();
});

/** A run's start event, and the check of its result. */
type Matter = { event: JobEvent | null; isDone: () => Promise<void> };

const matters: Record<string, () => Promise<Matter>> = {
  "millrace-run-console": async () => {
    const connectionId = (await ana.send("GET", "/connectors")).json.data[0].id;
    const made = await ana.send("POST", "/consoles", { name: "Daily", content: "select 1 as one", connectionId });
    const consoleId = made.json.data.id;
    await taken(() => ana.send("POST", `/consoles/${consoleId}/schedule/run`));
    const [event = null] = heard;
    return {
      event,
      isDone: async () => {
        const { items } = (await ana.send("GET", `/consoles/${consoleId}/runs`)).json.data;
        expect(items).toMatchObject([{ status: "success", rowCount: 1 }]);
      },
    };
  },
  "millrace-run-flow": async () => {
    const connectionId = await ana.file("duckdb");
    await ana.sql(connectionId, "create or replace table many as select i as id from range(10) t(i)");
    await taken(() =>
      ana.send("POST", "/flows", {
        name: "Stored",
        type: "sync",
        source: { connectionId, entities: [{ name: "many", primaryKey: ["id"] }] },
        destination: { connectionId, table: "copied", write: "replace" },
        trigger: true,
      }),
    );
    const [event = null] = heard;
    return {
      event,
      isDone: async () => expect(await ana.sql(connectionId, "select count(*) as n from copied")).toEqual([{ n: 10 }]),
    };
  },
  "millrace-refresh-dashboard": async () => {
    const connectionId = (await ana.send("GET", "/connectors")).json.data[0].id;
    const datasets = [{ name: "One", source: { connectionId, query: "select 1 as one" } }];
    const { id } = (await ana.send("POST", "/dashboards", { title: "Sales", datasets })).json.data;
    await taken(() => ana.send("POST", `/dashboards/${id}/refresh`));
    const [event = null] = heard;
    return {
      event,
      isDone: async () => {
        const { items } = (await ana.send("GET", `/dashboards/${id}/runs`)).json.data;
        expect(items).toMatchObject([{ status: "success", rowCount: 1 }]);
      },
    };
  },
  "millrace-refresh-binding": async () => {
    const { workspaceId, id } = ana.person;
    const connectionId = (await ana.send("GET", "/connectors")).json.data[0].id;
    const made = (await ana.send("POST", "/apps", { title: "Sales", access: "workspace" })).json.data;
    const app = await appDocOf(workspaceId, made.id);
    const caller = await callerOfJob(app.workspaceId, new ObjectId(id), app._id);
    if (caller) await serve(app, caller, { one: bindingText(connectionId, "select 1 as one") });
    const standing = () => collections.datasets().findOne({ ownerId: app._id });
    const before = await standing();
    await taken(() => ana.send("POST", `/apps-v2/${made.id}/bindings/one/refresh`));
    const [event = null] = heard;
    return {
      event,
      isDone: async () => {
        const after = await standing();
        expect(after?.kept?.rowCount).toBe(1);
        expect(after?.kept?.resultId).not.toEqual(before?.kept?.resultId);
      },
    };
  },
  "millrace-fan-out-notifications": async () => {
    const { event, deliveries } = await endedRun();
    return { event, isDone: async () => expect(await deliveries()).toMatchObject([{ status: "sent" }]) };
  },
  "millrace-deliver-notification": async () => {
    const { event, deliveries, receiver } = await endedRun();
    await taken(() => fanOut(event?.data as RunEnded));
    const [call = null] = heard;
    return {
      event: call,
      isDone: async () => {
        const [sent] = await deliveries();
        expect(sent).toMatchObject({ status: "sent", attempts: 1 });
        expect(receiver.hits.filter(({ headers }) => headers["webhook-id"] === sent?.webhookId)).toHaveLength(1);
      },
    };
  },
  "millrace-take-snapshot": async () => {
    const { id } = (await ana.send("POST", "/dashboards", { title: "Sales" })).json.data;
    const receiver = await startReceiver();
    receivers.push(receiver);
    const when = { cron: "0 8 * * *", timezone: "UTC" };
    const body = { ...when, channelType: "webhook", url: `${receiver.url}/in` };
    const made = (await ana.send("POST", `/dashboards/${id}/snapshots`, body)).json.data;
    await taken(() => ana.send("POST", `/dashboards/${id}/snapshots/${made.id}/send`));
    const [event = null] = heard;
    return {
      event,
      isDone: async () => {
        const snapshot = await collections.snapshots().findOne({ _id: new ObjectId(String(made.id)) });
        expect(snapshot?.lastDeliveryId).toBeInstanceOf(ObjectId);
      },
    };
  },
  // A workspace of a few commits has no pack, and one without a link has nothing to sync: both end and leave nothing.
  "millrace-extend-base-pack": async () => ({ event: ofWorkspace(BASE_PACK_EVENT), isDone: async () => {} }),
  "millrace-sync-linked-repository": async () => ({ event: ofWorkspace(SYNC_EVENT), isDone: async () => {} }),
  "millrace-look-at-linked-repositories": async () => ({ event: null, isDone: async () => {} }),
  "millrace-run-schedules": async () => ({ event: null, isDone: async () => {} }),
  "millrace-sweep-undone": async () => ({ event: null, isDone: async () => {} }),
};

const ofWorkspace = (name: string): JobEvent => {
  const { workspaceId } = ana.person;
  return { name, id: `${name}:${workspaceId}`, data: { workspaceId } };
};

/** Events that were sent while no runner received them. */
let heard: JobEvent[] = [];
async function taken(work: () => Promise<unknown>): Promise<void> {
  heard = [];
  sendJobEventsBy(async (events) => {
    heard.push(...events);
  });
  await work();
}

async function endedRun() {
  const { workspaceId } = ana.person;
  const consoleId = await addConsole(ana.person);
  // A separate host: nothing else waits for it.
  const receiver = await startReceiver();
  receivers.push(receiver);
  const of = { resourceType: "scheduled_query", resourceId: consoleId };
  const rule = { ...of, triggers: ["success"], channelType: "webhook", url: `${receiver.url}/in` };
  expect((await ana.send("POST", "/notification-rules", rule)).status).toBe(201);
  await taken(() => endRun({ workspaceId, consoleId }));
  const [event = null] = heard;
  const deliveries = () =>
    collections
      .deliveries()
      .find({ resourceId: new ObjectId(consoleId) })
      .toArray();
  return { event, deliveries, receiver };
}

const filesOf = () => readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const read = (name: string): Stored => BSON.EJSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as Stored;

/** Reads a stored run with new ids: several files are of one run. */
function readAnew(name: string): Stored {
  const text = readFileSync(new URL(name, FOLDER), "utf8");
  const id = new ObjectId().toHexString().padStart(26, "0");
  const stored = BSON.EJSON.parse(text.replaceAll(read(name).run._id, id)) as Stored;
  return { ...stored, run: { ...stored.run, key: id } };
}

/** Returns a stored event with today's ids and its stored shape. */
function about(stored: unknown, now: unknown): unknown {
  const today = (now ?? {}) as Doc;
  const facts: Doc = { ...today, deliveryId: today.deliveryIds?.[0] };
  return Object.fromEntries(
    Object.entries((stored ?? {}) as Doc).map(([key, value]) => [
      key,
      key === "afterMs" ? value : (facts[key] ?? value),
    ]),
  );
}

describe("a run started by an earlier version (F17)", () => {
  it.runIf(IS_WRITING)("is stored", async () => {
    mkdirSync(FOLDER, { recursive: true });
    const matterOf = new Map<string, Matter>();
    for (const [id, make] of Object.entries(matters)) matterOf.set(id, await make());
    const stored = recordRuns();
    jobs = await startJobServer(functions);
    for (const { event } of matterOf.values()) if (event) await jobs.send(event);
    const call = matterOf.get("millrace-deliver-notification")?.event as JobEvent;
    const { workspaceId, deliveryIds } = call.data as DeliveryQueued;
    await jobs.send({ ...call, id: "older", data: { workspaceId, deliveryId: deliveryIds[0] } });
    await jobs.send({ ...call, id: "paused", data: { ...call.data, afterMs: PAUSE_MS } });
    jobs.advance(PAUSE_MS);
    await expect.poll(() => new Set([...stored.values()].map(({ run }) => run.functionId)).size).toBe(matterOf.size);
    await jobs.settled();
    await jobs.stop();
    jobs = null;
    for (const [name, each] of stored) {
      const file = new URL(`${name}.json`, FOLDER);
      if (!filesOf().includes(`${name}.json`)) writeFileSync(file, `${BSON.EJSON.stringify(each, undefined, 2)}\n`);
    }
  });

  it("is stored for each function", () => {
    const declared = functions.map((each) => `millrace-${each.id()}`).sort();
    expect(Object.keys(matters).sort()).toEqual(declared);
    expect([...new Set(filesOf().map((name) => read(name).run.functionId))].sort()).toEqual(declared);
  });

  it.each(filesOf().map((name) => [name]))("as in %s completes correctly", async (name) => {
    const { run, tasks } = readAnew(name);
    const matter = await (matters[run.functionId] as (typeof matters)[string])();
    const payload = JSON.parse(run.payload);
    payload.data = about(payload.data, matter.event?.data);
    await collections.jobRuns().insertOne({ ...run, payload: JSON.stringify(payload) } as never);
    if (tasks.length > 0) await collections.jobTasks().insertMany(tasks as never[]);
    jobs = await startJobServer(functions);
    if (name === "deliver-notification-paused.begun.json") {
      await expect.poll(() => collections.jobTasks().countDocuments({ runId: run._id, kind: "sleep" })).toBe(1);
      jobs.advance(PAUSE_MS);
    }
    await expect
      .poll(async () => (await collections.jobRuns().findOne({ _id: run._id }))?.status, { timeout: 90_000 })
      .toBe("completed");
    await jobs.settled();
    await jobs.stop();
    jobs = null;
    // A finished step does not run a second time.
    if (name === "fan-out-notifications.kept.json") {
      expect(await collections.deliveries().countDocuments({ runId: new ObjectId(String(payload.data.runId)) })).toBe(
        0,
      );
    } else await matter.isDone();
  });
});

/** Records the stored form of runs at their start and after each stored step, by a key for that moment. */
function recordRuns(): Map<string, Stored> {
  const stored = new Map<string, Stored>();
  const tasksOf = new Map<string, Doc[]>();
  const began = new Map<string, string>();
  const note = (run: Doc, moment: string) => {
    const base = `${String(run.functionId).replace("millrace-", "")}${began.get(run._id) ?? ""}`;
    stored.set(`${base}.${moment}`, { run, tasks: tasksOf.get(run._id) ?? [] });
  };
  mongoClient().on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    if (commandName !== "insert") return;
    for (const doc of command.documents as Doc[]) {
      if (command.insert === "job_tasks" && doc.runId) {
        tasksOf.set(doc.runId, [...(tasksOf.get(doc.runId) ?? []), { ...doc }]);
        const behind = [...stored.values()].find(
          ({ run }) => run._id === doc.runId && run.pending.includes(doc.stepId),
        );
        behind?.tasks.push({ ...doc });
      }
      if (command.insert !== "job_runs") continue;
      const { data } = JSON.parse(doc.payload);
      began.set(doc._id, "deliveryId" in data ? "-one" : "afterMs" in data ? "-paused" : "");
      note({ ...doc }, "begun");
    }
  });
  mongoClient().on("commandSucceeded", ({ commandName, reply }: CommandSucceededEvent) => {
    const run = (reply as Doc).value;
    if (commandName !== "findAndModify" || !run?.functionId || !began.has(run._id) || run.status !== "active") return;
    if (run.pending.length > 0) note({ ...run, state: "idle", leaseBy: null }, "asleep");
    else if (run.stack.length > 0) note({ ...run, state: "ready", leaseBy: null }, "kept");
  });
  return stored;
}
