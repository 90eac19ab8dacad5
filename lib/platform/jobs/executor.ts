import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { databaseReady } from "@/lib/platform/db/ready";
import { log } from "@/lib/platform/log";
import { WORKER_BEATS, WORKER_LEASE_MS } from "@/lib/platform/work/limits";
import type { Backoff } from "./backoff";
import type { Application } from "./call";
import { StoreClock } from "./clock";
import { collections } from "./collections";
import { nextCronTime } from "./cron";
import { FAILED_EVENT, type JobFunction, readFunction } from "./functions";
import { GONE_AFTER_MS } from "./limits";
import type { EventDoc, EventPayload, QueueFields, RunDoc, TaskDoc } from "./model";
import { LAPSES_MAX, newTask, Progress } from "./progress";
import { Queue } from "./queue";
import { insertNew, Runs } from "./runs";
import { sweepSlots } from "./slots";
import { ulid } from "./ulid";
import { Workers } from "./workers";

/** Poll interval for jobs that other processes added, in ms. This process's own jobs start at once. */
const POLL_MS = 1000;
/**
 * Maximum concurrent calls of one process. Most of the time they wait for the functions' own work, which has separate
 * limits. A function that must not run as often sets `concurrency`.
 */
export const CALLS_MAX = 200;
/** Maximum events routed concurrently; each takes a few writes. */
const EVENTS_AT_ONCE = 8;
/** Interval for checking for jobs of functions that no server has any more, in ms. */
const GONE_EVERY_MS = 60_000;
/** Matches jobs that no worker has died with, including those of earlier versions. */
const NO_DEATHS = { $in: [null, 0] };
/** Pause after a failure of the store, or while the server's port is not open yet, in ms. */
const RETRY_AFTER_MS = 250;

export type ExecutorOptions = {
  application: Application;
  backoff: Backoff;
  leaseMs?: number;
  pollMs?: number;
  clock?: StoreClock;
};

/**
 * Runs functions with Inngest's protocol. All state is in the document store, which any number of executors share.
 * Every operation can be repeated: the jobs of a dead process go to the others, which repeat at most the operation in
 * progress.
 */
export class Executor {
  readonly id = ulid(new Date());
  readonly clock: StoreClock;
  readonly #application: Application;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #events = new Queue<EventDoc>(collections.jobEvents);
  readonly #runs = new Queue<RunDoc>(collections.jobRuns);
  readonly #tasks = new Queue<TaskDoc>(collections.jobTasks);
  readonly #workers: Workers;
  readonly #started: Runs;
  readonly #progress: Progress;
  /** Jobs that this process is running, by id. */
  readonly #held = new Map<string, Promise<void>>();
  /** Events that this process received and has already stored. */
  readonly #accepted = new Map<string, EventDoc>();
  readonly #ending = new AbortController();
  #functions = new Map<string, JobFunction>();
  #isStopping = false;
  #isSynced = false;
  #isInTrouble = false;
  #beatAt = Number.NEGATIVE_INFINITY;
  /** Time by this process's monotonic clock. */
  #lookAt = Number.NEGATIVE_INFINITY;
  #goneAt = Number.NEGATIVE_INFINITY;
  #strays = new Set<string>();
  #slotSuspects = new Set<string>();
  #hasSuspect = false;
  #signal = Promise.withResolvers<void>();
  #loops: Promise<unknown> = Promise.resolve();

  constructor({
    application,
    backoff,
    leaseMs = WORKER_LEASE_MS,
    pollMs = POLL_MS,
    clock = new StoreClock(),
  }: ExecutorOptions) {
    this.#application = application;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
    this.clock = clock;
    this.#workers = new Workers(this.id, leaseMs);
    const functions = () => this.#functions;
    const wake = () => this.wake();
    this.#started = new Runs(clock, functions, wake);
    this.#progress = new Progress({
      worker: this.id,
      application,
      backoff,
      clock,
      runs: this.#started,
      functions,
      wake,
      wakeAt: (at) => this.#wakeAt(at),
      signal: this.#ending.signal,
      isStopping: () => this.#isStopping,
    });
  }

  /** Starts work as soon as the application responds. */
  start(): void {
    this.#loops = Promise.all([this.#keepAlive(), this.#work()]);
  }

  /** Wakes the loop, because there may be work. */
  wake(): void {
    this.#signal.resolve();
  }

  /** Makes the loop check for due jobs and for jobs of other processes. */
  look(): void {
    this.#lookAt = Number.NEGATIVE_INFINITY;
    this.wake();
  }

  /** @throws Error when this process does no work: it has not started yet, or has not reached the store for a while */
  check(): void {
    if (!this.#isSynced) throw new Error("The functions have not been loaded yet.");
    if (!this.#isAlive()) throw new Error("The store is unreachable.");
  }

  /** Accepts events. They are stored when this returns; their runs start later. */
  async accept(docs: EventDoc[]): Promise<void> {
    const { inserted } = await insertNew(docs);
    for (const doc of inserted) this.#accepted.set(doc._id, doc);
    this.wake();
  }

  /** Stops claiming new work. */
  stopClaiming(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** Waits for running jobs, up to the timeout, and returns the rest to the queue. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopClaiming();
    const waiting = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#held.values()), timeout]);
    waiting.abort();
    this.#ending.abort(new Error("The server is stopping."));
    await Promise.allSettled(this.#held.values());
    await this.#loops;
    for (const queue of this.#queues()) await queue.giveBack(this.id, "stop");
    await this.#workers.leave();
    this.#application.close();
  }

  #queues(): [Queue<EventDoc>, Queue<RunDoc>, Queue<TaskDoc>] {
    return [this.#events, this.#runs, this.#tasks];
  }

  #isAlive(): boolean {
    return performance.now() - this.#beatAt < this.#leaseMs;
  }

  /** Sends heartbeats until the process ends: a server that is stopping keeps its leases to the last. */
  async #keepAlive(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const isWell = await this.#beat();
      await sleep(isWell ? this.#leaseMs / WORKER_BEATS : RETRY_AFTER_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #beat(): Promise<boolean> {
    try {
      await databaseReady();
      await this.clock.sync();
      await this.#workers.beat();
      this.#beatAt = performance.now();
      await this.#sweep();
      if (!this.#isSynced && !this.#isStopping && !(await this.#sync())) return false;
      await this.#giveUpGone();
      this.#isInTrouble = false;
      return true;
    } catch (error) {
      // While the store is unreachable, no process can send heartbeats, so the heartbeats seen earlier do not tell who
      // is alive.
      this.#workers.forget();
      this.#strays.clear();
      this.#reportTrouble(error);
      return false;
    }
  }

  /** Logs a failure once, however long it lasts. */
  #reportTrouble(error: unknown): void {
    if (!this.#isInTrouble && !this.#isStopping) log.warn({ err: error }, "the job runner failed and will retry");
    this.#isInTrouble = true;
  }

  /** Returns jobs of dead workers to the queue. */
  async #sweep(): Promise<void> {
    const holders = async () => (await Promise.all(this.#queues().map((queue) => queue.holders()))).flat();
    for (const worker of await this.#workers.lapsed(holders)) {
      const counts = await Promise.all(this.#queues().map((queue) => queue.giveBack(worker, "death")));
      const jobs = counts.reduce((sum, count) => sum + count, 0);
      if (jobs > 0) log.warn({ worker, jobs }, "a server died; other servers take over its jobs");
    }
    await this.#giveBackStrays();
    this.#slotSuspects = await sweepSlots(this.#slotSuspects);
    this.wake();
  }

  /**
   * Returns jobs that the store has leased to this process without its knowledge, because the connection was lost in
   * between.
   */
  async #giveBackStrays(): Promise<void> {
    const strays = new Set<string>();
    for (const queue of this.#queues()) {
      const found = (await queue.leasesOf(this.id)).filter((id) => !this.#held.has(id) && !this.#accepted.has(id));
      const again = found.filter((id) => this.#strays.has(id));
      if (again.length > 0) await queue.giveBack(this.id, "stop", again);
      for (const id of found) strays.add(id);
    }
    this.#strays = strays;
  }

  /** Reads the functions. @returns false while the application does not respond, such as before its port is open */
  async #sync(): Promise<boolean> {
    const configs = await this.#application.listFunctions().catch((error: unknown) => {
      if (!isRefused(error)) this.#reportTrouble(error);
      return null;
    });
    if (configs === null) return false;
    for (const config of configs) {
      try {
        const fn = readFunction(config);
        this.#functions.set(fn.id, fn);
      } catch (error) {
        log.error({ err: error }, "a job function was not registered");
      }
    }
    await this.#syncCrons();
    this.#isSynced = true;
    this.wake();
    return true;
  }

  /** Stores each cron expression as a task that is due at its next tick, on any server. */
  async #syncCrons(): Promise<void> {
    const wanted: string[] = [];
    const createdAt = this.clock.now();
    for (const { id: functionId, crons } of this.#functions.values()) {
      for (const { text, expression, zone } of crons) {
        const at = nextCronTime(expression, zone, createdAt);
        if (at === null) continue;
        const { _id, ...task } = newTask({
          _id: `cron:${functionId}:${text}`,
          kind: "cron",
          functionId,
          at,
          createdAt,
        });
        wanted.push(_id);
        await collections.jobTasks().updateOne({ _id }, { $setOnInsert: { ...task, cron: text } }, { upsert: true });
      }
    }
    await collections.jobTasks().deleteMany({ kind: "cron", functionId: this.#known(), _id: { $nin: wanted } });
  }

  /** Matches functions of this version of the application. Jobs of other versions are left to their servers. */
  #known(): { $in: string[] } {
    return { $in: [...this.#functions.keys()] };
  }

  /**
   * Fails jobs that have waited a day for a function that this version does not have. While servers of two versions
   * run, the server with the function claims its jobs at once. After a day, no server has the function.
   */
  async #giveUpGone(): Promise<void> {
    if (this.#isStopping || performance.now() < this.#goneAt) return;
    this.#goneAt = performance.now() + GONE_EVERY_MS;
    const ofGone = { functionId: { $nin: this.#known().$in } };
    const isOld = { at: { $lt: new Date(this.clock.ms() - GONE_AFTER_MS) } };
    await this.#take(this.#tasks, (task) => this.#progress.giveUpTask(task), { ...ofGone, ...isOld });
    const isOver = { status: { $ne: "active" } };
    await this.#take(this.#runs, (run) => this.#progress.giveUpRun(run), { ...ofGone, $or: [isOld, isOver] });
  }

  async #work(): Promise<void> {
    while (!this.#isStopping) {
      this.#signal = Promise.withResolvers<void>();
      try {
        if (this.#isSynced && this.#isAlive()) await this.#takeAll();
        await this.#pause(Math.max(0, this.#lookAt - performance.now()));
      } catch (error) {
        this.#reportTrouble(error);
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  /** Waits until the time has passed or there is work. */
  async #pause(ms: number): Promise<void> {
    const time = Promise.withResolvers<void>();
    const timer = setTimeout(time.resolve, Math.min(ms, this.#pollMs));
    await Promise.race([time.promise, this.#signal.promise]);
    clearTimeout(timer);
  }

  async #takeAll(): Promise<void> {
    if (performance.now() >= this.#lookAt) await this.#look();
    const known = { functionId: this.#known() };
    await Promise.all([
      this.#takeEvents(),
      this.#take(this.#runs, (run) => this.#progress.handleRun(run), { ...known, deaths: NO_DEATHS }),
      this.#take(this.#tasks, (task) => this.#progress.handleTask(task), { ...known, deaths: NO_DEATHS }),
      this.#takeSuspect(known),
    ]);
  }

  /**
   * Takes one job that a worker has died with. One of up to 200 jobs that a dead worker held is the cause. Each runs
   * separately, so that only the cause is counted when the next worker dies.
   */
  async #takeSuspect(known: object): Promise<void> {
    if (this.#hasSuspect || this.#isStopping) return;
    this.#hasSuspect = true;
    try {
      const which = { ...known, deaths: { $gte: 1 } };
      const run = await this.#runs.claim(this.id, which);
      const task = run ? null : await this.#tasks.claim(this.id, which);
      if (run) await this.#holdApart(run, () => this.#progress.handleRun(run));
      else if (task) await this.#holdApart(task, () => this.#progress.handleTask(task));
      else this.#hasSuspect = false;
    } catch (error) {
      this.#hasSuspect = false;
      throw error;
    }
  }

  /** Blocks other suspects until this one has ended, or has run for the length of a lease without harm. */
  async #holdApart(job: QueueFields, work: () => Promise<void>): Promise<void> {
    const done = this.#hold(job, work);
    const waiting = new AbortController();
    const harmless = sleep(this.#leaseMs, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
    void Promise.race([done, harmless]).finally(() => {
      waiting.abort();
      this.#hasSuspect = false;
      this.wake();
    });
  }

  /** Promotes jobs that are due now, and finds out when the next ones are. */
  async #look(): Promise<void> {
    this.#lookAt = performance.now() + this.#pollMs;
    const now = this.clock.now();
    await Promise.all([this.#runs.promote(now), this.#tasks.promote(now)]);
    for (const at of await Promise.all([this.#runs.nextDue(), this.#tasks.nextDue()])) if (at) this.#wakeAt(at);
  }

  #wakeAt(at: Date): void {
    const inMs = Math.max(0, at.getTime() - this.clock.ms());
    if (performance.now() + inMs >= this.#lookAt) return;
    this.#lookAt = performance.now() + inMs;
    this.wake();
  }

  /**
   * Claims one event after another and routes several concurrently. When there is none, this takes one query instead of
   * one per slot.
   */
  async #takeEvents(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    while (!this.#isStopping) {
      if (underWay.size >= EVENTS_AT_ONCE) await Promise.race(underWay);
      const [accepted] = this.#accepted.values();
      if (accepted) this.#accepted.delete(accepted._id);
      const event = accepted ?? (await this.#events.claim(this.id, {}));
      if (!event) break;
      const done: Promise<void> = this.#hold(event, () => this.#handleEvent(event)).finally(() =>
        underWay.delete(done),
      );
      underWay.add(done);
    }
    await Promise.all(underWay);
  }

  async #take<T extends RunDoc | TaskDoc>(
    queue: Queue<T>,
    handle: (job: T) => Promise<void>,
    which: object,
  ): Promise<void> {
    while (!this.#isStopping && this.#held.size < CALLS_MAX) {
      const job = await queue.claim(this.id, which as never);
      if (!job) return;
      void this.#hold(job, () => handle(job));
    }
  }

  /** Runs a leased job. In every case, the job is finished or returned to the queue. */
  #hold({ _id }: QueueFields, work: () => Promise<void>): Promise<void> {
    const done: Promise<void> = work()
      .catch((error: unknown) => this.#giveBack(_id, error))
      .finally(() => {
        const wasFull = this.#held.size >= CALLS_MAX;
        // The same job may be leased again already: a blocked job can become ready before this call ends.
        if (this.#held.get(_id) === done) this.#held.delete(_id);
        if (wasFull) this.wake();
      });
    this.#held.set(_id, done);
    return done;
  }

  async #giveBack(id: string, error: unknown): Promise<void> {
    const reason = this.#isStopping ? "stop" : "failure";
    if (reason === "failure") {
      log.error({ err: error, job: id }, "failed to advance a job; it will be retried");
    }
    await sleep(RETRY_AFTER_MS);
    // If the store cannot take it back now, it is returned later as a stray.
    for (const queue of this.#queues()) await queue.giveBack(this.id, reason, [id]).catch(() => {});
    this.wake();
  }

  async #handleEvent(event: EventDoc): Promise<void> {
    if (event.lapses < LAPSES_MAX) await this.#startRuns(event);
    else log.error({ event: event._id, name: event.name }, "dropped an event: failed to start its functions");
    await collections
      .jobEvents()
      .updateOne({ _id: event._id, leaseBy: this.id }, { $set: { state: "done", leaseBy: null } });
  }

  /** Starts the runs of an event. A repeated call has no further effect. */
  async #startRuns({ _id: eventId, payload }: EventDoc): Promise<void> {
    const event: EventPayload = JSON.parse(payload);
    const failed = event.name === FAILED_EVENT ? String(event.data.function_id) : "";
    for (const fn of this.#functions.values()) {
      if (!fn.events.includes(event.name) && !fn.failuresOf.includes(failed)) continue;
      await this.#started.start(fn, { event, eventId, keyText: `event ${event.id}` });
    }
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}
