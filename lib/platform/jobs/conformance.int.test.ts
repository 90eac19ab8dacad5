import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { scenarios, seen, TICKS_KEY } from "@/test/jobs/scenarios";
import { type JobServer, startJobServer } from "@/test/jobs/server";
import { freePort } from "@/test/servers/free-port";

/*
 * Runs the same functions and events, with the same expected results, on the embedded executor or on the Inngest server
 * in INNGEST_TEST_URL (with its keys in INNGEST_TEST_SIGNING_KEY and INNGEST_TEST_EVENT_KEY, and a short
 * --retry-interval). docs/develop/jobs.md describes how to run one.
 */
const { INNGEST_TEST_URL, INNGEST_TEST_SIGNING_KEY, INNGEST_TEST_EVENT_KEY } = process.env;
const runner = INNGEST_TEST_URL ? `the Inngest server at ${INNGEST_TEST_URL}` : "the embedded executor";
/** Time that a separate server may take for a retry, or to pick up due jobs. */
const TIMEOUT_MS = 25_000;
const MINUTE_MS = 60_000;

const own = takeOwnDatabase();
let jobs: JobServer;

beforeAll(async () => {
  if (INNGEST_TEST_URL) {
    const port = await freePort();
    Object.assign(process.env, {
      INNGEST_BASE_URL: INNGEST_TEST_URL,
      INNGEST_SIGNING_KEY: INNGEST_TEST_SIGNING_KEY,
      INNGEST_EVENT_KEY: INNGEST_TEST_EVENT_KEY,
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
  }
  jobs = await startJobServer(scenarios);
});
afterAll(async () => {
  await jobs.stop();
  await own.drop();
});

/** Sends an event with a unique key, and waits until the function has recorded the expected values. */
async function noted(name: string, expected: unknown[], data: Record<string, unknown> = {}): Promise<void> {
  const key = randomUUID();
  await jobs.send({ name, data: { key, ...data } });
  await expectNoted(key, expected);
}

async function expectNoted(key: string, expected: unknown[]): Promise<void> {
  await expect.poll(() => seen.get(key) ?? [], { timeout: TIMEOUT_MS }).toEqual(expected);
}

/** Waits for a later event to finish, to show that something has not happened. */
async function laterEventHasRun(): Promise<void> {
  await noted("test/odd", [[1]], { values: [1] });
}

describe(`on ${runner}`, () => {
  it("completes a function that returns", () => noted("test/returns", ["called"]));
  it("completes a function that returns nothing", () => noted("test/returns-nothing", ["called"]));
  it("runs each step once and returns its result as JSON", () =>
    noted("test/two-steps", ["a", "b", { a: { one: 1 }, b: null }]));
  it("tells steps of one name apart by their order", () => noted("test/repeated-ids", [[0, 1, 2]]));
  it("ends all parallel steps before the next one", () => noted("test/parallel", [{ before: 0, after: "XYZ" }]));
  it("runs a step beside a sleep", () => noted("test/parallel-sleep", ["work", "both"]));
  it("ends a sleep", () => noted("test/sleeps", ["before", "after"]));
  it("retries a function that throws, then fails it", () => noted("test/throws", [0, 1, 2, "failed: attempt 2"]));
  it("keeps the completed steps of a function that throws once", () => noted("test/recovers", ["first", "then 1"]));
  it("does not retry a non-retriable error", () => noted("test/never-retried", [0, "failed: for good"]));
  it("retries at the time that the error sets", () => noted("test/retries-after", [0, 1]));
  it("retries a step on its own", () => noted("test/step-retries", ["try 0", "try 1", "try 2", "held"]));
  it("lets a function catch a step that has failed", () =>
    noted("test/catches", ["bad", "bad", ["caught TypeError: broken", "on"]]));
  it("fails the run with a failed step", () => noted("test/catches-not", ["bad", "bad", "failed: broken"]));
  it("lets one of several parallel steps fail", () => noted("test/parallel-failure", [["fulfilled", "rejected"]]));
  it("returns results of nearly 4 MiB whole, more than one call can carry", () =>
    noted("test/large", [[4_193_280, 4_193_280]]));
  it("returns unusual names and values unchanged", async () => {
    const values = [{ "a.b": 1, $set: "x", "": 0 }, "\u2028 \u{1f600}", 1e21, -0.5, null, [[]], "12:00"];
    await noted("test/odd", [values], { values });
  });

  it("starts one run for a hundred events of one ID", async () => {
    const key = randomUUID();
    const event = { id: randomUUID(), name: "test/once", data: { key } };
    await Promise.all(Array.from({ length: 100 }, () => jobs.send(event)));
    await laterEventHasRun();
    await expectNoted(key, ["run"]);
  });

  it("runs one at a time with a keyed limit", async () => {
    const key = randomUUID();
    await jobs.send(Array.from({ length: 5 }, () => ({ name: "test/alone", data: { key } })));
    await expectNoted(key, Array.from({ length: 5 }, () => ["in", "out"]).flat());
  });

  it("starts a run each minute, with the cron expression", async () => {
    // Another server's clock cannot be advanced, so the test waits for its tick. Earlier ticks do not count.
    const before = (seen.get(TICKS_KEY) ?? []).length;
    jobs.advance(MINUTE_MS);
    const ticks = () => (seen.get(TICKS_KEY) ?? []).slice(before);
    await expect.poll(() => ticks().length, { timeout: 2 * MINUTE_MS }).toBeGreaterThan(0);
    await laterEventHasRun();
    expect(ticks()[0]).toEqual({ name: "inngest/scheduled.timer", cron: "* * * * *" });
  }, 150_000);
});
