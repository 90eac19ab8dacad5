import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { takeOwnDatabase } from "@/test/database";
import { RUN_ENDED_EVENT } from "./ends";
import { executeRun, type RunWork } from "./execute";
import type { RunDoc, RunResource } from "./model";
import type { ResourceType } from "./schema";
import { queueRun, requestCancel } from "./service";

const server = vi.hoisted(() => ({
  isStopping: false,
  callbacks: new Set<() => void | Promise<void>>(),
  lastWrites: new Set<() => void | Promise<void>>(),
}));
vi.mock("@/lib/platform/process/shutdown", () => ({
  isShuttingDown: () => server.isStopping,
  onShutdown: (callback: () => void) => {
    server.callbacks.add(callback);
    return () => server.callbacks.delete(callback);
  },
  afterRequests: (write: () => void) => {
    server.lastWrites.add(write);
    return () => server.lastWrites.delete(write);
  },
}));

const own = takeOwnDatabase();
const workspaceId = new ObjectId();
let events: JobEvent[] = [];
beforeAll(() => databaseReady());
beforeEach(() => {
  events = [];
  server.isStopping = false;
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
});
afterAll(() => own.drop());

type Interrupted = () => AppError | null;
type Case = [title: string, drainMs: number, whenInterrupted: Interrupted | undefined, status: string];
const WAKE = "test/run.queued";
const NEVER_MS = 60_000;
const stopServer = () => {
  server.isStopping = true;
  for (const callback of server.callbacks) void callback();
};
const stored = (run: RunDoc) => collections.runs().findOne({ _id: run._id });
const ends = () => events.filter(({ name }) => name === RUN_ENDED_EVENT);

async function queued(resourceType: ResourceType): Promise<{ run: RunDoc; resource: RunResource }> {
  const resource = { workspaceId, resourceType, resourceId: new ObjectId() };
  const { run } = await queueRun({ ...resource, resourceName: "any", triggerType: "scheduled", triggeredBy: null });
  return { run, resource };
}
const toQueued = ({ _id }: RunDoc) => ({ workspaceId: workspaceId.toHexString(), runId: _id.toHexString() });

/** Returns work that ends when `finish` is called, or with its signal. */
function slowWork(whenInterrupted?: Interrupted) {
  const began = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<{ rowCount: number }>();
  const open = ({ signal }: { signal: AbortSignal }): RunWork => ({
    execute: () => {
      began.resolve();
      signal.addEventListener("abort", () => finished.reject(signal.reason));
      return finished.promise;
    },
    ...(whenInterrupted && { whenInterrupted }),
  });
  return { began: began.promise, finish: () => finished.resolve({ rowCount: 7 }), open };
}

const INTERRUPTED: Interrupted = () => new AppError("unavailable", "It may have written.");

describe.each(["scheduled_query", "flow", "dashboard"] as const)("a %s run of a server that stops", (kind) => {
  it.each<Case>([
    ["C30 stops at once without a drain time, and is queued again", 0, undefined, "queued"],
    ["C30 is queued again after its drain time", 20, undefined, "queued"],
    ["C30 is queued again after its drain time when it only reads", 20, () => null, "queued"],
    ["C30 fails after its drain time when it may have written", 20, INTERRUPTED, "failure"],
  ])("%s", async (_, drainMs, whenInterrupted, status) => {
    const { run } = await queued(kind);
    const others = server.lastWrites.size;
    const work = slowWork(whenInterrupted);
    const over = executeRun(toQueued(run), { wakeBy: WAKE, drainMs, open: work.open });
    await work.began;
    stopServer();
    await over;
    const after = await stored(run);
    expect(after?.status).toBe(status);
    const isQueued = status === "queued";
    expect(events.filter(({ name }) => name === WAKE)).toHaveLength(isQueued ? 1 : 0);
    expect(ends()).toHaveLength(isQueued ? 0 : 1);
    if (!isQueued) expect(after?.error).toBe("It may have written.");
    expect([server.callbacks.size, server.lastWrites.size]).toEqual([0, others]);
  });

  it("C30 succeeds when it ends within its drain time, with one terminal event", async () => {
    const { run } = await queued(kind);
    const others = server.lastWrites.size;
    const work = slowWork(INTERRUPTED);
    const over = executeRun(toQueued(run), { wakeBy: WAKE, drainMs: NEVER_MS, open: work.open });
    await work.began;
    stopServer();
    expect((await stored(run))?.status).toBe("running");
    // The store stays open until the end is written.
    expect(server.lastWrites.size).toBe(others + 1);
    work.finish();
    await over;
    expect(await stored(run)).toMatchObject({ status: "success", rowCount: 7 });
    expect(ends()).toHaveLength(1);
    expect(server.lastWrites.size).toBe(others);
  });

  it("C30 runs on another server while this one stops, and ends once", async () => {
    const { run } = await queued(kind);
    const first = slowWork(() => null);
    const over = executeRun(toQueued(run), { wakeBy: WAKE, drainMs: 20, open: first.open });
    await first.began;
    stopServer();
    await over;
    server.isStopping = false;
    const second = slowWork(() => null);
    const again = executeRun(toQueued(run), { wakeBy: WAKE, drainMs: 20, open: second.open });
    await second.began;
    second.finish();
    await again;
    expect(await stored(run)).toMatchObject({ status: "success", work: { starts: 2, lapses: 0 } });
    expect(ends()).toHaveLength(1);
  });

  it("C30 keeps its time limit while it drains", async () => {
    const { run } = await queued(kind);
    const work = slowWork(INTERRUPTED);
    const limit = { ms: 50, reason: "It took too long." };
    const over = executeRun(toQueued(run), { wakeBy: WAKE, drainMs: NEVER_MS, limit, open: work.open });
    await work.began;
    stopServer();
    await over;
    expect(await stored(run)).toMatchObject({ status: "failure", error: "It took too long." });
    expect(ends()).toHaveLength(1);
  });

  it("C30 is not started by a server that stops", async () => {
    const { run } = await queued(kind);
    stopServer();
    expect(await executeRun(toQueued(run), { wakeBy: WAKE, open: slowWork().open })).toBeNull();
    await sleep(0);
    expect(await stored(run)).toMatchObject({ status: "queued", work: { starts: 0 } });
    expect(ends()).toHaveLength(0);
  });
});

it("C30 is cancelled while it drains", async () => {
  const { run, resource } = await queued("scheduled_query");
  const work = slowWork(INTERRUPTED);
  const over = executeRun(toQueued(run), { wakeBy: WAKE, drainMs: NEVER_MS, open: work.open });
  await work.began;
  stopServer();
  await requestCancel(resource, run._id, null);
  await over;
  expect(await stored(run)).toMatchObject({ status: "cancelled", error: null });
  expect(ends()).toHaveLength(1);
});
