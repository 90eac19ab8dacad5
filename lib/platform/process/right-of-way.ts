import { setPriority } from "node:os";

/** Enough that the web's thread comes first wherever the two meet, and little enough that work goes on under load. */
const NICENESS = 10;

/**
 * Lets the server's own thread go first where there are fewer cores than work. Call it at the beginning: threads that
 * are started later have it, too. In a worker it means that thread alone, which only Linux can do; elsewhere it would
 * slow down the whole process, so a worker is left as it is.
 */
export function giveRightOfWay({ isWorker }: { isWorker: boolean }): void {
  if (isWorker && process.platform !== "linux") return;
  try {
    // Of 0 Linux makes the calling thread.
    setPriority(0, NICENESS);
  } catch {
    // A platform that forbids it keeps its own order.
  }
}
