import "server-only";
import { availableParallelism } from "node:os";
import type { HashingAnswer, HashingRequest } from "@/lib/platform/embedded/hashing/messages";
import { processSingleton } from "@/lib/platform/process/process-singleton";
import { ThreadPool } from "@/lib/platform/process/thread-pool";

/**
 * Number of concurrent hashes. Each takes 19 MiB and a core: one core is left to the server, and more than four gain
 * nothing.
 */
export const HASHES_AT_ONCE = Math.min(4, Math.max(1, availableParallelism() - 1));

/** Runs the work in a separate thread. @throws Error if the thread has ended; the next request starts another */
export async function inHashingThread<T extends string | boolean>(request: HashingRequest): Promise<T> {
  const threads = processSingleton("hashing-threads", () => {
    return new ThreadPool<HashingRequest, HashingAnswer>("hashing", HASHES_AT_ONCE);
  });
  const { result } = await threads.run(request);
  return result as T;
}
