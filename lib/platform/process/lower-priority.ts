import { getPriority, setPriority } from "node:os";

/** Niceness that puts the web's thread first in every conflict, and still lets work progress under load. */
export const NICENESS = 10;

/**
 * Lowers the priority of work, so that the server's main thread goes first if cores are scarce. Call it at the start:
 * threads that are started later inherit it. In a worker it applies to that thread alone, which only Linux supports.
 * Elsewhere it would slow down the whole process, so a worker is left unchanged.
 */
export function lowerPriority({ isWorker }: { isWorker: boolean }): void {
  if (isWorker && process.platform !== "linux") return;
  try {
    // On Linux, pid 0 is the calling thread. A server that was started with a lower priority keeps it.
    setPriority(0, Math.max(NICENESS, getPriority(0)));
  } catch {
    // A platform that forbids it keeps the default priority.
  }
}
