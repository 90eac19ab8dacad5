import { readFileSync } from "node:fs";
import { pidsOfTree } from "./product";

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Wall time and processor time of some work, in seconds. */
export type Spent = { wallS: number; cpuS: number };

/** @param trees processes whose time counts, with their descendants */
export async function spent(trees: number[], work: () => Promise<void>): Promise<Spent> {
  const used = () => trees.reduce((sum, pid) => sum + secondsOfTree(pid), 0);
  const [before, startedAt] = [used(), performance.now()];
  await work();
  const wallS = (performance.now() - startedAt) / 1000;
  return { wallS, cpuS: used() - before };
}

export function medianOf(all: readonly Spent[]): Spent {
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return { wallS: middle(all.map(({ wallS }) => wallS)), cpuS: middle(all.map(({ cpuS }) => cpuS)) };
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Returns the fields of /proc/<pid>/stat after the program's name. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended.
    return [];
  }
}

/** Returns the processor time of a process and its descendants, including those that have ended. */
function secondsOfTree(pid: number): number {
  // utime, stime, cutime, cstime (proc_pid_stat(5))
  const ticks = pidsOfTree(pid).flatMap((each) => statOf(each).slice(11, 15).map(Number));
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}
