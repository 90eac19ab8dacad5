import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { LimitedThreads, ThreadsBusy } from "./limited-threads";
import { ThreadEnded } from "./thread-pool";

const LIMITS = { count: 1, timeoutMs: 60_000, queueMax: 100, tenantQueueMax: 100, heapMib: 512, stackMib: 64 };
const long = { query: `select 1 in (${"1,".repeat(200_000)}1)`, readOnly: true, statementFunctions: [] };
const short = { query: "select 1", readOnly: true, statementFunctions: [] };
const threads = (limits: Partial<typeof LIMITS>) =>
  new LimitedThreads<typeof short, { status: string }>("grammar", { ...LIMITS, ...limits });

describe("a thread with limits", () => {
  it("C2 is ended at its time limit, and the next request gets another", async () => {
    const pool = threads({ timeoutMs: 3000 });
    const deep = { ...short, query: `select ${"1+".repeat(400_000)}1` };
    await expect(pool.run(deep, "a")).rejects.toBeInstanceOf(ThreadEnded);
    expect(await pool.run(short, "a")).toMatchObject({ status: "ok" });
  });

  it("C2 is ended at its memory limit, and the next request gets another", async () => {
    const pool = threads({ heapMib: 16 });
    await expect(pool.run(long, "a")).rejects.toBeInstanceOf(ThreadEnded);
    expect(await pool.run(short, "a")).toMatchObject({ status: "ok" });
  });

  it("C2 times each request from its own start", async () => {
    const pool = threads({ timeoutMs: 20_000 });
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => pool.run(short, `t${index % 3}`)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(["ok"]));
  });

  it("C2 rejects a request if too many wait", async () => {
    const pool = threads({ queueMax: 2 });
    const first = [pool.run(short, "a"), pool.run(short, "a"), pool.run(short, "a")];
    await expect(pool.run(short, "a")).rejects.toBeInstanceOf(ThreadsBusy);
    await Promise.all(first);
  });

  it.each([
    [1, 2],
    [2, 3],
    [5, 40],
    [20, 21],
    [50, 120],
  ])("C2 queues %i requests of a tenant that sends %i, and all of others", async (tenantQueueMax, sent) => {
    const pool = threads({ tenantQueueMax, queueMax: 500 });
    // The very first one runs without waiting.
    const crowd = Promise.allSettled(Array.from({ length: sent + 1 }, () => pool.run(short, "a")));
    const others = ["b", "c", "d"].map((tenant) => pool.run(short, tenant));
    expect(new Set((await Promise.all(others)).map(({ status }) => status))).toEqual(new Set(["ok"]));
    const outcomes = await crowd;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(tenantQueueMax + 1);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(reasons.every((reason) => reason instanceof ThreadsBusy)).toBe(true);
    // A rejected tenant is accepted again once its requests are done.
    expect(await pool.run(short, "a")).toMatchObject({ status: "ok" });
  });

  it("C2 serves tenants in rotation", async () => {
    const pool = threads({});
    const order: string[] = [];
    const asked = ["a", "a", "a", "b", "b", "c"].map((tenant) =>
      pool.run(short, tenant).then(() => order.push(tenant)),
    );
    await Promise.all(asked);
    expect(order).toEqual(["a", "b", "a", "c", "b", "a"]);
  });
});

/** A thread that uses the processor, or waits, before each answer. */
const THREAD = `
  const { parentPort } = require("node:worker_threads");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  parentPort.on("message", ({ busyMs, waitMs }) => {
    const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
    const start = used();
    while (used() - start < busyMs) Math.sqrt(Math.random());
    Atomics.wait(cell, 0, 0, waitMs);
    parentPort.postMessage("done");
  });`;
const LIMIT_MS = 300;

describe("a thread's time limit", () => {
  const pool = (clockMs: number) =>
    new LimitedThreads<{ busyMs: number; waitMs: number }, string>(
      "grammar",
      { ...LIMITS, timeoutMs: LIMIT_MS, clockMs },
      () => new Worker(THREAD, { eval: true }),
    );

  it.each([
    { busyMs: 0, waitMs: 0, outcome: "done" },
    { busyMs: 0, waitMs: LIMIT_MS / 2, outcome: "done" },
    { busyMs: 0, waitMs: LIMIT_MS + 50, outcome: "done" },
    { busyMs: 0, waitMs: LIMIT_MS * 2, outcome: "done" },
    { busyMs: 0, waitMs: LIMIT_MS * 3, outcome: "done" },
    { busyMs: LIMIT_MS / 6, waitMs: LIMIT_MS, outcome: "done" },
    { busyMs: LIMIT_MS / 6, waitMs: LIMIT_MS * 3, outcome: "done" },
    { busyMs: LIMIT_MS * 20, waitMs: 0, outcome: ThreadEnded },
    { busyMs: 1e9, waitMs: 0, outcome: ThreadEnded },
    { busyMs: 0, waitMs: 60_000, outcome: ThreadsBusy },
  ])("C2 counts processor time: $busyMs ms busy, $waitMs ms waiting", async ({ outcome, ...request }) => {
    const threadsOfTest = pool(outcome === ThreadsBusy ? 2 * LIMIT_MS : 60_000);
    const asked = threadsOfTest.run(request, "a");
    if (typeof outcome === "string") expect(await asked).toBe(outcome);
    else await expect(asked).rejects.toBeInstanceOf(outcome);
  });

  it.each([
    [{ busyMs: 1e9, waitMs: 0 }, 60_000],
    [{ busyMs: 0, waitMs: 1e9 }, 200],
  ])("C2 replaces a thread that had %o", async (request, clockMs) => {
    const threadsOfTest = pool(clockMs);
    await expect(threadsOfTest.run(request, "a")).rejects.toThrow();
    const next = Promise.all([1, 2].map(() => threadsOfTest.run({ busyMs: 0, waitMs: 0 }, "a").catch(() => "starved")));
    for (const outcome of await next) expect(["done", "starved"]).toContain(outcome);
  });
});
