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

/** Returns this device's time zone. */
export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
