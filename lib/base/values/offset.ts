/**
 * Number of cached formatters: few zones are in use at once, and creating a formatter is the largest cost of formatting
 * a time.
 */
const ZONES_MAX = 500;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the offset of a zone's local time from UTC at a moment; both in milliseconds.
 * @param zone by its name, as `Europe/Paris`
 * @throws RangeError for a zone that the runtime does not know
 */
export function offsetAt(moment: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  // Not Date.UTC, which maps years before 100 to the last century.
  const wall = new Date(0);
  wall.setUTCFullYear(
    parts.get("era") === "BC" ? 1 - number("year") : number("year"),
    number("month") - 1,
    number("day"),
  );
  wall.setUTCHours(number("hour"), number("minute"), number("second"));
  return wall.getTime() - Math.floor(moment / 1000) * 1000;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    if (formats.size >= ZONES_MAX) formats.clear();
    formats.set(zone, format);
  }
  return format;
}
