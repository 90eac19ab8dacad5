/**
 * Returns the processor time of this thread between each two calls of `rest`, in ms, the longest first. Garbage
 * collection may fall into a few of them.
 */
export async function turnsOf(work: (rest: () => Promise<void>) => Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let before = process.threadCpuUsage();
  const rest = async () => {
    const { user, system } = process.threadCpuUsage(before);
    turns.push((user + system) / 1000);
    before = process.threadCpuUsage();
  };
  await work(rest);
  await rest();
  return turns.sort((left, right) => right - left);
}

/**
 * Returns the processor time that this process spends on the work, including all of its threads, in ms. Unlike elapsed
 * time, it does not grow with other work of the machine. Child processes are not counted.
 */
export async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Garbage collection may fall into one attempt; slow work is slow in each. */
const TRIES = 5;

/**
 * Returns the least processor time of this thread that some attempts at the work take, in ms. An error is a result,
 * too. Attempts end at the first one within the limit.
 */
export function fastestMs(limitMs: number, work: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && fastest > limitMs; attempt += 1) {
    const before = process.threadCpuUsage();
    try {
      work();
    } catch {
      // Rejecting an input takes time as well.
    }
    const { user, system } = process.threadCpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}
