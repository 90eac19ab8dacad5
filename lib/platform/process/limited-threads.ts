import { Worker } from "node:worker_threads";
import { type ChildName, childEntry } from "./entries.ts";

export type ThreadLimits = {
  /** Threads at once. */
  count: number;
  /** For one request, from its own start: then its thread is ended. */
  timeoutMs: number;
  /** Requests that wait, of all tenants; one more is refused. */
  queueMax: number;
  /** Requests of one tenant that wait; one more is refused. A fraction of `queueMax`, so that others have room. */
  tenantQueueMax: number;
  heapMib: number;
  stackMib: number;
};

/** The thread ended before it answered: the request took too long, too much memory, or broke it. */
export class ThreadEnded extends Error {}
/** Too many requests wait. */
export class ThreadsBusy extends Error {}

type Waiting<Request, Answer> = {
  request: Request;
  tenant: string;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
};

/**
 * Threads for work on texts of any size that people wrote: each request has a limit of time and memory, and a thread that
 * exceeds it is ended and replaced. A thread takes one request at a time; tenants take turns, so that many requests of one
 * hold up another's first one by one request at most.
 */
export class LimitedThreads<Request, Answer> {
  readonly #entry: ChildName;
  readonly #limits: ThreadLimits;
  readonly #idle: Worker[] = [];
  /** By tenant, in the order of their turns. */
  readonly #queues = new Map<string, Waiting<Request, Answer>[]>();
  /** The tenant of the last turn: it waits while another one does. */
  #last: string | null = null;
  #waiting = 0;
  #running = 0;

  constructor(entry: ChildName, limits: ThreadLimits) {
    this.#entry = entry;
    this.#limits = limits;
  }

  /** @throws ThreadEnded, ThreadsBusy */
  run(request: Request, tenant: string): Promise<Answer> {
    const { queueMax, tenantQueueMax } = this.#limits;
    const isFull = this.#waiting >= queueMax || (this.#queues.get(tenant)?.length ?? 0) >= tenantQueueMax;
    if (isFull) return Promise.reject(new ThreadsBusy("Too many requests wait."));
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
    // Behind all others for its next turn.
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
    const timer = setTimeout(() => void worker.terminate(), this.#limits.timeoutMs);
    try {
      const answer = await ask<Answer>(worker, request);
      // An idle thread keeps no process alive.
      worker.unref();
      this.#idle.push(worker);
      resolve(answer);
    } catch (error) {
      reject(error instanceof Error ? error : new ThreadEnded(String(error)));
    } finally {
      clearTimeout(timer);
    }
  }

  #start(): Worker {
    const worker = new Worker(/* turbopackIgnore: true */ childEntry(this.#entry), {
      // No setting and no secret of the platform is in the thread's reach.
      env: {},
      resourceLimits: { stackSizeMb: this.#limits.stackMib, maxOldGenerationSizeMb: this.#limits.heapMib },
    });
    worker.once("exit", () => {
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    // The exit that follows does what has to be done.
    worker.on("error", () => {});
    return worker;
  }
}

function ask<Answer>(worker: Worker, request: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => {
      worker.off("message", onMessage);
      reject(new ThreadEnded("The thread has ended before its answer."));
    };
    const onMessage = (answer: Answer) => {
      worker.off("exit", onExit);
      resolve(answer);
    };
    worker.once("exit", onExit);
    worker.once("message", onMessage);
    worker.postMessage(request);
  });
}
