import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type ChildName, childEntry } from "./entries.ts";
import { ask, ThreadEnded } from "./thread-pool";

export type ThreadLimits = {
  /** Number of threads. */
  count: number;
  /** Limit of a request's processor time, in ms: then its thread is ended. */
  timeoutMs: number;
  /**
   * Limit by the clock, in ms, after which a thread ends that got too little processor time. Default: 8 times
   * `timeoutMs`.
   */
  clockMs?: number;
  /** Maximum number of waiting requests, of all tenants; one more is rejected. */
  queueMax: number;
  /**
   * Maximum number of one tenant's waiting requests; one more is rejected. A fraction of `queueMax`, so that others
   * have room.
   */
  tenantQueueMax: number;
  heapMib: number;
  stackMib: number;
};

/** Thrown if too many requests wait, or the machine is too busy to serve one. */
export class ThreadsBusy extends Error {}

/**
 * Factor between a request's limit of processor time and its limit by the clock: on a busy machine a thread waits for a
 * processor.
 */
const CLOCK_FACTOR = 8;
/** Time after which a thread that does not report its processor time is inside one native call, in ms. */
const CPU_USAGE_TIMEOUT_MS = 500;
/** Shortest pause between two checks of a thread's processor time, in ms. */
const LOOK_MIN_MS = 20;

type Waiting<Request, Answer> = {
  request: Request;
  tenant: string;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
};

/**
 * Threads for work on user texts of any size: each request has a limit of time and memory, and a thread that exceeds it
 * is ended and replaced. A thread handles one request at a time. Tenants alternate, so that many requests of one delay
 * another's first one by at most one request.
 */
export class LimitedThreads<Request, Answer> {
  readonly #entry: ChildName;
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  /** Queues by tenant, in round-robin order. */
  readonly #queues = new Map<string, Waiting<Request, Answer>[]>();
  /** The tenant that was served last: it waits if another one does. */
  #last: string | null = null;
  #waiting = 0;
  #running = 0;

  readonly #open: typeof openWorker;

  /** @param open starts a thread; tests pass a replacement */
  constructor(entry: ChildName, limits: ThreadLimits, open = openWorker) {
    this.#entry = entry;
    this.#limits = limits;
    this.#open = open;
  }

  /** @throws ThreadEnded, ThreadsBusy */
  run(request: Request, tenant: string): Promise<Answer> {
    const { queueMax, tenantQueueMax } = this.#limits;
    const isFull = this.#waiting >= queueMax || (this.#queues.get(tenant)?.length ?? 0) >= tenantQueueMax;
    if (isFull) return Promise.reject(new ThreadsBusy("Too many requests are waiting."));
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(tenant) ?? [];
      queue.push({ request, tenant, resolve, reject });
      this.#queues.set(tenant, queue);
      this.#waiting += 1;
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#running >= this.#limits.count) return;
    const tenant = [...this.#queues.keys()].find((each) => each !== this.#last) ?? this.#last;
    const queue = tenant === null ? undefined : this.#queues.get(tenant);
    if (tenant === null || queue === undefined) return;
    this.#last = tenant;
    const next = queue.shift();
    // Moves to the end of the queue.
    this.#queues.delete(tenant);
    if (queue.length > 0) this.#queues.set(tenant, queue);
    if (!next) return;
    this.#waiting -= 1;
    this.#running += 1;
    this.#serve(next).finally(() => {
      this.#running -= 1;
      this.#startNext();
    });
  }

  async #serve({ request, resolve, reject }: Waiting<Request, Answer>): Promise<void> {
    const worker = this.#idle.pop() ?? this.#start();
    worker.ref();
    const watch = watchTime(worker, this.#limits);
    try {
      const answer = await ask<Answer>(worker, request);
      // An idle thread does not keep the process alive.
      worker.unref();
      this.#idle.push(worker);
      resolve(answer);
    } catch (error) {
      const isStarved = error instanceof ThreadEnded && watch.isStarved();
      reject(isStarved ? new ThreadsBusy("The machine is too busy.") : (error as Error));
    } finally {
      watch.stop();
    }
  }

  #start(): Worker {
    const worker = this.#open(this.#entry, this.#limits);
    worker.once("exit", () => {
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    // The exit event that follows handles it.
    worker.on("error", () => {});
    return worker;
  }
}

function openWorker(entry: ChildName, { stackMib, heapMib }: ThreadLimits): Worker {
  return new Worker(/* turbopackIgnore: true */ childEntry(entry), {
    // The thread has no access to settings and secrets of the platform.
    env: {},
    resourceLimits: { stackSizeMb: stackMib, maxOldGenerationSizeMb: heapMib },
  });
}

type Watch = { isStarved: () => boolean; stop: () => void };

/**
 * Ends a thread once its request has used up its processor time. A limit by the clock alone would blame a request for
 * other programs of a busy machine. After `clockMs` the thread ends all the same, as starved.
 */
function watchTime(worker: Worker, { timeoutMs, clockMs = timeoutMs * CLOCK_FACTOR }: ThreadLimits): Watch {
  const endsAt = performance.now() + clockMs;
  const before = processorMs(worker);
  let isStarved = false;
  let timer: NodeJS.Timeout | null = setTimeout(look, timeoutMs);
  async function look(): Promise<void> {
    const [start, now] = await Promise.all([before, processorMs(worker)]);
    if (timer === null) return;
    // A thread that could not report at the start was still starting.
    const leftMs = now === null ? timeoutMs : timeoutMs - (now - (start ?? 0));
    const leftByClockMs = endsAt - performance.now();
    isStarved = leftMs > 0 && leftByClockMs <= 0;
    if (leftMs <= 0 || leftByClockMs <= 0) void worker.terminate();
    else timer = setTimeout(look, Math.max(LOOK_MIN_MS, Math.min(leftMs, leftByClockMs)));
  }
  return {
    isStarved: () => isStarved,
    stop: () => {
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}

/** Returns the processor time of a thread in ms; null if the thread does not report it. */
async function processorMs(worker: Worker): Promise<number | null> {
  const told = worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1000,
    () => null,
  );
  return Promise.race([told, sleep(CPU_USAGE_TIMEOUT_MS, null, { ref: false })]);
}
