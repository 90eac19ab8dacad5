import { NonRetriableError, RetryAfterError } from "inngest";
import { inngest } from "@/inngest/client";

/** Notes of the scenarios' functions, by the scenario's key. */
export const seen = new Map<string, unknown[]>();

/** Records a note for the scenario of the event. */
function note(event: { data: Record<string, unknown> }, what: unknown): void {
  const key = String(event.data.key);
  seen.set(key, [...(seen.get(key) ?? []), what]);
}

type Failure = {
  event: { data: { error: { name: string; message: string }; event: { data: Record<string, unknown> } } };
};
/** Records the error of a run. */
const onFailure = ({ event }: Failure) => {
  note(event.data.event, `failed: ${event.data.error.message}`);
};
const FOUR_MIB = 4 * 1024 * 1024;
/** Just below the limit together with its envelope. */
const LARGE = FOUR_MIB - 1024;

/*
 * Each handles an event with its own name. Runners are compared by the notes alone: the order of calls, attempts,
 * results of steps, errors and ends. Code outside a step runs again at each call, so most write their note after their
 * last step.
 */

const returns = inngest.createFunction({ id: "returns", triggers: [{ event: "test/returns" }] }, ({ event }) => {
  note(event, "called");
  return { a: 1 };
});

const returnsNothing = inngest.createFunction(
  { id: "returns-nothing", triggers: [{ event: "test/returns-nothing" }] },
  ({ event }) => note(event, "called"),
);

const twoSteps = inngest.createFunction(
  { id: "two-steps", triggers: [{ event: "test/two-steps" }] },
  async ({ event, step }) => {
    const a = await step.run("a", () => {
      note(event, "a");
      return { one: 1 };
    });
    const b = await step.run("b", () => {
      note(event, "b");
    });
    note(event, { a, b });
  },
);

const repeatedIds = inngest.createFunction(
  { id: "repeated-ids", triggers: [{ event: "test/repeated-ids" }] },
  async ({ event, step }) => {
    const results: unknown[] = [];
    for (const index of [0, 1, 2]) results.push(await step.run("same", () => index));
    note(event, results);
  },
);

const parallel = inngest.createFunction(
  { id: "parallel", triggers: [{ event: "test/parallel" }] },
  async ({ event, step }) => {
    const before = await step.run("before", () => 0);
    const all = await Promise.all(["x", "y", "z"].map((name) => step.run(name, () => name.toUpperCase())));
    const after = await step.run("after", () => all.join(""));
    note(event, { before, after });
  },
);

const parallelSleep = inngest.createFunction(
  { id: "parallel-sleep", triggers: [{ event: "test/parallel-sleep" }] },
  async ({ event, step }) => {
    await Promise.all([step.sleep("nap", "1s"), step.run("work", () => note(event, "work"))]);
    note(event, "both");
  },
);

const sleeps = inngest.createFunction(
  { id: "sleeps", triggers: [{ event: "test/sleeps" }] },
  async ({ event, step }) => {
    await step.run("before", () => note(event, "before"));
    await step.sleep("nap", "1s");
    await step.run("after", () => note(event, "after"));
  },
);

const throws = inngest.createFunction(
  { id: "throws", triggers: [{ event: "test/throws" }], retries: 2, onFailure },
  ({ event, attempt }) => {
    note(event, attempt);
    throw new Error(`attempt ${attempt}`);
  },
);

const recovers = inngest.createFunction(
  { id: "recovers", triggers: [{ event: "test/recovers" }], retries: 2 },
  async ({ event, step, attempt }) => {
    await step.run("first", () => note(event, "first"));
    if (attempt === 0) throw new Error("once");
    note(event, `then ${attempt}`);
  },
);

const neverRetried = inngest.createFunction(
  { id: "never-retried", triggers: [{ event: "test/never-retried" }], retries: 3, onFailure },
  ({ event, attempt }) => {
    note(event, attempt);
    throw new NonRetriableError("for good");
  },
);

const retriesAfter = inngest.createFunction(
  { id: "retries-after", triggers: [{ event: "test/retries-after" }], retries: 1 },
  ({ event, attempt }) => {
    note(event, attempt);
    if (attempt === 0) throw new RetryAfterError("later", 1000);
  },
);

const stepRetries = inngest.createFunction(
  { id: "step-retries", triggers: [{ event: "test/step-retries" }], retries: 2 },
  async ({ event, step }) => {
    const result = await step.run("shaky", async () => {
      const tries = (seen.get(String(event.data.key)) ?? []).length;
      note(event, `try ${tries}`);
      if (tries < 2) throw new Error("shaky");
      return "held";
    });
    note(event, result);
  },
);

const catches = inngest.createFunction(
  { id: "catches", triggers: [{ event: "test/catches" }], retries: 1 },
  async ({ event, step }) => {
    const caught = await step
      .run("bad", () => {
        note(event, "bad");
        throw new TypeError("broken");
      })
      .catch((error: Error) => `caught ${error.name}: ${error.message}`);
    note(event, [caught, await step.run("good", () => "on")]);
  },
);

const catchesNot = inngest.createFunction(
  { id: "catches-not", triggers: [{ event: "test/catches-not" }], retries: 1, onFailure },
  async ({ event, step }) => {
    await step.run("bad", () => {
      note(event, "bad");
      throw new Error("broken");
    });
  },
);

const parallelFailure = inngest.createFunction(
  { id: "parallel-failure", triggers: [{ event: "test/parallel-failure" }], retries: 0 },
  async ({ event, step }) => {
    const results = await Promise.allSettled([
      step.run("good", () => "good"),
      step.run("bad", () => {
        throw new NonRetriableError("bad");
      }),
    ]);
    note(
      event,
      results.map(({ status }) => status),
    );
  },
);

const once = inngest.createFunction({ id: "once", triggers: [{ event: "test/once" }] }, ({ event }) =>
  note(event, "run"),
);

const large = inngest.createFunction(
  { id: "large", triggers: [{ event: "test/large" }], retries: 0 },
  async ({ event, step }) => {
    const lengths: number[] = [];
    for (const name of ["one", "two"]) lengths.push((await step.run(name, () => "x".repeat(LARGE))).length);
    note(event, lengths);
  },
);

const alone = inngest.createFunction(
  { id: "alone", triggers: [{ event: "test/alone" }], concurrency: { limit: 1, key: "event.data.key" } },
  async ({ event, step }) => {
    await step.run("work", async () => {
      note(event, "in");
      await new Promise((resolve) => setTimeout(resolve, 50));
      note(event, "out");
    });
  },
);

const odd = inngest.createFunction({ id: "odd", triggers: [{ event: "test/odd" }] }, async ({ event, step }) => {
  const back = await step.run("back", () => event.data.values);
  note(event, back);
});

/** Key for the notes of ticks: no event could carry a key. */
export const TICKS_KEY = "ticks";
const ticks = inngest.createFunction({ id: "ticks", triggers: [{ cron: "* * * * *" }] }, ({ event }) => {
  const { name, data } = event as { name: string; data: { cron: string } };
  note({ data: { key: TICKS_KEY } }, { name, cron: data.cron });
});

export const scenarios = [
  returns,
  returnsNothing,
  twoSteps,
  repeatedIds,
  parallel,
  parallelSleep,
  sleeps,
  throws,
  recovers,
  neverRetried,
  retriesAfter,
  stepRetries,
  catches,
  catchesNot,
  parallelFailure,
  once,
  large,
  alone,
  odd,
  ticks,
];
