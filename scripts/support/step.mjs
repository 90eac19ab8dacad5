/** Interval of progress lines without a terminal, in seconds, so that the log of a set-up is not silent. */
const LINE_EVERY_S = 15;

/**
 * Runs one step of the set-up and reports it: its title, the elapsed time, and the total time at the end.
 * @template T
 * @param {string} title such as "Installing packages"
 * @param {() => Promise<T>} work
 * @param {{ write(text: string): unknown, isTTY?: boolean }} [out]
 * @returns {Promise<T>}
 */
export async function step(title, work, out = process.stdout) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  out.write(out.isTTY ? `${title} ...` : `${title} ...\n`);
  let told = 0;
  const clock = setInterval(() => {
    if (out.isTTY) out.write(`\r${title} ... ${seconds()} s`);
    else if (seconds() >= told + LINE_EVERY_S) {
      told = seconds();
      out.write(`${title} ... ${told} s\n`);
    }
  }, 1000);
  try {
    const result = await work();
    out.write(`${out.isTTY ? "\r" : ""}${title} ... done in ${seconds()} s\n`);
    return result;
  } catch (error) {
    if (out.isTTY) out.write("\n");
    throw error;
  } finally {
    clearInterval(clock);
  }
}
