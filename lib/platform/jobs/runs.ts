import "server-only";
import { createHash } from "node:crypto";
import { indexesOfDuplicates, isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import type { StoreClock } from "./clock";
import { collections } from "./collections";
import { keyOf } from "./expressions";
import type { JobFunction } from "./functions";
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

/** Runs that these events started emit no end events: a failing failure handler would start itself. */
export const END_EVENTS = ["inngest/function.finished", "inngest/function.failed", "inngest/function.cancelled"];

export type Ending = { status: Exclude<RunStatus, "active">; outcome: unknown };
type Start = {
  event: EventPayload;
  eventId: string;
  /** Text that identifies duplicate starts of a run. */
  keyText: string;
  parent?: { runId: string; stepId: string };
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
  async start(fn: JobFunction, { event, eventId, keyText, parent }: Start): Promise<void> {
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
      cancelKeys: fn.cancels.flatMap((cancel, index) => {
        const key = keyOf(cancel.expression, "event", { event });
        return key === null ? [] : [cancelKey(fn.id, index, key)];
      }),
      ...(parent && { parent }),
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
      if (await this.#forgetOldKey(run.key as string, now)) await this.start(fn, { event, eventId, keyText, parent });
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
   * Ends a run in one update, if no function listens for its end and it has left nothing behind.
   * @param run held by the caller
   * @returns false, without a change, when the run does not qualify or has changed
   */
  async endQuietly(run: RunDoc, given: Ending): Promise<boolean> {
    const ending = checked(given);
    const isHeard = endNames(run, ending.status).some((name) => this.#isHeard(name));
    if (run.parent || run.hasTasks || isHeard || Object.values(run.steps).includes(null)) return false;
    const { matchedCount } = await collections
      .jobRuns()
      .updateOne(
        { _id: run._id, status: "active", state: "leased", leaseBy: run.leaseBy },
        { $set: { ...ending, endedAt: this.#clock.now(), ...this.#over() } },
      );
    return matchedCount === 1;
  }

  /**
   * Completes the end of a run: reports its result to a waiting run, deletes its tasks and steps, and sets its expiry.
   * May be repeated from the beginning.
   * @param finish passes the result to the waiting run
   */
  async conclude(
    run: RunDoc,
    finish: (parent: { runId: string; stepId: string }, output: unknown) => Promise<void>,
  ): Promise<void> {
    if (run.parent) await finish(run.parent, outputOf(run));
    const events = endEventsOf(run, this.#clock.now());
    const heard = events.filter((each) => this.#isHeard(each.name));
    if (heard.length > 0) await insertNew(heard);
    if (heard.length > 0) this.#wake();
    await collections.jobTasks().deleteMany({ runId: run._id });
    await collections.jobSteps().deleteMany({ runId: run._id });
    await collections
      .jobRuns()
      .updateOne({ _id: run._id, state: "leased", leaseBy: run.leaseBy }, { $set: this.#over() });
  }

  /** Returns the fields of a finished run. */
  #over() {
    const expiresAt = new Date(this.#clock.ms() + KEEP_MS);
    return { state: "done" as const, leaseBy: null, expiresAt, steps: {}, pending: [], cancelKeys: [] };
  }

  /** Cancels the runs that an event cancels. */
  async cancelBy(event: EventPayload, eventId: string, receivedAt: Date): Promise<void> {
    for (const fn of this.#functions().values()) {
      for (const [index, cancel] of fn.cancels.entries()) {
        const key = cancel.event === event.name ? keyOf(cancel.expression, "async", { async: event }) : null;
        if (key === null) continue;
        const since = new Date(receivedAt.getTime() - cancel.validMs);
        const found = collections.jobRuns().find(
          {
            cancelKeys: cancelKey(fn.id, index, key),
            status: "active",
            // Excludes the runs that this event started, and later ones.
            eventId: { $ne: eventId },
            createdAt: { $gte: since, $lte: receivedAt },
          },
          { projection: { _id: 1 } },
        );
        for await (const { _id } of found) {
          await this.end(_id, { status: "cancelled", outcome: { name: "Error", message: "function cancelled" } });
        }
      }
    }
  }

  /**
   * Returns whether any function listens for an event. Other end events are not created, since there would be one for
   * every run.
   */
  #isHeard(name: string): boolean {
    return [...this.#functions().values()].some(
      (fn) => fn.events.some((one) => one.name === name) || fn.cancels.some((one) => one.event === name),
    );
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
  return fn.concurrency.map(({ limit, isShared, key }, index) => {
    const value = createHash("sha256")
      .update(JSON.stringify(key?.({ event }) ?? null))
      .digest("base64url");
    return { name: isShared ? `*|${value}` : `${fn.id}|${index}|${value}`, limit };
  });
}

function cancelKey(functionId: string, index: number, key: string): string {
  return `${functionId}|${index}|${key}`;
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

function outputOf(run: RunDoc): unknown {
  const outcome: unknown = JSON.parse(run.outcome ?? "null");
  return run.status === "completed" ? { data: outcome } : { error: outcome };
}

const END_STATUS = { completed: "Completed", failed: "Failed", cancelled: "Cancelled" } as const;

/** Returns the names of the events for a run's end. */
function endNames({ eventName }: RunDoc, status: Ending["status"]): string[] {
  if (END_EVENTS.includes(eventName)) return [];
  return ["inngest/function.finished", ...(status === "completed" ? [] : [`inngest/function.${status}`])];
}

function endEventsOf(run: RunDoc, now: Date): EventDoc[] {
  if (run.status === "active") return [];
  const event: EventPayload = JSON.parse(run.payload);
  const outcome: unknown = JSON.parse(run.outcome ?? "null");
  const data = {
    function_id: run.functionId,
    run_id: run._id,
    event,
    events: [event],
    ...(run.status === "completed" ? { result: outcome } : { error: outcome }),
    ...(run.parent && { correlation_id: `${run.parent.runId}.${run.parent.stepId}` }),
    _inngest: { status: END_STATUS[run.status] },
  };
  const names = [
    "inngest/function.finished",
    ...(run.status === "completed" ? [] : [`inngest/function.${run.status}`]),
  ];
  return names.map((name) => ({
    _id: `${run._id}:${name}`,
    name,
    payload: JSON.stringify({ id: run._id, name, data, ts: now.getTime(), user: {} } satisfies EventPayload),
    createdAt: now,
    state: "ready",
    at: now,
    leaseBy: null,
    lapses: 0,
  }));
}
