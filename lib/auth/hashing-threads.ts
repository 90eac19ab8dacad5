import "server-only";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { HashingAnswer, HashingRequest } from "@/lib/embedded/hashing/messages";
import { childEntry } from "@/lib/process/entries";
import { Semaphore } from "@/lib/process/semaphore";
import { sharedState } from "@/lib/process/shared-state";

/** Each hash takes 19 MiB and a core: one core is left to the server itself, and more than four gain nobody anything. */
export const HASHES_AT_ONCE = Math.min(4, Math.max(1, availableParallelism() - 1));

type Threads = { places: Semaphore; idle: Worker[] };

/**
 * Does the work in one of the threads, started when first needed. Whoever calls bounds how many may wait.
 * @throws Error when the thread has ended; the next request starts another
 */
export async function inHashingThread<T extends string | boolean>(request: HashingRequest): Promise<T> {
  const threads = sharedState("hashing-threads", (): Threads => {
    return { places: new Semaphore(HASHES_AT_ONCE, Number.POSITIVE_INFINITY), idle: [] };
  });
  const leave = await threads.places.acquire();
  try {
    const worker = threads.idle.pop() ?? startThread(threads);
    worker.ref();
    const { result } = await ask(worker, request);
    worker.unref();
    threads.idle.push(worker);
    return result as T;
  } finally {
    leave();
  }
}

function startThread(threads: Threads): Worker {
  // No setting and no secret of the platform is in the thread's reach.
  const worker = new Worker(/* turbopackIgnore: true */ childEntry("hashing"), { env: {} });
  worker.once("exit", () => {
    threads.idle = threads.idle.filter((other) => other !== worker);
  });
  // The exit that follows does what has to be done.
  worker.on("error", () => {});
  return worker;
}

function ask(worker: Worker, request: HashingRequest): Promise<HashingAnswer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("The thread that hashes passwords has ended."));
    worker.once("exit", onExit);
    worker.once("message", (answer: HashingAnswer) => {
      worker.off("exit", onExit);
      resolve(answer);
    });
    worker.postMessage(request);
  });
}
