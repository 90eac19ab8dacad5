import { StoreError } from "../errors.ts";

/** A fixed offset from UTC in ms, or a zone of the IANA database. */
export type Zone = { kind: "offset"; ms: number } | { kind: "named"; format: Intl.DateTimeFormat };

const known = new Map<string, Zone>();
/** Maximum cached zones: more than the IANA database has. */
const MAX_KNOWN = 1000;

/** @throws StoreError Location40485 for an unknown zone */
export function parseZone(text: string): Zone {
  let zone = known.get(text);
  if (zone === undefined) {
    zone = readZone(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, zone);
  }
  return zone;
}

function readZone(text: string): Zone {
  if (text === "Z" || text === "UTC" || text === "GMT") return { kind: "offset", ms: 0 };
  const offset = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(text);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return { kind: "offset", ms: (offset[1] === "-" ? -1 : 1) * minutes * 60_000 };
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: text,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      era: "short",
    });
    return { kind: "named", format };
  } catch (cause) {
    throw new StoreError(40485, `unrecognized time zone identifier: "${text}"`, { cause });
  }
}

/** Returns the zone's offset from UTC at an instant, in ms; positive when it is ahead. */
export function offsetAt(zone: Zone, instantMs: number): number {
  if (zone.kind === "offset") return zone.ms;
  const parts = new Map(zone.format.formatToParts(instantMs).map((part) => [part.type, part.value]));
  const n = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const year = parts.get("era") === "BC" ? 1 - n("year") : n("year");
  const local = new Date(0);
  local.setUTCFullYear(year, n("month") - 1, n("day"));
  local.setUTCHours(n("hour"), n("minute"), n("second"));
  return local.getTime() - Math.floor(instantMs / 1000) * 1000;
}
