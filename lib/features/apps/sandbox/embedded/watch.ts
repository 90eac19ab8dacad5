import "server-only";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

/** Current resource usage of a process and its descendants. */
export type Usage = { processes: number; threads: number; bytes: number };

const PAGE_BYTES = 4096;
/** Path of the kernel's list of a thread's child processes; each thread has a separate list. */
const childrenFile = (pid: number | string, thread: number | string) => `/proc/${pid}/task/${thread}/children`;

/**
 * Returns whether this kernel lists child processes (CONFIG_PROC_CHILDREN), without which a sandbox cannot be watched.
 */
export function canWatch(): boolean {
  return existsSync(childrenFile(process.pid, process.pid));
}

/**
 * Returns the usage of a process and its descendants. Those that end during the read are not counted.
 *
 * Reads only these, and synchronously: the kernel answers from memory, in microseconds per file. Reading all processes
 * of a machine in the thread pool would take a good part of a CPU, several times a second per sandbox.
 * @param threadsMax number of threads at which counting stops: more are over the limit anyway
 */
export function usageOf(pid: number, threadsMax: number): Usage {
  const usage = { processes: 0, threads: 0, bytes: 0 };
  const open = [String(pid)];
  for (let next = open.pop(); next !== undefined && usage.threads <= threadsMax; next = open.pop()) {
    try {
      const text = readFileSync(`/proc/${next}/stat`, "utf8");
      // The second field is a name in parentheses, which may contain anything.
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

/** Error codes for a process or thread that has ended since it was listed. */
const GONE = new Set(["ENOENT", "ESRCH"]);

/** Returns the ids of processes with this word among their arguments. */
export async function findMarked(mark: string): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (const id of ids) {
    const text = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    if (text.split("\0").includes(mark)) found.push(Number(id));
  }
  return found;
}
