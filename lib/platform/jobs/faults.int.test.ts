import { randomUUID } from "node:crypto";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { inngest } from "@/inngest/client";
import { database } from "@/lib/platform/db/client";
import { takeOwnDatabase } from "@/test/database";
import { finished, startChild } from "@/test/fixtures/repository/child";
import { bundleCrash } from "@/test/jobs/bundle";
import { CRASH_RESULT, CRASH_STEPS, crashFunctions, DEADLY_PLACES, notes } from "@/test/jobs/crash-functions";
import type { CrashTask } from "@/test/jobs/crash-process";
import { type JobServer, startJobServer, until } from "@/test/jobs/server";
import { captureLog } from "@/test/security/log-lines";
import { collections } from "./collections";
import { DEATHS_MAX, LAPSES_MAX, newTask } from "./progress";

/** Whether to crash after every write instead of a sample of them. */
const IS_FULL = process.env.FAULTS === "full";
const EVERY = IS_FULL ? 1 : 10;
const CRASHES_TIMEOUT_MS = IS_FULL ? 600_000 : 120_000;
/** Short enough for a test; a third of it is still far longer than a heartbeat takes. */
const LEASE_MS = 600;
const MINUTE_MS = 60_000;

const own = takeOwnDatabase();
const servers: JobServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const collection of Object.values(collections))
    await database().collection(collection.collectionName).deleteMany({});
});
afterAll(() => own.drop());

async function start(...args: Parameters<typeof startJobServer>): Promise<JobServer> {
  const server = await startJobServer(...args);
  servers.push(server);
  return server;
}

/** Calls of the functions of a test, in order. */
let done: string[] = [];
afterEach(() => {
  done = [];
});

const counted = inngest.createFunction(
  { id: "counted", triggers: [{ event: "fault/counted" }] },
  async ({ event, step }) => {
    await step.run("one", () => done.push(`${event.data.n}: one`));
    await step.run("two", () => done.push(`${event.data.n}: two`));
  },
);
const poison = inngest.createFunction(
  { id: "poison", triggers: [{ event: "fault/poison" }], retries: 2 },
  ({ attempt }) => {
    done.push(`poison ${attempt}`);
    throw new Error("poison");
  },
);
const hanging = inngest.createFunction(
  { id: "hanging", triggers: [{ event: "fault/hanging" }], retries: 0 },
  async ({ step }) => {
    await step.run("hang", async () => {
      done.push("begun");
      if (done.length === 1) await new Promise((resolve) => setTimeout(resolve, 10_000));
    });
  },
);
const ticking = inngest.createFunction({ id: "ticking", triggers: [{ cron: "* * * * *" }] }, ({ event }) => {
  done.push(event.id ?? "");
});

describe("a killed process", () => {
  it(
    "after any of its writes leaves a run that ends with its result, each step run once, or twice if it was running",
    async () => {
      const file = await bundleCrash();
      const crash = async (write: number) => {
        const key = randomUUID();
        const ended = await finished<{ writes: number }>(startChild(file, { key, write } satisfies CrashTask));
        return { key, isKilled: ended.signal === "SIGKILL" };
      };
      let crashes = 0;
      for (let write = 1; ; write += EVERY) {
        const { key, isKilled } = await crash(write);
        // A sender without a confirmation sends its event again.
        const jobs = await startJobServer(crashFunctions, { leaseMs: LEASE_MS });
        await jobs.send({ id: key, name: "crash/go", data: { key } });
        await until(async () => (await collections.jobRuns().countDocuments({ state: { $ne: "done" } })) === 0);
        await jobs.settled();
        await jobs.stop();
        const runs = await collections
          .jobRuns()
          .find({ functionId: "millrace-crashing", payload: { $regex: key } })
          .toArray();
        expect([write, runs.map(({ status, outcome }) => [status, outcome])]).toEqual([
          write,
          [["completed", JSON.stringify(CRASH_RESULT)]],
        ]);
        const times = await Promise.all(CRASH_STEPS.map((step) => notes().countDocuments({ key, step })));
        expect([write, times.every((count) => count === 1 || count === 2)]).toEqual([write, true]);
        expect([write, times.filter((count) => count === 2).length <= 2]).toEqual([write, true]);
        expect(await collections.jobTasks().countDocuments()).toBe(0);
        if (!isKilled) break;
        crashes += 1;
      }
      expect(crashes).toBeGreaterThanOrEqual(20 / EVERY);
    },
    CRASHES_TIMEOUT_MS,
  );

  it("is detected by its missing heartbeat, and others run its jobs (F1)", async () => {
    const first = await start([hanging], { leaseMs: 60_000 });
    await first.send({ name: "fault/hanging", data: {} });
    await until(async () => done.length === 1);
    // Its heartbeats are so rare that the second process considers it dead.
    const second = await start([hanging], { leaseMs: LEASE_MS });
    await until(async () => done.length === 2);
    await until(async () => (await second.runsOf("hanging")).every(({ status }) => status === "completed"));
  });
});

describe("two processes", () => {
  it("run each job once and share them (F8)", async () => {
    const [one, two] = [await start([counted]), await start([counted])];
    await one.send(Array.from({ length: 100 }, (_, n) => ({ name: "fault/counted", data: { n } })));
    await two.send(Array.from({ length: 100 }, (_, n) => ({ name: "fault/counted", data: { n: 100 + n } })));
    await one.settled();
    const expected = Array.from({ length: 200 }, (_, n) => [`${n}: one`, `${n}: two`]).flat();
    expect(done.toSorted()).toEqual(expected.toSorted());
  });

  it("start one run for an event that comes a hundred times (F4)", { tags: ["long"] }, async () => {
    const [one, two] = [await start([counted]), await start([counted])];
    const event = { id: randomUUID(), name: "fault/counted", data: { n: "same" } };
    await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).send(event)));
    await one.settled();
    expect(done).toEqual(["same: one", "same: two"]);
  });

  it("run each tick once, and a missed one once (F8, F9)", async () => {
    const [one, two] = [await start([ticking]), await start([ticking])];
    const advance = async (ms: number) => {
      for (const each of [one, two]) each.advance(ms);
      await one.settled();
    };
    await advance(MINUTE_MS);
    await until(async () => done.length === 1);
    await advance(MINUTE_MS);
    await until(async () => done.length === 2);
    // After an hour of downtime, one run covers all missed ticks.
    await advance(60 * MINUTE_MS);
    await until(async () => done.length === 3);
    // With the clock set back, past ticks do not run again, and later ones do.
    await advance(-10 * MINUTE_MS);
    await advance(9 * MINUTE_MS);
    expect(done.length).toBe(3);
    await advance(3 * MINUTE_MS);
    await until(async () => done.length === 4);
    expect(new Set(done).size).toBe(4);
  });
});

describe("a job that can't succeed (F16)", () => {
  it("ends after its attempts and blocks nothing", async () => {
    const jobs = await start([poison, counted]);
    await jobs.send([
      ...Array.from({ length: 20 }, () => ({ name: "fault/poison", data: {} })),
      { name: "fault/counted", data: { n: 0 } },
    ]);
    await jobs.settled();
    const runs = await jobs.runsOf("poison");
    expect(runs).toHaveLength(20);
    expect(runs.every(({ status, outcome }) => status === "failed" && (outcome as Error).message === "poison")).toBe(
      true,
    );
    expect(done.filter((each) => each.startsWith("poison"))).toHaveLength(60);
    expect(done).toContain("0: two");
  });

  it.each([
    ["the executor fails on", { lapses: LAPSES_MAX }, /each of 20 attempts/],
    ["ended two servers", { lapses: DEATHS_MAX, deaths: DEATHS_MAX }, /stopped unexpectedly 2 times during this job/],
  ])("C1 that %s is given up", async (_, counts, reason) => {
    const jobs = await start([hanging]);
    done.push("not first");
    const run = await newRunOf(jobs, 0, counts);
    await until(async () => (await collections.jobRuns().findOne({ _id: run }))?.state === "done");
    const ended = await collections.jobRuns().findOne({ _id: run });
    expect([ended?.status, ended?.outcome]).toEqual(["failed", expect.stringMatching(reason)]);
    expect(done).toEqual(["not first"]);
  });

  /** Sends a job that kills its process and ten harmless ones, and starts processes until one survives all of them. */
  async function survive(where: string): Promise<void> {
    const file = await bundleCrash();
    const key = randomUUID();
    const events = [
      { id: `${key} deadly`, name: "crash/deadly", data: { key, where } },
      ...Array.from({ length: 10 }, (_, n) => ({ id: `${key} ${n}`, name: "crash/steady", data: { n } })),
    ];
    const task: CrashTask = { key, write: -1, events, leaseMs: LEASE_MS };
    let deaths = 0;
    while ((await finished(startChild(file, task))).signal === "SIGKILL") {
      deaths += 1;
      expect(deaths).toBeLessThanOrEqual(DEATHS_MAX);
    }
    const runs = await collections.jobRuns().find({}).toArray();
    const ends = runs.map(({ functionId, status }) => `${functionId} ${status}`).toSorted();
    expect(ends).toEqual([
      "millrace-crash-deadly failed",
      ...Array.from({ length: 10 }, () => "millrace-crash-steady completed"),
    ]);
    for (const { functionId, outcome } of runs) {
      if (functionId.endsWith("deadly")) expect(outcome).toContain("It will not be retried.");
    }
    expect(await notes().countDocuments({ key })).toBe(DEATHS_MAX);
  }
  it("C1 that kills its process runs twice, and its neighbours succeed", { tags: ["long"] }, () =>
    survive("in a step"),
  );
  it.each(DEADLY_PLACES.slice(1))("C1 that kills its process %s runs twice", { tags: ["long"] }, (where) =>
    survive(where),
  );
});

describe("jobs of a removed function", () => {
  it("wait a day for a server that has it, then fail with a log line", async () => {
    const jobs = await start([counted], { leaseMs: LEASE_MS });
    const dayMs = 24 * 3_600_000;
    const ago = (ms: number) => new Date((jobs.executor?.clock.ms() ?? 0) - ms);
    const old = await newRunOf(jobs, 0);
    const recent = await newRunOf(jobs, 0);
    const waiting = await newRunOf(jobs, 0);
    await collections.jobRuns().updateMany({}, { $set: { functionId: "millrace-gone" } });
    await collections.jobRuns().updateOne({ _id: old }, { $set: { at: ago(dayMs + MINUTE_MS) } });
    await collections.jobRuns().updateOne({ _id: waiting }, { $set: { state: "idle" } });
    const task = { functionId: "millrace-gone", createdAt: ago(2 * dayMs), at: ago(dayMs + MINUTE_MS) };
    await collections.jobTasks().insertMany([
      {
        ...newTask({ _id: `${waiting}:step`, kind: "sleep", ...task }),
        runId: waiting,
        stepId: "step",
        state: "ready",
      },
      { ...newTask({ _id: "cron:millrace-gone:* * * * *", kind: "cron", ...task }), cron: "* * * * *", state: "ready" },
    ]);
    const written = captureLog();
    // The executor checks at its start, and then at intervals.
    await jobs.stop();
    servers.length = 0;
    await start([counted], { leaseMs: LEASE_MS });
    await until(async () => (await collections.jobTasks().countDocuments({ functionId: "millrace-gone" })) === 0);
    // Runs and tasks are checked independently, in no fixed order.
    await until(async () => (await collections.jobRuns().countDocuments({ status: "failed" })) === 2);
    const ended = await collections.jobRuns().find({ status: "failed" }).sort({ _id: 1 }).toArray();
    expect(ended.map(({ _id }) => _id)).toEqual([old, waiting].toSorted());
    for (const { outcome } of ended) expect(outcome).toContain("No server has the function millrace-gone.");
    expect(await collections.jobRuns().findOne({ _id: recent })).toMatchObject({ status: "active", state: "ready" });
    expect(written.lines().filter((line) => line.includes("no server has its function"))).toHaveLength(3);
  });
});

it("keeps due jobs on time when the clock is set back (F9)", async () => {
  const jobs = await start([counted]);
  jobs.advance(-10 * MINUTE_MS);
  await jobs.send({ name: "fault/counted", data: { n: 1 } });
  await jobs.settled();
  expect(done).toEqual(["1: one", "1: two"]);
});

it("releases unfinished jobs when a server stops, without counting an attempt (F14)", async () => {
  const first = await start([hanging]);
  await first.send({ name: "fault/hanging", data: {} });
  await until(async () => done.length === 1);
  await first.stop();
  servers.length = 0;
  expect(await collections.jobWorkers().countDocuments()).toBe(0);
  expect(await collections.jobRuns().findOne({ functionId: "millrace-hanging", status: "active" })).toMatchObject({
    state: "ready",
    leaseBy: null,
    attempt: 0,
    lapses: 0,
  });
  const second = await start([hanging]);
  await second.settled();
  expect((await second.runsOf("hanging")).every(({ status }) => status === "completed")).toBe(true);
});

it("keeps ended runs for a day", { tags: ["long"] }, async () => {
  const jobs = await start([counted]);
  await jobs.send({ id: "kept", name: "fault/counted", data: { n: 2 } });
  await jobs.settled();
  const run = await collections.jobRuns().findOne({ payload: { $regex: '"id":"kept"' } });
  const keptMs = (run?.expiresAt?.getTime() ?? 0) - (run?.endedAt?.getTime() ?? 0);
  expect(Math.round(keptMs / MINUTE_MS)).toBe(24 * 60);
  expect(run?.steps).toEqual({});
  // The same event is accepted as new a day later.
  jobs.advance(25 * 60 * MINUTE_MS);
  await jobs.send({ id: "kept", name: "fault/counted", data: { n: 3 } });
  await jobs.settled();
  expect(done).toEqual(["2: one", "2: two", "3: one", "3: two"]);
});

/** Inserts a run in the state in which servers that died with it have left it. */
async function newRunOf(jobs: JobServer, lapses: number, counts: object = {}): Promise<string> {
  const template = { name: "fault/hanging", data: {}, id: randomUUID() };
  const now = jobs.executor?.clock.now() ?? new Date();
  const _id = randomUUID();
  await collections.jobRuns().insertOne({
    _id,
    functionId: "millrace-hanging",
    status: "active",
    eventId: template.id,
    eventName: template.name,
    payload: JSON.stringify({ ...template, ts: now.getTime(), user: {} }),
    steps: {},
    stack: [],
    pending: [],
    hasTasks: false,
    stateBytes: 0,
    version: -1,
    isPlanning: false,
    attempt: 0,
    wanted: 1,
    limits: [],
    blockedOn: null,
    state: "ready",
    at: now,
    leaseBy: null,
    lapses,
    createdAt: now,
    ...counts,
  });
  return _id;
}
