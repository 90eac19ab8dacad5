import "server-only";
import { createHash } from "node:crypto";
import { indexesOfDuplicates, isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import type { StoreClock } from "./clock";
import { collections } from "./collections";
import { FAILED_EVENT, type JobFunction } from "./functions";
import { IDEMPOTENCY_MS, KEEP_MS, OUTPUT_BYTES_MAX, STATE_BYTES_MAX, STEPS_MAX } from "./limits";
import type { EventDoc, EventPayload, RunDoc, RunLimit, RunStatus } from "./model";
import type { JobError } from "./step-results";
import { ulid } from "./ulid";

/**
 * Maximum size of a result that is stored inside its run's document, which is then read and written with it, in bytes.
 */
const INLINE_BYTES_MAX = 8 * 1024;
/** Maximum total of such results, because the document is written at every step. */
const INLINE_TOTAL_BYTES_MAX = 256 * 1024;

export type Ending = { status: Exclude<RunStatus, "active">; outcome: unknown };
type Start = {
  event: EventPayload;
  eventId: string;
  /** Text that identifies duplicate starts of a run. */
  keyText: string;
};

/** The runs in the store. Every change is one update of one document, so a crash leaves no partial change. */
export class Runs {
  readonly #clock: StoreClock;
  readonly #functions: () => ReadonlyMap<string, JobFunction>;
  readonly #wake: () => void;

  constructor(clock: StoreClock, functions: () => ReadonlyMap<string, JobFunction>, wake: () => void) {
    this.#clock = clock;
    this.#functions = functions;
    this.#wake = wake;
  }

  /** Starts a run, unless the same one was started within the last day. */
  async start(fn: JobFunction, { event, eventId, keyText }: Start): Promise<void> {
    const now = this.#clock.now();
    const run: RunDoc = {
      _id: ulid(now),
      functionId: fn.id,
      status: "active",
      key: createHash("sha256").update(`${fn.id}\n${keyText}`).digest("base64url"),
      eventId,
      eventName: event.name,
      payload: JSON.stringify(event),
      steps: {},
      stack: [],
      pending: [],
      hasTasks: false,
      stateBytes: 0,
      version: -1,
      isPlanning: false,
      attempt: 0,
      wanted: 1,
      limits: limitsOf(fn, event),
      blockedOn: null,
      state: "ready",
      at: now,
      leaseBy: null,
      lapses: 0,
      createdAt: now,
    };
    try {
      await collections.jobRuns().insertOne(run);
      this.#wake();
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      if (await this.#forgetOldKey(run.key as string, now)) await this.start(fn, { event, eventId, keyText });
    }
  }

  /** Returns the results of the steps in the protocol's form. */
  static async stepsOf(run: RunDoc): Promise<Record<string, unknown>> {
    const steps = new Map(Object.entries(run.steps));
    if ([...steps.values()].includes(null)) {
      for (const { _id, output } of await collections.jobSteps().find({ runId: run._id }).toArray()) {
        const stepId = _id.slice(run._id.length + 1);
        if (steps.get(stepId) === null) steps.set(stepId, output);
      }
    }
    return Object.fromEntries([...steps].map(([id, output]) => [id, JSON.parse(output ?? "null")]));
  }

  /**
   * Stores a step's result. The first result wins.
   * @param version protocol version of the response to a discovery call; resets its attempts
   * @returns the updated run; null when the step already had a result, or the run has ended, including by a result that
   *   is too large
   */
  async saveStep(
    run: RunDoc,
    stepId: string,
    output: unknown,
    { version }: { version?: number } = {},
  ): Promise<RunDoc | null> {
    const text = JSON.stringify(output);
    const bytes = Buffer.byteLength(text);
    const refusal = refusalOf(run, bytes);
    if (refusal) {
      await this.end(run._id, { status: "failed", outcome: refusal });
      return null;
    }
    const isInline = bytes <= INLINE_BYTES_MAX && run.stateBytes + bytes <= INLINE_TOTAL_BYTES_MAX;
    if (!isInline) await this.#keepLarge(run._id, stepId, text);
    const field = `steps.${stepId}` as const;
    return collections.jobRuns().findOneAndUpdate(
      { _id: run._id, status: "active", [field]: { $exists: false } },
      {
        $set: {
          [field]: isInline ? text : null,
          lapses: 0,
          deaths: 0,
          ...(version !== undefined && { attempt: 0, version: run.version === -1 ? version : run.version }),
        },
        $push: { stack: stepId },
        $pull: { pending: stepId },
        $inc: { stateBytes: bytes },
      },
      { returnDocument: "after" },
    );
  }

  /** Requests another call of the function: at once, or by the process that is calling it now. */
  async want(runId: string): Promise<void> {
    for (;;) {
      const woken = await collections.jobRuns().updateOne({ _id: runId, status: "active", state: "idle" }, [
        {
          $set: {
            state: "ready",
            at: this.#clock.now(),
            attempt: 0,
            wanted: { $add: ["$wanted", 1] },
            // From version 2 on, a step may run at once again when no other step runs in parallel.
            isPlanning: { $and: ["$isPlanning", { $lt: ["$version", 2] }] },
          },
        },
      ]);
      if (woken.matchedCount === 1) return this.#wake();
      const noted = await collections
        .jobRuns()
        .updateOne({ _id: runId, status: "active", state: { $ne: "idle" } }, { $inc: { wanted: 1 } });
      if (noted.matchedCount === 1) return;
      // The run has ended, or changed between the two updates.
      if (!(await collections.jobRuns().findOne({ _id: runId, status: "active" }))) return;
    }
  }

  /**
   * Ends a run once. The holder of its lease concludes it; without one, the run becomes ready so that a worker does.
   * @returns the ended run; null when it had ended before
   */
  async end(runId: string, given: Ending): Promise<RunDoc | null> {
    const ending = { ...checked(given), endedAt: this.#clock.now() };
    for (;;) {
      const active = { _id: runId, status: "active" as const };
      const held = await collections
        .jobRuns()
        .findOneAndUpdate({ ...active, state: "leased" }, { $set: ending }, { returnDocument: "after" });
      if (held) return held;
      const free = await collections
        .jobRuns()
        .findOneAndUpdate(
          { ...active, state: { $ne: "leased" } },
          { $set: { ...ending, state: "ready", blockedOn: null, at: ending.endedAt } },
          { returnDocument: "after" },
        );
      if (free) {
        this.#wake();
        return free;
      }
      if (!(await collections.jobRuns().findOne(active, { projection: { _id: 1 } }))) return null;
    }
  }

  /**
   * Ends a run in one update, if no function handles its failure and it has left nothing behind.
   * @param run held by the caller
   * @returns false, without a change, when the run does not qualify or has changed
   */
  async endQuietly(run: RunDoc, given: Ending): Promise<boolean> {
    const ending = checked(given);
    const isHandled = ending.status === "failed" && this.#isFailureHandled(run);
    if (run.hasTasks || isHandled || Object.values(run.steps).includes(null)) return false;
    const { matchedCount } = await collections
      .jobRuns()
      .updateOne(
        { _id: run._id, status: "active", state: "leased", leaseBy: run.leaseBy },
        { $set: { ...ending, endedAt: this.#clock.now(), ...this.#over() } },
      );
    return matchedCount === 1;
  }

  /** Completes the end of a run: reports a failure, deletes its tasks and steps, sets its expiry. May be repeated. */
  async conclude(run: RunDoc): Promise<void> {
    if (run.status === "failed" && this.#isFailureHandled(run)) {
      await insertNew([failureOf(run, this.#clock.now())]);
      this.#wake();
    }
    await collections.jobTasks().deleteMany({ runId: run._id });
    await collections.jobSteps().deleteMany({ runId: run._id });
    await collections
      .jobRuns()
      .updateOne({ _id: run._id, state: "leased", leaseBy: run.leaseBy }, { $set: this.#over() });
  }

  /** Returns the fields of a finished run. */
  #over() {
    const expiresAt = new Date(this.#clock.ms() + KEEP_MS);
    return { state: "done" as const, leaseBy: null, expiresAt, steps: {}, pending: [] };
  }

  /** Returns whether any function handles the failure. Otherwise there is no event: there would be one for every run. */
  #isFailureHandled({ functionId }: RunDoc): boolean {
    return [...this.#functions().values()].some(({ failuresOf }) => failuresOf.includes(functionId));
  }

  async #keepLarge(runId: string, stepId: string, output: string): Promise<void> {
    try {
      await collections.jobSteps().insertOne({ _id: `${runId}:${stepId}`, runId, output });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** @returns whether a run older than a day had the key, which is now free */
  async #forgetOldKey(key: string, now: Date): Promise<boolean> {
    const { modifiedCount } = await collections
      .jobRuns()
      .updateOne({ key, createdAt: { $lt: new Date(now.getTime() - IDEMPOTENCY_MS) } }, { $unset: { key: "" } });
    return modifiedCount === 1;
  }
}

/** Stores events; existing ones do not change. @returns the new ones */
export async function insertNew(events: EventDoc[]): Promise<{ inserted: EventDoc[] }> {
  if (events.length === 0) return { inserted: [] };
  try {
    await collections.jobEvents().insertMany(events, { ordered: false });
    return { inserted: events };
  } catch (error) {
    const taken = indexesOfDuplicates(error);
    if (taken === null) throw error;
    const known = new Set(taken);
    return { inserted: events.filter((_, index) => !known.has(index)) };
  }
}

/** Turns a result that is too large into a failure. */
function checked({ status, outcome }: Ending): { status: Ending["status"]; outcome: string } {
  const text = JSON.stringify(outcome ?? null);
  if (Buffer.byteLength(text) <= OUTPUT_BYTES_MAX) return { status, outcome: text };
  return { status: "failed", outcome: JSON.stringify(overflow(OUTPUT_BYTES_MAX)) };
}

function overflow(limitBytes: number): JobError {
  return {
    name: "InngestErrStateOverflowed",
    message: `The function run exceeded the state size limit of ${limitBytes} bytes.`,
  };
}

function limitsOf(fn: JobFunction, event: EventPayload): RunLimit[] {
  return fn.concurrency.map(({ limit, key }, index) => {
    const value = createHash("sha256")
      .update(JSON.stringify(key?.(event) ?? null))
      .digest("base64url");
    return { name: `${fn.id}|${index}|${value}`, limit };
  });
}

function refusalOf(run: RunDoc, bytes: number): JobError | null {
  if (bytes > OUTPUT_BYTES_MAX || run.stateBytes + bytes > STATE_BYTES_MAX) {
    return overflow(bytes > OUTPUT_BYTES_MAX ? OUTPUT_BYTES_MAX : STATE_BYTES_MAX);
  }
  if (run.stack.length < STEPS_MAX) return null;
  return {
    name: "InngestErrFunctionOverflowed",
    message: `The function run exceeded the step limit of ${STEPS_MAX} steps.`,
  };
}

function failureOf(run: RunDoc, now: Date): EventDoc {
  const event: EventPayload = JSON.parse(run.payload);
  const data = {
    function_id: run.functionId,
    run_id: run._id,
    event,
    events: [event],
    error: JSON.parse(run.outcome ?? "null"),
    _inngest: { status: "Failed" },
  };
  return {
    _id: `${run._id}:${FAILED_EVENT}`,
    name: FAILED_EVENT,
    payload: JSON.stringify({
      id: run._id,
      name: FAILED_EVENT,
      data,
      ts: now.getTime(),
      user: {},
    } satisfies EventPayload),
    createdAt: now,
    state: "ready",
    at: now,
    leaseBy: null,
    lapses: 0,
  };
}
