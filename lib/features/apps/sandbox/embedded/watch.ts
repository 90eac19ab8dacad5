import "server-only";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** What a process and all that it has started use now. */
export type Usage = { processes: number; threads: number; bytes: number };

const PAGE_BYTES = 4096;
/** Where the kernel lists the children of a thread; each thread has its own. */
const childrenFile = (pid: number | string, thread: number | string) => `/proc/${pid}/task/${thread}/children`;

/** Whether this kernel tells of children (CONFIG_PROC_CHILDREN), without which a sandbox could not be watched. */
export function canWatch(): boolean {
  return existsSync(childrenFile(process.pid, process.pid));
}

/**
 * Of the process with this id and those below it. Those that end meanwhile are not counted.
 *
 * It reads of these alone, and at once: the kernel answers from memory, a file in microseconds, where a read of all of a
 * machine's processes by the pool of threads would take a good part of a processor, several times a second a sandbox.
 * @param threadsMax where it stops counting: what has more is over its limit
 */
export function usageOf(pid: number, threadsMax: number): Usage {
  const usage = { processes: 0, threads: 0, bytes: 0 };
  const open = [String(pid)];
  for (let next = open.pop(); next !== undefined && usage.threads <= threadsMax; next = open.pop()) {
    try {
      const text = readFileSync(`/proc/${next}/stat`, "utf8");
      // The second field is a name in brackets, which may hold anything.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      usage.processes += 1;
      usage.threads += Number(fields[17]);
      usage.bytes += Number(fields[21]) * PAGE_BYTES;
      if (usage.threads > threadsMax) return usage;
      for (const thread of readdirSync(`/proc/${next}/task`)) {
        open.push(...readFileSync(childrenFile(next, thread), "utf8").split(" ").filter(Boolean));
      }
    } catch (error) {
      if (!GONE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return usage;
}

/** What the kernel says of a process or thread that has ended since it was listed. */
const GONE = new Set(["ENOENT", "ESRCH"]);

/** Processes with this word among their arguments. */
export async function findMarked(mark: string): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (const id of ids) {
    const text = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    if (text.split("\0").includes(mark)) found.push(Number(id));
  }
  return found;
}
