/**
 * Returns the processor time that this process spends on the work, all of its threads included, in ms. Unlike elapsed time,
 * it does not grow with what else the machine does. Child processes are not counted.
 */
export async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
