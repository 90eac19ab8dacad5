import { Worker } from "node:worker_threads";
import { type ChildName, childEntry } from "./entries.ts";
import { Semaphore } from "./semaphore.ts";

/** Thrown if the thread ended before it answered: the request took too long, too much memory, or broke it. */
export class ThreadEnded extends Error {}

/**
 * Threads for work that would block the event loop, started on first use. Each handles one request at a time, and
 * answers a message with a message. Callers limit how many requests may wait.
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
   * @param transfer buffers that move to the thread instead of being copied
   * @throws ThreadEnded; the next request starts another thread
   */
  run(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    return this.#places.run(async () => {
      const worker = this.#idle.pop() ?? this.#start();
      worker.ref();
      const answer = await ask<Answer>(worker, request, transfer);
      // An idle thread does not keep the process alive.
      worker.unref();
      this.#idle.push(worker);
      return answer;
    });
  }

  #start(): Worker {
    // The thread has no access to settings and secrets of the platform.
    const worker = new Worker(/* turbopackIgnore: true */ childEntry(this.#entry), { env: {} });
    worker.once("exit", () => {
      this.#idle = this.#idle.filter((other) => other !== worker);
    });
    // The exit event that follows handles it.
    worker.on("error", () => {});
    return worker;
  }
}

/** @throws ThreadEnded */
export function ask<Answer>(worker: Worker, request: unknown, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => {
      worker.off("message", onMessage);
      reject(new ThreadEnded("The thread exited before its response."));
    };
    const onMessage = (answer: Answer) => {
      worker.off("exit", onExit);
      resolve(answer);
    };
    worker.once("exit", onExit);
    worker.once("message", onMessage);
    worker.postMessage(request, transfer);
  });
}
