import type { TimesLook } from "@/lib/base/values/cell-look";
import type { CellValue } from "@/lib/base/values/json-rows";
import { deviceZone } from "@/lib/base/values/names";
import { offsetsOf } from "@/lib/base/values/offsets";

const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/**
 * Reads times as local wall-clock times, in epoch milliseconds as if the zone were UTC, so that days and hours are cut
 * where they start for the reader. A time without a zone stays unchanged. The hour that a clock shows twice is one
 * hour.
 * @param zone the reader's zone by its name; null for UTC
 */
export function wallClock(zone: string | null): (value: CellValue) => number | null {
  const offsetOf = zone === null ? () => 0 : offsetsOf(zone);
  return (value) => {
    if (typeof value !== "string") return null;
    const text = value.replace(" ", "T");
    const isDay = text.length <= 10;
    const hasZone = !isDay && ZONE.test(text);
    const time = Date.parse(isDay || hasZone ? text : `${text}Z`);
    return Number.isNaN(time) ? null : hasZone ? time + offsetOf(time) : time;
  };
}

/** Returns the zone that sets the start of a day, by the reader's choice; for "as in the database" it is UTC. */
export function zoneOf({ times }: { times: TimesLook }): string | null {
  if (times === "local") return deviceZone();
  return times === "utc" || times === "raw" ? null : times;
}
