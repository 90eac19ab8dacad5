import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { type Claim, heartbeat } from "@/lib/platform/work/heartbeat";
import { takeOwnDatabase } from "@/test/database";
import { RUN_ENDED_EVENT, reportPendingEnds } from "./ends";
import { wakeRun } from "./enqueue";
import { appendLog, RUN_LOG_LINES_MAX, tailLog } from "./logs";
import type { RunDoc, RunResource } from "./model";
import {
  beginRun,
  endUnheldRun,
  finishRun,
  lastRuns,
  listRuns,
  queueRun,
  releaseRun,
  reportProgress,
  requestCancel,
} from "./service";
import { type RunOwners, sweepRuns } from "./sweep";

const own = takeOwnDatabase();
afterAll(() => own.drop());
beforeAll(() => databaseReady());

const workspaceId = new ObjectId();
let told: JobEvent[] = [];
beforeEach(() => {
  told = [];
  sendJobEventsBy(async (events) => {
    told.push(...events);
  });
});

const newResource = (): RunResource => ({ workspaceId, resourceType: "flow", resourceId: new ObjectId() });
const start = (resource: RunResource, once?: string) =>
  queueRun({
    ...resource,
    resourceName: "$orders nightly",
    triggerType: "scheduled",
    triggeredBy: null,
    ...(once !== undefined && { once }),
    params: { mode: "full", from: "$start" },
  });
const stored = (run: Pick<RunDoc, "_id">) => collections.runs().findOne({ _id: run._id });
const touch = (run: Pick<RunDoc, "_id">, change: Partial<RunDoc> & { "work.dueAt"?: Date }) =>
  collections.runs().updateOne({ _id: run._id }, { $set: change });
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);
const LONG_AGO = new Date(Date.now() - 3_600_000);

async function begun(resource: RunResource): Promise<{ run: RunDoc; hold: Claim }> {
  const { run } = await start(resource);
  const held = await beginRun(workspaceId, run._id);
  if (!held) throw new Error("The run could not be begun.");
  return held;
}

describe("queueing a run", () => {
  it("creates one run per tick on any number of servers (F8)", async () => {
    const resource = newResource();
    const answers = await Promise.all(Array.from({ length: 50 }, () => start(resource, "2026-11-22T06:00:00.000Z")));
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.map(({ run }) => run._id.toHexString())).size).toBe(1);
    expect(answers[0]?.run).toMatchObject({
      status: "queued",
      resourceName: "$orders nightly",
      params: { mode: "full", from: "$start" },
    });
  });

  it("returns the same run again after its end", async () => {
    const resource = newResource();
    const first = await start(resource, "tick");
    const held = await beginRun(workspaceId, first.run._id);
    await finishRun(held?.hold as Claim, { status: "success", rowCount: 3 });
    const again = await start(resource, "tick");
    expect(again).toMatchObject({ isNew: false, run: { _id: first.run._id, status: "success" } });
  });

  it("is rejected during another run of the resource, and allowed after it", async () => {
    const resource = newResource();
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => start(resource)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ kind: "already_running", status: 409 });
    }
    const [only] = (await listRuns(resource, { limit: 10 })).items;
    const held = await beginRun(workspaceId, new ObjectId(only?.id));
    await expect(start(resource)).rejects.toMatchObject({ kind: "already_running" });
    await finishRun(held?.hold as Claim, { status: "failure", error: "no" });
    expect((await start(resource)).isNew).toBe(true);
  });
});

describe("executing a run", () => {
  it("is limited to one server, until its lease expires", async () => {
    const { run } = await start(newResource());
    const tries = await Promise.all(Array.from({ length: 20 }, () => beginRun(workspaceId, run._id)));
    const [held, ...others] = tries.filter((each) => each !== null);
    expect(others).toEqual([]);
    await heartbeat().beat();
    expect(held?.hold.signal.aborted).toBe(false);

    await touch(run, { "work.dueAt": LONG_AGO });
    const taken = await beginRun(workspaceId, run._id);
    expect(taken?.run).toMatchObject({ work: { starts: 2, lapses: 1 }, startedAt: held?.run.startedAt });
    // A former holder can no longer write.
    expect(await reportProgress(held?.hold as Claim, { rowCount: 1 })).toBe(false);
    expect(await finishRun(held?.hold as Claim, { status: "success" })).toBeNull();
    expect(await stored(run)).toMatchObject({ status: "running", rowCount: null });
    expect(await finishRun(taken?.hold as Claim, { status: "success", rowCount: 5 })).toMatchObject({ rowCount: 5 });
  });

  it("is impossible from another workspace, and after its end", async () => {
    const { run, hold } = await begun(newResource());
    expect(await beginRun(new ObjectId(), run._id)).toBeNull();
    await finishRun(hold, { status: "success" });
    expect(await beginRun(workspaceId, run._id)).toBeNull();
  });

  it("is handed over at once by a stopping server", async () => {
    const { run, hold } = await begun(newResource());
    expect(await releaseRun(hold)).toBe(true);
    expect(await reportProgress(hold, {})).toBe(false);
    expect((await beginRun(workspaceId, run._id))?.run.work).toMatchObject({ starts: 2, lapses: 0 });
  });

  it("reports progress, with literal texts", async () => {
    const { run, hold } = await begun(newResource());
    const counts = { read: 10, written: 8, skipped: 1, failed: 1 };
    const entities = [{ name: "$customers.v1", status: "running" as const, counts, total: null }];
    expect(await reportProgress(hold, { counts, entities, rowCount: 8 })).toBe(true);
    expect(await stored(run)).toMatchObject({ counts, entities, rowCount: 8 });
  });
});

describe("cancelling a run", () => {
  it("ends a queued one at once, without starting it", async () => {
    const resource = newResource();
    const by = new ObjectId();
    const { run } = await start(resource);
    expect(await requestCancel(resource, run._id, by)).toMatchObject({
      status: "cancelled",
      durationMs: 0,
      error: null,
      cancelRequestedBy: by,
    });
    expect(await beginRun(workspaceId, run._id)).toBeNull();
    expect(told).toMatchObject([{ name: RUN_ENDED_EVENT, data: { status: "cancelled" } }]);
    expect(told[0]?.data).not.toHaveProperty("trigger");
  });

  it("aborts the signal of its holder", async () => {
    const resource = newResource();
    const { run, hold } = await begun(resource);
    await heartbeat().lookForCancel();
    expect(hold.signal.aborted).toBe(false);
    expect(await requestCancel(resource, run._id, new ObjectId())).toMatchObject({ status: "running" });
    await heartbeat().lookForCancel();
    expect(hold.stopped).toBe("cancelled");
    await finishRun(hold, { status: "cancelled" });
    await expect(requestCancel(resource, run._id, new ObjectId())).rejects.toMatchObject({ kind: "conflict" });
    await expect(requestCancel(newResource(), run._id, new ObjectId())).rejects.toMatchObject({ kind: "not_found" });
  });

  it("ends the run of a dead server, and leaves a live one to its holder", async () => {
    const [dead, alive] = [newResource(), newResource()];
    const runs = { dead: await begun(dead), alive: await begun(alive) };
    const by = new ObjectId();
    await requestCancel(dead, runs.dead.run._id, by);
    await requestCancel(alive, runs.alive.run._id, by);
    await touch(runs.dead.run, { "work.dueAt": LONG_AGO });
    await sweepRuns({ flow: async () => "woken" });
    expect(await stored(runs.dead.run)).toMatchObject({ status: "cancelled", error: null, cancelRequestedBy: by });
    expect(await stored(runs.alive.run)).toMatchObject({ status: "running" });
    await heartbeat().beat();
    expect(runs.dead.hold.stopped).toBe("lost");
    expect(runs.alive.hold.signal.aborted).toBe(false);
    expect(told.map(({ data }) => data.runId)).toEqual([runs.dead.run._id.toHexString()]);
  });
});

describe("the end of a run", () => {
  it("happens once, and is reported once", async () => {
    const resource = newResource();
    const { run, hold } = await begun(resource);
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        finishRun(hold, { status: i % 2 ? "success" : "failure", error: `$no ${i}` }),
      ),
    );
    expect(ends.filter((each) => each !== null)).toHaveLength(1);
    expect(told).toEqual([
      {
        name: "flow.run.terminal",
        id: `flow.run.terminal:${run._id.toHexString()}`,
        data: {
          workspaceId: workspaceId.toHexString(),
          resourceType: "flow",
          resourceId: resource.resourceId.toHexString(),
          runId: run._id.toHexString(),
          status: ends.find((each) => each !== null)?.status,
          trigger: ends.find((each) => each !== null)?.status,
        },
      },
    ]);
    const after = await stored(run);
    expect(after).not.toHaveProperty("endPendingSince");
    expect(after).not.toHaveProperty("params");
    expect(after?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("is stored with its pending report, and reported later when the runner is away (F6)", async () => {
    sendJobEventsBy(() => Promise.reject(new Error("away")));
    const { run, hold } = await begun(newResource());
    expect(await finishRun(hold, { status: "failure", error: "boom" })).toMatchObject({ status: "failure" });
    expect(await stored(run)).toMatchObject({ status: "failure", error: "boom", endPendingSince: expect.any(Date) });
    await expect(reportPendingEnds(0)).rejects.toThrow("away");
    sendJobEventsBy(async (events) => {
      told.push(...events);
    });
    // An end that its own server is just announcing is left to it.
    expect(await reportPendingEnds()).toBe(0);
    await touch(run, { endPendingSince: LONG_AGO });
    expect(await reportPendingEnds()).toBe(1);
    expect(told.map(({ data }) => data.runId)).toEqual([run._id.toHexString()]);
    expect(await reportPendingEnds(0)).toBe(0);
  });

  it.each([
    ["cancelled", "cancelled"],
    ["failure", "failed"],
  ] as const)("leaves nothing pending: with %s what was read is %s", async (status, becomes) => {
    const resource = newResource();
    const counts = { read: 2, written: 1, skipped: 0, failed: 0 };
    const stands = ["done", "running", "waiting"] as const;
    const entities = stands.map((each) => ({ name: `$${each}`, status: each, counts, total: null }));
    const { run, hold } = await begun(resource);
    await finishRun(hold, { status, error: "boom", entities });
    const ended = entities.map((each) => (each.status === "running" ? { ...each, status: becomes } : each));
    expect(await stored(run)).toMatchObject({ status, entities: ended });

    // These have no holder: one was released and cancelled before another server took it, the other's server has
    // crashed.
    const letGo = await begun(newResource());
    await reportProgress(letGo.hold, { entities });
    await releaseRun(letGo.hold);
    const { workspaceId: of, resourceType, resourceId } = letGo.run;
    await requestCancel({ workspaceId: of, resourceType, resourceId }, letGo.run._id, new ObjectId());
    expect((await stored(letGo.run))?.entities[1]?.status).toBe("cancelled");
    const dead = await begun(newResource());
    await reportProgress(dead.hold, { entities });
    await touch(dead.run, { "work.dueAt": LONG_AGO });
    await sweepRuns({});
    expect((await stored(dead.run))?.entities[1]?.status).toBe("failed");
  });

  it("has no negative duration with a clock set back (F9), and always a reason for a failure", async () => {
    const { run, hold } = await begun(newResource());
    await touch(run, { startedAt: new Date(Date.now() + 3_600_000) });
    expect(await finishRun(hold, { status: "failure", error: " " })).toMatchObject({
      durationMs: 0,
      error: "The run failed with no error message.",
    });
  });
});

describe("a run without a worker (F2)", () => {
  it("is handed to its owner, with one event of all concurrent sweeps", async () => {
    const { run } = await begun(newResource());
    await touch(run, { "work.dueAt": LONG_AGO });
    const owners: RunOwners = {
      flow: async (found) => {
        await wakeRun(found, "test/run.queued");
        return "woken";
      },
    };
    await Promise.all([sweepRuns(owners), sweepRuns(owners), sweepRuns(owners)]);
    // The job runner starts events of one id once.
    expect([...new Set(told.map(({ id }) => id))]).toEqual([`test/run.queued:${run._id.toHexString()}:1:0`]);
    // The woken executor can take it although a sweeper has examined it.
    expect(await beginRun(workspaceId, run._id)).not.toBeNull();
  });

  it("fails without an owner, or when its owner gives it up, with one event", async () => {
    const [one, two] = [await begun(newResource()), await start(newResource())];
    await touch(one.run, { "work.dueAt": LONG_AGO });
    await touch(two.run, { "work.dueAt": LONG_AGO });
    await Promise.all([sweepRuns({}), sweepRuns({ flow: async () => "give_up" })]);
    expect(await stored(one.run)).toMatchObject({
      status: "failure",
      error: "The server stopped during the run.",
    });
    expect(await stored(two.run)).toMatchObject({ status: "failure", error: expect.stringContaining("never started") });
    expect(told.map(({ data }) => [data.runId, data.trigger]).sort()).toEqual(
      [
        [one.run._id.toHexString(), "failure"],
        [two.run._id.toHexString(), "failure"],
      ].sort(),
    );
  });

  it("fails after a number of silent servers, whatever its owner says (F16)", async () => {
    const { run } = await begun(newResource());
    for (let lapse = 0; lapse < 2; lapse += 1) {
      await touch(run, { "work.dueAt": LONG_AGO });
      expect(await beginRun(workspaceId, run._id)).not.toBeNull();
    }
    await touch(run, { "work.dueAt": LONG_AGO });
    await sweepRuns({ flow: async () => "woken" });
    expect(await stored(run)).toMatchObject({ status: "failure", work: { lapses: 2 } });
  });

  it("continues over any number of dead servers, as long as it progresses (F2)", async () => {
    const { run } = await start(newResource());
    for (let lapse = 0; lapse < 8; lapse += 1) {
      const begun = await beginRun(workspaceId, run._id);
      const counts = { read: lapse + 1, written: 0, skipped: 0, failed: 0 };
      await reportProgress(begun?.hold as Claim, { counts });
      await touch(run, { "work.dueAt": LONG_AGO });
      await sweepRuns({ flow: async () => "woken" });
    }
    expect(await stored(run)).toMatchObject({ status: "running", work: { lapses: 8 } });
    // Without further progress it starts twice more.
    for (let lapse = 0; lapse < 2; lapse += 1) {
      const begun = await beginRun(workspaceId, run._id);
      const counts = { read: 8, written: 0, skipped: 0, failed: 0 };
      await reportProgress(begun?.hold as Claim, { counts });
      await touch(run, { "work.dueAt": LONG_AGO });
      await sweepRuns({ flow: async () => "woken" });
    }
    expect(await stored(run)).toMatchObject({ status: "failure", work: { lapses: 9 } });
  });

  it("is not ended by a sweep that looked before it was claimed again", async () => {
    const { run } = await begun(newResource());
    await touch(run, { "work.dueAt": LONG_AGO });
    const asSeen = (await stored(run)) as RunDoc;
    await beginRun(workspaceId, run._id);
    await touch(run, { "work.dueAt": LONG_AGO });
    expect(await endUnheldRun(asSeen, { status: "failure" })).toBeNull();
    await touch(run, { "work.dueAt": IN_AN_HOUR });
  });

  it("does not delay others when its owner fails", async () => {
    const [one, two] = [await begun(newResource()), await begun(newResource())];
    for (const { run } of [one, two]) await touch(run, { "work.dueAt": LONG_AGO });
    const seen: string[] = [];
    await sweepRuns({
      flow: async ({ _id }) => {
        seen.push(_id.toHexString());
        throw new Error("the owner is broken");
      },
    });
    expect(seen.sort()).toEqual([one.run._id.toHexString(), two.run._id.toHexString()].sort());
    expect(await stored(one.run)).toMatchObject({ status: "running" });
  });
});

describe("the runs of resources", () => {
  it("are paged newest first, with each resource's last one in one query", async () => {
    const [many, one, none] = [newResource(), newResource(), newResource()];
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { run, hold } = await begun(many);
      ids.unshift(run._id.toHexString());
      await finishRun(hold, { status: "success" });
    }
    const { run } = await start(one);
    const first = await listRuns(many, { limit: 3 });
    const second = await listRuns(many, { limit: 3, cursor: first.nextCursor ?? "" });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
    const last = await lastRuns(
      workspaceId,
      "flow",
      [many, one, none].map(({ resourceId }) => resourceId),
    );
    expect([...last].map(([id, { id: runId, status }]) => [id, runId, status]).sort()).toEqual(
      [
        [many.resourceId.toHexString(), ids[0], "success"],
        [one.resourceId.toHexString(), run._id.toHexString(), "queued"],
      ].sort(),
    );
    expect((await lastRuns(new ObjectId(), "flow", [many.resourceId])).size).toBe(0);
  });
});

describe("runs of servers whose clocks differ", () => {
  afterEach(() => void vi.useRealTimers());

  it("are in the order of queueing (F9)", async () => {
    const resource = newResource();
    const ids: string[] = [];
    for (const aheadMs of [0, 600_000, -600_000, 0]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + aheadMs });
      const { run, hold } = await begun(resource);
      await finishRun(hold, { status: "success" });
      vi.useRealTimers();
      ids.unshift(run._id.toHexString());
    }
    expect((await listRuns(resource, { limit: 10 })).items.map(({ id }) => id)).toEqual(ids);
    expect(
      (await lastRuns(workspaceId, "flow", [resource.resourceId])).get(resource.resourceId.toHexString())?.id,
    ).toBe(ids[0]);
    expect(await collections.runs().countDocuments({ resourceId: resource.resourceId, isNewest: true })).toBe(1);
  });
});

describe("the log of a run", () => {
  it("keeps the order of lines, also of concurrent ones", async () => {
    const { run } = await begun(newResource());
    await appendLog(workspaceId, run._id, [
      { level: "info", text: 'first\r\n{"level":"error"}' },
      { level: "warn", text: "second" },
    ]);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => appendLog(workspaceId, run._id, [{ level: "info", text: `line ${i}` }])),
    );
    const lines = await tailLog(workspaceId, run._id, 50);
    expect(lines.slice(0, 2).map(({ level, text }) => [level, text])).toEqual([
      ["info", 'first {"level":"error"}'],
      ["warn", "second"],
    ]);
    expect(new Set(lines.map(({ text }) => text)).size).toBe(22);
    expect(await tailLog(workspaceId, run._id, 3)).toEqual(lines.slice(-3));
    expect(await tailLog(new ObjectId(), run._id, 10)).toEqual([]);
  });

  it("is truncated with a line that says so", async () => {
    const { run } = await begun(newResource());
    const lines = (count: number) =>
      Array.from({ length: count }, () => ({ level: "info" as const, text: "x".repeat(3_000) }));
    await appendLog(workspaceId, run._id, lines(RUN_LOG_LINES_MAX - 1));
    expect(await appendLog(workspaceId, run._id, lines(3))).toHaveLength(2);
    expect(await appendLog(workspaceId, run._id, lines(3))).toEqual([]);
    const [last] = await tailLog(workspaceId, run._id, 1);
    expect(last).toMatchObject({ level: "warn", text: expect.stringContaining("Log truncated") });
    expect(await collections.runLogs().countDocuments({ runId: run._id })).toBe(RUN_LOG_LINES_MAX + 1);
  });
});
