/**
 * Returns the processor time of this thread between each two calls of `rest`, the longest first, in ms of the machine
 * for which limits are written. Garbage collection may fall into a few of them.
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
  const factor = slowness();
  return turns.map((ms) => ms / factor).sort((left, right) => right - left);
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

/** Parsing and rewriting 320 kB, often enough to be measured where the system counts in steps of 4 ms. */
const REFERENCE_RUNS = 20;
const REFERENCE_TEXT = JSON.stringify(
  Array.from({ length: 5000 }, (_, id) => ({ id, name: `row ${id}`, values: [id / 3, true, null] })),
);
/** Processor time of one run on the machine for which the limits are written, in ms. */
const REFERENCE_MS = 2.2;

/**
 * Returns by what factor this machine is now slower than the one for which limits are written; 1 if it is not. A
 * virtual machine's processor time grows with the load of its host.
 */
function slowness(): number {
  const before = process.threadCpuUsage();
  for (let run = 0; run < REFERENCE_RUNS; run += 1) {
    const rows: { name: string }[] = JSON.parse(REFERENCE_TEXT);
    rows.map(({ name }) => name.replace(/\d+/, (digits) => `${digits.length}`));
  }
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, (user + system) / 1000 / REFERENCE_RUNS / REFERENCE_MS);
}

/**
 * Returns the least processor time of this thread that some attempts at the work take, in ms of the machine for which
 * limits are written. An error is a result, too. Attempts end at the first one within the limit.
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
    const ms = (user + system) / 1000;
    fastest = Math.min(fastest, ms > limitMs ? ms / slowness() : ms);
  }
  return fastest;
}
