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
  it("a function returns, and its end is told", () => noted("test/returns", ["called", { finished: { a: 1 } }]));
  it("a function that returns nothing has run", () => noted("test/returns-nothing", ["called"]));
  it("each step runs once, and its result comes back as JSON", () =>
    noted("test/two-steps", ["a", "b", { a: { one: 1 }, b: null }]));
  it("steps of one name are told apart by their order", () => noted("test/repeated-ids", [[0, 1, 2]]));
  it("steps side by side all end before the next", () => noted("test/parallel", [{ before: 0, after: "XYZ" }]));
  it("a step runs beside a sleep", () => noted("test/parallel-sleep", ["work", "both"]));
  it("a sleep ends", () => noted("test/sleeps", ["before", "after"]));
  it("a wait without its event ends with null", () => noted("test/waits-in-vain", [null]));
  it("a wait hears an event that is sent in the same moment", () => noted("test/waits-for-own", ["test/own"]));
  it("a function invokes another, and catches its failure", () =>
    noted("test/invokes", [[{ twice: 42 }, "caught: no"]]));
  it("a function that throws is tried again, and then has failed", () =>
    noted("test/throws", [0, 1, 2, "failed: attempt 2"]));
  it("a function that throws once keeps the steps that it had", () => noted("test/recovers", ["first", "then 1"]));
  it("what cannot help is not tried again", () => noted("test/never-retried", [0, "failed: for good"]));
  it("an error says when it is to be tried again", () => noted("test/retries-after", [0, 1]));
  it("a step is tried again by itself", () => noted("test/step-retries", ["try 0", "try 1", "try 2", "held"]));
  it("a step that has failed for good can be caught", () =>
    noted("test/catches", ["bad", "bad", ["caught TypeError: broken", "on"]]));
  it("a step that has failed for good fails the run", () =>
    noted("test/catches-not", ["bad", "bad", "failed: broken"]));
  it("of steps side by side one may fail", () => noted("test/parallel-failure", [["fulfilled", "rejected"]]));
  it("results of nearly four mebibytes come back whole, more than one call can carry", () =>
    noted("test/large", [[4_193_280, 4_193_280]]));
  it("unusual names and values come back as they were", async () => {
    const values = [{ "a.b": 1, $set: "x", "": 0 }, "\u2028 \u{1f600}", 1e21, -0.5, null, [[]], "12:00"];
    await noted("test/odd", [values], { values });
  });

  it("a wait hears the event that it waits for, and no other", async () => {
    const key = randomUUID();
    await jobs.send({ name: "test/waits", data: { key } });
    const answers = [randomUUID(), key].map((one) => ({ name: "test/answer", data: { key: one, said: "yes" } }));
    // No run receives the event before the wait has begun, so it is sent repeatedly.
    const timer = setInterval(() => void jobs.send(answers), 200);
    await expectNoted(key, [{ name: "test/answer", data: { key, said: "yes" } }]).finally(() => clearInterval(timer));
  });

  it("an event of one id starts one run, a hundred times over", async () => {
    const key = randomUUID();
    const event = { id: randomUUID(), name: "test/once", data: { key } };
    await Promise.all(Array.from({ length: 100 }, () => jobs.send(event)));
    await laterEventHasRun();
    await expectNoted(key, ["run"]);
  });

  it("a function's own key starts one run", async () => {
    const key = randomUUID();
    for (let count = 0; count < 3; count += 1) await jobs.send({ name: "test/once-per-key", data: { key } });
    await laterEventHasRun();
    await expectNoted(key, ["run"]);
  });

  it("a trigger's condition holds back what does not meet it", async () => {
    const key = randomUUID();
    await jobs.send(["bad", "good", "worse"].map((kind) => ({ name: "test/filtered", data: { key, kind } })));
    await laterEventHasRun();
    await expectNoted(key, ["good"]);
  });

  it("a run is cancelled between its steps", async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    await jobs.send([key, other].map((one) => ({ name: "test/cancelled", data: { key: one } })));
    await expectNoted(key, ["before"]);
    await jobs.send({ name: "test/cancel", data: { key } });
    await expectNoted(other, ["before", "after"]);
    await expectNoted(key, ["before", "cancelled"]);
  });

  it("a limit with a key lets one in at a time", async () => {
    const key = randomUUID();
    await jobs.send(Array.from({ length: 5 }, () => ({ name: "test/alone", data: { key } })));
    await expectNoted(key, Array.from({ length: 5 }, () => ["in", "out"]).flat());
  });

  it("a minute's tick starts a run, which hears of its expression", async () => {
    // Another server's clock cannot be advanced, so the test waits for its tick. Earlier ticks do not count.
    const before = (seen.get(TICKS_KEY) ?? []).length;
    jobs.advance(MINUTE_MS);
    const ticks = () => (seen.get(TICKS_KEY) ?? []).slice(before);
    await expect.poll(() => ticks().length, { timeout: 2 * MINUTE_MS }).toBeGreaterThan(0);
    await laterEventHasRun();
    expect(ticks()[0]).toEqual({ name: "inngest/scheduled.timer", cron: "* * * * *" });
  }, 150_000);
});
