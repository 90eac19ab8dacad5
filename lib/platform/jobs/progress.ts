import "server-only";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { log } from "@/lib/platform/log";
import type { Backoff } from "./backoff";
import { type Application, DISCOVERY_STEP } from "./call";
import type { StoreClock } from "./clock";
import { collections } from "./collections";
import { nextCronTime } from "./cron";
import type { JobFunction } from "./functions";
import type { EventPayload, RunDoc, TaskDoc } from "./model";
import { isRace, RESULTS, refusalOf, resultOf, TASKS, waitMs } from "./operations";
import { type Ending, Runs } from "./runs";
import { freeSlots, hasRoom, takeSlots, unblock } from "./slots";
import { type Answer, type JobError, type Operation, readAnswer, toError } from "./step-results";

/**
 * Maximum failed attempts of a job: deaths of its process or failures of the executor. It is far more than a run of a
 * few hours meets while a server restarts again and again.
 */
export const LAPSES_MAX = 20;
const LAPSED: JobError = {
  name: "Error",
  message: `The server stopped or lost the job in each of ${LAPSES_MAX} attempts.`,
};
/**
 * Number of worker deaths after which a job is not run again, because it is the likely cause. After the first death, it
 * runs separately from the other jobs that the worker held.
 */
export const DEATHS_MAX = 2;
const DEADLY: JobError = {
  name: "Error",
  message: `The server stopped unexpectedly ${DEATHS_MAX} times during this job. It will not be retried.`,
};
/** Name of the event of a cron tick. */
export const TICK = "inngest/scheduled.timer";

type Operations = Extract<Answer, { kind: "operations" }>;
type Failure = { isFinal: boolean; retryInMs: number | null };

export type ProgressOptions = {
  /** This process's id, as holder of leases. */
  worker: string;
  application: Application;
  backoff: Backoff;
  clock: StoreClock;
  runs: Runs;
  functions: () => ReadonlyMap<string, JobFunction>;
  /** Reports that there is work now. */
  wake: () => void;
  /** Reports that there will be work at this time. */
  wakeAt: (at: Date) => void;
  /** Aborts running calls when the process ends. */
  signal: AbortSignal;
  isStopping: () => boolean;
};

/**
 * Advances a run or a step by one response of its function. The order of writes makes this safe: a result is stored
 * before anything that depends on it starts, and a job is deleted last. A crash at any point repeats one call at most.
 */
export class Progress {
  readonly #options: ProgressOptions;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** Handles a leased run: calls its function until it waits for something or has ended. */
  async handleRun(claimed: RunDoc): Promise<void> {
    if (claimed.status === "active" && !(await this.#enter(claimed, collections.jobRuns))) return;
    let run: RunDoc | null = claimed;
    while (run) run = await this.#ask(run);
  }

  /** Handles a leased step, timer or cron tick. */
  async handleTask(task: TaskDoc): Promise<void> {
    if (task.kind === "cron") return this.#tick(task);
    const run = await collections.jobRuns().findOne({ _id: task.runId, status: "active" });
    // A run that has ended needs nothing more. A step with a result only has to be reported.
    if (!run || task.stepId in run.steps) return this.#finishTask(task, undefined);
    return task.kind === "sleep" ? this.#finishTask(task, null) : this.#handleStep(task, run);
  }

  /** Fails a leased run whose function no longer exists. */
  async giveUpRun(run: RunDoc): Promise<void> {
    if (run.status === "active") {
      log.error({ run: run._id, function: run.functionId }, "a job failed: no server has its function");
      await this.#end(run, { status: "failed", outcome: goneError(run.functionId) });
    } else await this.#conclude(run);
  }

  /** Fails a leased step or timer of a function that no longer exists, and deletes a cron tick. */
  async giveUpTask(task: TaskDoc): Promise<void> {
    log.error({ task: task._id, function: task.functionId }, "a job failed: no server has its function");
    if (task.kind === "cron") await this.#dropTask(task);
    else await this.#failBy(task, goneError(task.functionId));
  }

  /**
   * Stores a step's result and deletes its task. The order of the writes lets a repeated task repair a crash after any
   * of them.
   * @param output undefined when the step has its result already
   */
  async #finishTask(task: TaskDoc, output: unknown): Promise<void> {
    const { runs } = this.#options;
    const active = { _id: task.runId, status: "active" as const };
    const before = await collections.jobRuns().findOne(active);
    const saved = before && output !== undefined ? await runs.saveStep(before, task.stepId, output) : null;
    const run = saved ?? (before && (await collections.jobRuns().findOne(active)));
    if (run && task.stepId in run.steps && (run.pending.length === 0 || task.isRace)) await runs.want(run._id);
    await this.#dropTask(task);
  }

  /**
   * Calls a function for its next steps and starts them. @returns the run when the function has to be called again at
   * once
   */
  async #ask(run: RunDoc): Promise<RunDoc | null> {
    if (run.status !== "active") return this.#conclude(run);
    const givenUp = givenUpBecause(run);
    if (givenUp) return this.#end(run, { status: "failed", outcome: givenUp });
    const fn = this.#functionOf(run);
    const answer = await this.#call(fn, run, DISCOVERY_STEP, run);
    switch (answer.kind) {
      case "returned":
        return this.#end(run, { status: "completed", outcome: answer.data });
      case "failed":
        return this.#retryRun(run, fn, answer, answer.error);
      case "operations":
        return this.#follow(run, fn, answer);
    }
  }

  async #follow(asked: RunDoc, fn: JobFunction, answer: Operations): Promise<RunDoc | null> {
    const { operations } = answer;
    const [first] = operations;
    if (first === undefined && asked.pending.length === 0) {
      const error = { name: "Error", message: "The function returned neither a result nor a step." };
      return this.#retryRun(asked, fn, { isFinal: false, retryInMs: null }, error);
    }
    if (first?.op === "StepError" && !isLast(fn, asked.attempt, answer)) {
      return this.#retryRun(asked, fn, answer, toError(first.error, "The step failed."));
    }
    const refusal = refusalOf(operations);
    if (refusal) return this.#end(asked, { status: "failed", outcome: refusal });
    const complete = operations.find(({ op }) => op === "RunComplete");
    if (complete) return this.#end(asked, { status: "completed", outcome: complete.data ?? null });

    let run: RunDoc | null = await this.#announce(asked, operations, answer.version);
    const results = operations.filter(({ op }) => RESULTS.has(op));
    for (const one of results) {
      run = run && (await this.#options.runs.saveStep(run, one.id, resultOf(one), { version: answer.version }));
    }
    // The run has ended, or the step already had its result.
    if (!run) return this.#reload(asked._id);
    for (const one of operations) if (TASKS.has(one.op)) await this.#beginTask(run, one);
    const goesOn = results.length > 0 && (run.pending.length === 0 || results.some(isRace));
    return goesOn ? this.#goOn(run) : this.#release(run, asked.wanted);
  }

  /** Stores the announced steps and the SDK's choices for the next calls. */
  #announce(run: RunDoc, operations: readonly Operation[], version: number): Promise<RunDoc | null> {
    const announced = operations.filter(({ op, id }) => TASKS.has(op) && !(id in run.steps)).map(({ id }) => id);
    // A single result is stored in one write with the rest.
    if (announced.length === 0 && operations.length === 1) return Promise.resolve(run);
    return collections.jobRuns().findOneAndUpdate(
      { _id: run._id, status: "active", leaseBy: this.#options.worker },
      {
        $addToSet: { pending: { $each: announced } },
        $set: {
          version: run.version === -1 ? version : run.version,
          isPlanning: run.isPlanning || operations.length > 1,
          hasTasks: run.hasTasks || announced.length > 0,
          lapses: 0,
          deaths: 0,
        },
      },
      { returnDocument: "after" },
    );
  }

  /** Continues with the next call at once. A run with limits queues again. */
  async #goOn(run: RunDoc): Promise<RunDoc | null> {
    if (run.limits.length === 0 && !this.#options.isStopping()) {
      return run.leaseBy === this.#options.worker ? run : this.#reload(run._id);
    }
    await collections
      .jobRuns()
      .updateOne(
        { _id: run._id, status: "active", leaseBy: this.#options.worker },
        { $set: { state: "ready", leaseBy: null, at: this.#options.clock.now(), attempt: 0 } },
      );
    this.#options.wake();
    return this.#reload(run._id);
  }

  /**
   * Releases a run that waits for its steps, unless one of them has ended since the call.
   * @param wanted the run's value at the time of the call
   */
  async #release(run: RunDoc, wanted: number): Promise<RunDoc | null> {
    const { matchedCount } = await collections
      .jobRuns()
      .updateOne(
        { _id: run._id, leaseBy: this.#options.worker, status: "active", wanted },
        { $set: { state: "idle", leaseBy: null, attempt: 0, lapses: 0, deaths: 0 } },
      );
    return matchedCount === 1 ? null : this.#reload(run._id);
  }

  /** Returns the current run if this process still holds it; otherwise null. */
  #reload(runId: string): Promise<RunDoc | null> {
    return collections.jobRuns().findOne({ _id: runId, leaseBy: this.#options.worker, state: "leased" });
  }

  /** Schedules a retry, or fails the run after the last attempt. */
  async #retryRun(run: RunDoc, fn: JobFunction, failure: Failure, error: JobError): Promise<RunDoc | null> {
    if (isLast(fn, run.attempt, failure)) return this.#end(run, { status: "failed", outcome: error });
    const again = this.#again(run.attempt, failure);
    await collections
      .jobRuns()
      .updateOne({ _id: run._id, leaseBy: this.#options.worker, status: "active" }, { $set: again });
    return this.#reload(run._id);
  }

  #again(attempt: number, { retryInMs }: Failure) {
    const { clock, backoff, wakeAt } = this.#options;
    const at = new Date(clock.ms() + (retryInMs ?? backoff(attempt)));
    wakeAt(at);
    return { state: "waiting" as const, leaseBy: null, at, attempt: attempt + 1 };
  }

  async #end(run: RunDoc, ending: Ending): Promise<RunDoc | null> {
    if (await this.#options.runs.endQuietly(run, ending)) return null;
    const ended = (await this.#options.runs.end(run._id, ending)) ?? (await this.#reload(run._id));
    return ended?.leaseBy === this.#options.worker ? this.#conclude(ended) : null;
  }

  async #conclude(run: RunDoc): Promise<null> {
    await this.#options.runs.conclude(run);
    return null;
  }

  async #beginTask(run: RunDoc, operation: Operation): Promise<void> {
    const { clock, wake, wakeAt } = this.#options;
    const now = clock.now();
    const { id: stepId } = operation;
    const kind = TASKS.get(operation.op) as TaskDoc["kind"];
    const isStep = kind === "step";
    const at = new Date(now.getTime() + (waitMs(operation, now.getTime()) ?? 0));
    await insertTask({
      ...newTask({ _id: `${run._id}:${stepId}`, kind, functionId: run.functionId, at, createdAt: now }),
      runId: run._id,
      stepId,
      state: isStep ? "ready" : "waiting",
      limits: isStep ? run.limits : [],
      // Before version 2, the function was called after each of several steps.
      isRace: isRace(operation) || run.version === 1,
    });
    if (isStep) wake();
    else wakeAt(at);
  }

  async #handleStep(task: TaskDoc, run: RunDoc): Promise<void> {
    const givenUp = givenUpBecause(task);
    if (givenUp) return this.#failBy(task, givenUp);
    if (!(await this.#enter(task, collections.jobTasks))) return;
    const fn = this.#functionOf(task);
    const answer = await this.#call(fn, run, task.stepId, task);
    if (answer.kind === "returned") {
      await this.#options.runs.end(run._id, { status: "completed", outcome: answer.data });
      return this.#dropTask(task);
    }
    const one = answer.kind === "operations" ? answer.operations.find(({ id }) => id === task.stepId) : undefined;
    const last = isLast(fn, task.attempt, answer);
    if (one && RESULTS.has(one.op) && (one.op !== "StepError" || last)) return this.#finishTask(task, resultOf(one));
    if (last) {
      return this.#failBy(task, answer.kind === "failed" ? answer.error : toError(null, "The step was not found."));
    }
    const again = this.#again(task.attempt, answer);
    await collections.jobTasks().updateOne({ _id: task._id, leaseBy: this.#options.worker }, { $set: again });
  }

  async #failBy(task: TaskDoc, error: JobError): Promise<void> {
    await this.#options.runs.end(task.runId, { status: "failed", outcome: error });
    await this.#dropTask(task);
  }

  async #dropTask(task: TaskDoc): Promise<void> {
    await collections.jobTasks().deleteOne({ _id: task._id });
  }

  /** Handles a cron tick: starts one run and schedules the next tick. A late tick covers all missed ones. */
  async #tick(task: TaskDoc): Promise<void> {
    const { clock, runs, functions, worker } = this.#options;
    const fn = functions().get(task.functionId);
    const cron = fn?.crons.find(({ text }) => text === task.cron);
    if (!fn || !cron) return this.#dropTask(task);
    const id = task.at.toISOString();
    const data = { cron: cron.text, scheduledAt: id, fireAt: id };
    const event: EventPayload = { id, name: TICK, data, ts: clock.ms(), user: {} };
    await runs.start(fn, { event, eventId: `${task._id} ${id}`, keyText: `${cron.text} ${id}` });
    // Never before the tick itself, even when the clock was set back.
    const after = new Date(Math.max(clock.ms(), task.at.getTime()));
    const next = nextCronTime(cron.expression, cron.zone, after);
    if (next === null) return this.#dropTask(task);
    await collections
      .jobTasks()
      .updateOne(
        { _id: task._id, leaseBy: worker },
        { $set: { state: "waiting", leaseBy: null, at: next, lapses: 0, deaths: 0 } },
      );
    this.#options.wakeAt(next);
  }

  /** Takes a slot of each of a job's limits. @returns false when the job was blocked */
  async #enter(
    job: RunDoc | TaskDoc,
    collection: typeof collections.jobRuns | typeof collections.jobTasks,
  ): Promise<boolean> {
    const full = job.limits.length > 0 ? await takeSlots(job.limits, job._id) : null;
    if (full === null) return true;
    // Both document types have these fields, but the driver's types do not overlap.
    await (collection as typeof collections.jobRuns)().updateOne(
      { _id: job._id, leaseBy: this.#options.worker },
      { $set: { state: "blocked", leaseBy: null, blockedOn: full } },
    );
    if (await hasRoom(full)) await unblock(full);
    this.#options.wake();
    return false;
  }

  /** @param job whose attempt this is, and whose slots are freed afterwards */
  async #call(fn: JobFunction, run: RunDoc, stepId: string, job: RunDoc | TaskDoc): Promise<Answer> {
    const { application, clock, signal, isStopping } = this.#options;
    try {
      const answer = await application.ask(
        {
          functionId: fn.id,
          stepId,
          runId: run._id,
          event: JSON.parse(run.payload),
          steps: await Runs.stepsOf(run),
          stack: run.stack,
          attempt: job.attempt,
          attemptsMax: fn.attemptsMax,
          version: run.version,
          isPlanning: run.isPlanning,
        },
        signal,
      );
      return readAnswer(answer, clock.ms());
    } catch (error) {
      // This process is stopping: the job is returned unchanged, and the attempt is not counted.
      if (isStopping()) throw error;
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "failed", error: { name: "Error", message }, isFinal: false, retryInMs: null };
    } finally {
      if (job.limits.length > 0) {
        await freeSlots(job.limits, job._id);
        this.#options.wake();
      }
    }
  }

  #functionOf({ functionId }: RunDoc | TaskDoc): JobFunction {
    const fn = this.#options.functions().get(functionId);
    if (!fn) throw new Error(`Unknown function ${functionId}.`);
    return fn;
  }
}

/** Returns why a job is not run again; null when it may run. */
function givenUpBecause({ _id, functionId, lapses, deaths = 0 }: RunDoc | TaskDoc): JobError | null {
  const error = deaths >= DEATHS_MAX ? DEADLY : lapses >= LAPSES_MAX ? LAPSED : null;
  if (error) log.error({ job: _id, function: functionId, deaths, lapses }, `a job is given up: ${error.message}`);
  return error;
}

function goneError(functionId: string): JobError {
  return { name: "Error", message: `No server has the function ${functionId}.` };
}

/** Returns a new task with the default fields. */
export function newTask(given: Pick<TaskDoc, "_id" | "kind" | "functionId" | "at" | "createdAt">): TaskDoc {
  return {
    runId: "",
    stepId: "",
    attempt: 0,
    isRace: false,
    limits: [],
    blockedOn: null,
    state: "waiting",
    leaseBy: null,
    lapses: 0,
    ...given,
  };
}

/** Inserts a task, unless the function announced it before and it exists. */
async function insertTask(task: TaskDoc): Promise<void> {
  try {
    await collections.jobTasks().insertOne(task);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

function isLast(fn: JobFunction, attempt: number, { isFinal }: { isFinal: boolean }): boolean {
  return isFinal || attempt + 1 >= fn.attemptsMax;
}
