/** Longer than any zone's name. */
export const ZONE_CHARS_MAX = 60;

/**
 * A zone's name as the runtime writes it, whatever its letters' case; null for a text that is none.
 * Only names: an offset as +02:00 knows of no daylight-saving time, and is never what somebody means by a zone.
 */
export function toZoneName(text: string): string | null {
  if (!/^[A-Za-z][\w+\-/]*$/.test(text)) return null;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** The zone that this device's clock goes by. */
export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
