import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { beginRun, finishRun } from "@/lib/features/runs/service";
import { databaseReady } from "@/lib/platform/db/ready";
import { sendJobEventsBy } from "@/lib/platform/process/job-events";
import { bundleProcess } from "@/test/bundle";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import type { Looked } from "./ticks-process";

/*
 * Ticks of a schedule that several servers check, each a separate process (F8), with clocks that are ten minutes off in
 * both directions (F9). `npm test` has a few; TICKS=1000 is the number that the product promises.
 */
const TICKS = Number(process.env.TICKS ?? 25);
const MINUTE_MS = 60_000;
const WRONG_MS = 10 * MINUTE_MS;
const WAIT = { timeout: 60_000, interval: 2 };

const own = takeOwnDatabase();
let owner: Person;
let bundle: string;
let servers: ChildProcess[] = [];
let consoleId: string;

beforeAll(async () => {
  await databaseReady();
  sendJobEventsBy(async () => {});
  owner = await seedPerson("Owner");
  bundle = await bundleProcess("test/faults/ticks-process.ts");
});
beforeEach(async () => {
  const send = async (method: string, path: string, body: object) => {
    const answer = await call(method, `/api/workspaces/${owner.workspaceId}${path}`, { cookie: owner.cookie, body });
    expect(answer.status).toBeLessThan(300);
    return answer.json.data;
  };
  const connections = await call("GET", `/api/workspaces/${owner.workspaceId}/connectors`, { cookie: owner.cookie });
  const connectionId = connections.json.data[0].id;
  consoleId = (await send("POST", "/consoles", { name: crypto.randomUUID(), content: "select 1", connectionId })).id;
  await send("PUT", `/consoles/${consoleId}/schedule`, { cron: "0 0 1 1 *", timezone: "UTC" });
  servers = await Promise.all([start(WRONG_MS), start(-WRONG_MS)]);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await end(server);
});
afterAll(async () => {
  await own.drop();
  rmSync(bundle, { force: true });
});

async function start(aheadMs: number): Promise<ChildProcess> {
  const child = fork(bundle, [String(aheadMs)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`A server ended with ${code}.`))),
  ]);
  return child;
}
async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, "exit");
  server.disconnect();
  await ended;
}
async function look(server: ChildProcess): Promise<Looked> {
  server.send("?");
  const [done] = await once(server, "message");
  return done as Looked;
}
const schedule = () => ({ resourceId: new ObjectId(consoleId) });
const makeDue = (nextAt: Date) => collections.schedules().updateOne(schedule(), { $set: { nextAt } });
const runs = () => collections.runs().find(schedule()).sort({ _id: 1 }).toArray();
const countRuns = () => collections.runs().countDocuments(schedule());

/** Waits for the tick's run and finishes it: a running one delays the next tick. */
async function runJobs(count: number): Promise<void> {
  await expect.poll(countRuns, WAIT).toBe(count);
  const run = (await runs()).at(-1);
  const held = run && (await beginRun(run.workspaceId, run._id));
  if (!held) throw new Error("The run could not be begun.");
  await finishRun(held.hold, { status: "success" });
  // The server that queued it stores when the next one is due.
  await expect
    .poll(async () => (await collections.schedules().findOne(schedule()))?.lookedAtUntil, WAIT)
    .toBeUndefined();
}

describe("two servers whose clocks are twenty minutes apart (F8, F9)", () => {
  it(`make one run of each of ${TICKS} ticks`, { tags: ["long"], timeout: 600_000 }, async () => {
    const first = Date.now() - (TICKS + 1) * MINUTE_MS;
    for (let n = 0; n < TICKS; n += 1) {
      await makeDue(new Date(first + n * MINUTE_MS));
      await runJobs(n + 1);
    }
    const all = await runs();
    expect(all.map(({ status, triggerType }) => `${status} ${triggerType}`)).toEqual(
      Array(TICKS).fill("success scheduled"),
    );
    expect(new Set(all.map(({ key }) => key)).size).toBe(TICKS);
    for (const { startedAt, completedAt, durationMs } of all) {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      // All of them have the store's time.
      expect(Math.abs(Date.now() - Number(startedAt))).toBeLessThan(WRONG_MS);
      expect(Number(completedAt)).toBeGreaterThanOrEqual(Number(startedAt));
    }
    const queuedByAll = async () => (await Promise.all(servers.map(look))).reduce((sum, { queued }) => sum + queued, 0);
    // A poll is counted when it has ended.
    await expect.poll(queuedByAll, WAIT).toBe(TICKS);
    const done = await Promise.all(servers.map(look));
    for (const { looks } of done) expect(looks).toBeGreaterThan(0);
    process.stdout.write(
      `F8: ${TICKS} ticks, two servers with clocks 20 minutes apart: ${all.length} runs, ` +
        `${done.map(({ queued, looks }) => `${queued} by one in ${looks} looks`).join(", ")}\n`,
    );
  });

  it("start nothing early, and leave nothing due", { tags: ["long"] }, async () => {
    const [ahead, behind] = servers as [ChildProcess, ChildProcess];
    await makeDue(new Date(Date.now() + WRONG_MS / 2));
    const before = await Promise.all(servers.map(look));
    for (const [index, server] of servers.entries()) {
      await expect.poll(async () => (await look(server)).looks, WAIT).toBeGreaterThan((before[index]?.looks ?? 0) + 20);
    }
    expect(await countRuns()).toBe(0);
    // Five minutes from now by the clock of the remaining server.
    servers.splice(0, 1);
    await end(ahead);
    await makeDue(new Date(Date.now() - WRONG_MS / 2));
    await runJobs(1);
    await expect.poll(async () => (await look(behind)).queued, WAIT).toBe(1);
  });
});
