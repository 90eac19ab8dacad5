import "server-only";
import { availableParallelism } from "node:os";
import type { HashingRequest } from "@/lib/platform/embedded/hashing/messages";
import { serverMember } from "@/lib/platform/process/server-context";
import { ThreadPool } from "@/lib/platform/process/thread-pool";

/**
 * Number of concurrent hashes. Each takes 19 MiB and a core: one core is left to the server, and more than four gain
 * nothing.
 */
export const HASHES_AT_ONCE = Math.min(4, Math.max(1, availableParallelism() - 1));

const threads = serverMember("hashingThreads", () => new ThreadPool("hashing", HASHES_AT_ONCE));

/** Runs the work in a separate thread. @throws Error if the thread has ended; the next request starts another */
export async function inHashingThread<T extends string | boolean>(request: HashingRequest): Promise<T> {
  const { result } = await threads().run(request);
  return result as T;
}
