import { offsetAt } from "@/lib/base/values/offset";

const MINUTE_MS = 60_000;

/**
 * How far a zone is ahead of UTC when its clocks show a time, in milliseconds. An hour that there is twice is the first
 * of them, as with java.time, since the server does not say which one it means.
 * @param localMs what the clocks show, as if it were UTC
 * @param zone `UTC`, `+02:00` or a name such as `Europe/Paris`
 * @returns null for a zone that the runtime does not know
 */
export function offsetOfLocal(localMs: number, zone: string): number | null {
  if (zone === "UTC" || zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === "-" ? -1 : 1);
  // The offset before and after whatever change is near; the one that leads to this local time is meant.
  const day = 24 * 60 * MINUTE_MS;
  try {
    const candidates = [offsetAt(localMs - day, zone), offsetAt(localMs + day, zone)];
    return candidates.find((offset) => offsetAt(localMs - offset, zone) === offset) ?? candidates[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
