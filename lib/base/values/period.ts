import { offsetAt } from "./offset.ts";

const DAY_MS = 86_400_000;
const DAY_CHARS = "2026-05-31".length;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** A bound as local time in the zone and as an instant, both in ms since 1970 (local: as if it were UTC). */
export type Bound = { local: number; instant: number };
/** A period; `to` is excluded. */
export type Period = { from: Bound; to: Bound };
/** Shift from a period to the one that it is compared with. */
export type Shift = { count: number; unit: "month" | "day" | "minute" };

/**
 * Returns a bound. A day is its first moment; with `isEnd`, that of the next day.
 * @param text ISO 8601 with or without a time and an offset
 * @returns NaN for a date that does not exist, which JavaScript reads as another: 31 February as a day in March
 */
export function toBound(text: string, zone: string, isEnd: boolean): Bound {
  const day = text.slice(0, DAY_CHARS);
  const start = Date.parse(`${day}T00:00:00Z`);
  if (
    Number.isNaN(start) ||
    new Date(start).toISOString().slice(0, DAY_CHARS) !== day ||
    Number.isNaN(Date.parse(text))
  )
    return { local: Number.NaN, instant: Number.NaN };
  if (DATE.test(text)) return ofLocal(Date.parse(`${text}T00:00:00Z`) + (isEnd ? DAY_MS : 0), zone);
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
    const instant = Date.parse(text);
    return { instant, local: instant + offsetAt(instant, zone) };
  }
  return ofLocal(Date.parse(`${text}Z`), zone);
}

/** Returns a local time's moment. One that a clock change skips is read with the offset before the change. */
export function ofLocal(local: number, zone: string): Bound {
  const first = offsetAt(local, zone);
  const second = offsetAt(local - first, zone);
  const instant = local - second;
  const isSkipped = offsetAt(instant, zone) !== second;
  return { local, instant: isSkipped ? local - Math.min(first, second) : instant };
}

/** Returns the shift to the previous period of the same length, or to the year before; whole months stay whole. */
export function shiftOf({ from, to }: Period, compare: "previous" | "year"): Shift {
  if (compare === "year") return { count: 12, unit: "month" };
  const [a, b] = [new Date(from.local), new Date(to.local)];
  const isWhole = (date: Date) => date.getUTCDate() === 1 && date.getTime() % DAY_MS === 0;
  if (isWhole(a) && isWhole(b)) {
    const count = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
    return { count, unit: "month" };
  }
  const length = to.local - from.local;
  return length % DAY_MS === 0
    ? { count: length / DAY_MS, unit: "day" }
    : { count: Math.ceil(length / 60_000), unit: "minute" };
}

/** Returns the period before, by a shift. */
export function before(period: Period, shift: Shift, zone: string): Period {
  const back = ({ local }: Bound) => ofLocal(minus(local, shift), zone);
  return { from: back(period.from), to: back(period.to) };
}

function minus(local: number, { count, unit }: Shift): number {
  if (unit === "day") return local - count * DAY_MS;
  if (unit === "minute") return local - count * 60_000;
  const date = new Date(local);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - count);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

/** A zone's offset from UTC, in minutes, up to a moment. */
export type Span = { until: number; minutes: number };
/** Period of the offsets of a question without one, in years. */
const YEARS = { first: 1970, last: 2038 } as const;
/** Period in which changes are read: outside, the nearest offset counts. */
const KNOWN_YEARS = { first: 1950, last: 2050 } as const;
/** Rules change at most a few times a year. */
const STEP_MS = 14 * DAY_MS;
/** Cached zones: reading the changes of one formats 2,600 times. */
const ZONES_MAX = 100;
const zones = new Map<string, readonly Span[]>();

/** Returns the offsets of a zone during a period, for databases that know no zones. The last one has no end. */
export function offsetSpans(zone: string, period: { from: number | null; to: number | null }): Span[] {
  const from = period.from ?? Date.UTC(YEARS.first, 0);
  const to = period.to ?? Date.UTC(YEARS.last, 0);
  const all = knownSpans(zone);
  const first = all.findIndex(({ until }) => until > from);
  const last = Math.max(
    first,
    all.findIndex(({ until }) => until >= to),
  );
  const found = all.slice(first, last + 1);
  return found.map((span, index) => (index === found.length - 1 ? { ...span, until: Number.POSITIVE_INFINITY } : span));
}

function knownSpans(zone: string): readonly Span[] {
  const known = zones.get(zone);
  if (known) return known;
  const spans: Span[] = [];
  const to = Date.UTC(KNOWN_YEARS.last, 0);
  let current = offsetAt(Date.UTC(KNOWN_YEARS.first, 0), zone);
  for (let at = Date.UTC(KNOWN_YEARS.first, 0); at < to; at += STEP_MS) {
    const end = Math.min(at + STEP_MS, to);
    const next = offsetAt(end, zone);
    if (next === current) continue;
    let [low, high] = [at, end];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle, zone) === current) low = middle;
      else high = middle;
    }
    spans.push({ until: Math.ceil(low / 1000) * 1000, minutes: Math.round(current / 60_000) });
    current = next;
  }
  spans.push({ until: Number.POSITIVE_INFINITY, minutes: Math.round(current / 60_000) });
  if (zones.size >= ZONES_MAX) zones.clear();
  zones.set(zone, spans);
  return spans;
}

/** Returns a time as a literal needs it: a day, or a day and a time with a space. */
export function toStamp(ms: number, isDay: boolean): string {
  const text = new Date(ms).toISOString();
  return isDay ? text.slice(0, 10) : text.slice(0, text.endsWith(".000Z") ? 19 : 23).replace("T", " ");
}
