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
