import { Worker } from "node:worker_threads";
import { type ChildName, childEntry } from "./entries.ts";
import { Semaphore } from "./semaphore.ts";

/**
 * Threads for work that would hold up the event loop, started when first needed. Each gets one request at a time as a
 * message and answers it with one. Whoever calls bounds how many may wait.
 */
export class ThreadPool<Request, Answer> {
  readonly #entry: ChildName;
  readonly #places: Semaphore;
  #idle: Worker[] = [];

  constructor(entry: ChildName, size: number) {
    this.#entry = entry;
    this.#places = new Semaphore(size, Number.POSITIVE_INFINITY);
  }

  /**
   * @param transfer what the thread takes over instead of a copy
   * @throws Error when the thread ends before it answers; the next request starts another
   */
  async run(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    const leave = await this.#places.acquire();
    try {
      const worker = this.#idle.pop() ?? this.#start();
      worker.ref();
      const answer = await ask<Answer>(worker, request, transfer);
      // An idle thread keeps no process alive.
      worker.unref();
      this.#idle.push(worker);
      return answer;
    } finally {
      leave();
    }
  }

  #start(): Worker {
    // No setting and no secret of the platform is in the thread's reach.
    const worker = new Worker(/* turbopackIgnore: true */ childEntry(this.#entry), { env: {} });
    worker.once("exit", () => {
      this.#idle = this.#idle.filter((other) => other !== worker);
    });
    // The exit that follows does what has to be done.
    worker.on("error", () => {});
    return worker;
  }
}

function ask<Answer>(worker: Worker, request: unknown, transfer: readonly ArrayBuffer[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("The thread has ended before its answer."));
    worker.once("exit", onExit);
    worker.once("message", (answer: Answer) => {
      worker.off("exit", onExit);
      resolve(answer);
    });
    worker.postMessage(request, transfer);
  });
}
