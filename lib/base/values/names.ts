/** Maximum length: longer than any zone's name. */
export const ZONE_CHARS_MAX = 60;

/**
 * Returns a zone's name in the runtime's spelling, ignoring case; null for an unknown zone. Accepts only names: an
 * offset such as +02:00 has no daylight-saving time, and is not what people mean by a zone.
 */
export function toZoneName(text: string): string | null {
  if (!/^[A-Za-z][\w+\-/]*$/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Returns the name, or the first with a number after it that is not taken, ignoring case. */
export function toFreeName(name: string, taken: Iterable<string>): string {
  const used = new Set([...taken].map((each) => each.toLowerCase()));
  let free = name;
  for (let number = 2; used.has(free.toLowerCase()); number += 1) free = `${name}_${number}`;
  return free;
}

/** Returns this device's time zone. */
export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** End of the name of the table that keeps the rows which an import rejected. */
export const REJECTED_SUFFIX = "_rejected";
