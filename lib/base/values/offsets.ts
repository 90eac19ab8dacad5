import { offsetAt } from "./offset";

const QUARTER_MS = 900_000;
const OFFSETS_MAX = 50_000;
/** Caches by zone name: the grid and a chart beside it use the same zones. */
const zones = new Map<string, (moment: number) => number>();
const ZONES_MAX = 20;

/**
 * Returns `offsetAt` with a cache, for many moments of one zone. Offsets change at quarters of an hour at most;
 * computing each row would take a second for a hundred thousand, and slow down scrolling.
 */
export function offsetsOf(zone: string): (moment: number) => number {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  const offsets = new Map<number, number>();
  const read = (moment: number) => {
    const quarter = Math.floor(moment / QUARTER_MS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER_MS, zone);
      if (offsets.size >= OFFSETS_MAX) offsets.clear();
      offsets.set(quarter, offset);
    }
    return offset;
  };
  if (zones.size >= ZONES_MAX) zones.clear();
  zones.set(zone, read);
  return read;
}
