import { offsetAt } from "@/lib/base/values/offset";

const MINUTE_MS = 60_000;

/**
 * Returns the offset of a zone from UTC at a local time, in milliseconds. A repeated hour is the first one, as in
 * java.time, since the server does not say which one it means.
 * @param localMs the local time, as if it were UTC
 * @param zone `UTC`, `+02:00` or a name such as `Europe/Paris`
 * @returns null for a zone that the runtime does not know
 */
export function offsetOfLocal(localMs: number, zone: string): number | null {
  if (zone === "UTC" || zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === "-" ? -1 : 1);
  // The offsets before and after any nearby change; the one that yields this local time is correct.
  const day = 24 * 60 * MINUTE_MS;
  try {
    const candidates = [offsetAt(localMs - day, zone), offsetAt(localMs + day, zone)];
    return candidates.find((offset) => offsetAt(localMs - offset, zone) === offset) ?? candidates[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
