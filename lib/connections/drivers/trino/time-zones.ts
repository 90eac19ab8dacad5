/** Zones are few in one result, and a formatter costs more than all else about a value. */
const ZONES_MAX = 100;
const formats = new Map<string, Intl.DateTimeFormat | null>();
const MINUTE_MS = 60_000;

/**
 * How far a zone is ahead of UTC when its clocks show a time, in milliseconds. An hour that there is twice is the first
 * of them, as with java.time, since the server does not say which one it means.
 * @param localMs what the clocks show, as if it were UTC
 * @param zone `UTC`, `+02:00` or a name such as `Europe/Paris`
 * @returns null for a zone that the runtime does not know
 */
export function offsetAt(localMs: number, zone: string): number | null {
  if (zone === "UTC" || zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === "-" ? -1 : 1);
  const format = formatOf(zone);
  if (!format) return null;
  // The offset before and after whatever change is near; the one that leads to this local time is meant.
  const day = 24 * 60 * MINUTE_MS;
  const candidates = [offsetOf(format, localMs - day), offsetOf(format, localMs + day)];
  return candidates.find((offset) => offsetOf(format, localMs - offset) === offset) ?? candidates[0] ?? null;
}

function offsetOf(format: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  return shown - Math.floor(instant / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    // Not a zone of this runtime.
  }
  if (formats.size >= ZONES_MAX) formats.clear();
  formats.set(zone, format);
  return format;
}
