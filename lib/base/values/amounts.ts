/** Formats counts and times for pages, mails and chat messages (docs/develop/design.md, Words). */

const COUNT = new Intl.NumberFormat("en-US");

/** Formats 1284 as "1,284". */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** Formats a count and its noun: "1 row", "1,284 rows". */
export function formatCountOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Returns a number and its unit: milliseconds below a second, then "1.2 s", "2 min 5 s". */
export function toDuration(ms: number): { value: string; unit: string } {
  if (ms < 1000) return { value: formatMs(ms), unit: "ms" };
  if (ms < 60_000) return { value: (ms / 1000).toFixed(1), unit: "s" };
  const seconds = Math.round(ms / 1000);
  return { value: `${Math.floor(seconds / 60)} min ${seconds % 60}`, unit: "s" };
}

/** Formats a duration as one text: "214 ms", "1.2 s". */
export function formatDuration(ms: number): string {
  const { value, unit } = toDuration(ms);
  return `${value} ${unit}`;
}

function formatMs(ms: number): string {
  return ms > 0 && ms < 1 ? "<1" : String(Math.round(ms));
}
