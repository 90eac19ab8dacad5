/** Width of a bucket in words, and in milliseconds or plain numbers; months have uneven widths. */
export type Step = { name: string; size: number; isUneven?: boolean };
export type Rounding = { plain: Step; floor: (value: number) => number };

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** The epoch began on a Thursday; weeks start on Mondays. */
const MONDAY = 4 * DAY;
const TIMES: Step[] = [
  { name: "second", size: SECOND },
  { name: "minute", size: 60 * SECOND },
  { name: "10 minutes", size: 600 * SECOND },
  { name: "hour", size: 3600 * SECOND },
  { name: "6 hours", size: 6 * 3600 * SECOND },
  { name: "day", size: DAY },
  { name: "week", size: 7 * DAY },
];
const MONTH: Step = { name: "month", size: 30 * DAY, isUneven: true };
const YEAR: Step = { name: "year", size: 365 * DAY, isUneven: true };

/** Minimum bucket width: narrower buckets could not be distinguished by floats of their size. */
const LEAST = { size: 1e-90, part: 1e-14 };

/**
 * Returns the finest width of buckets that results in at most about `countMax` of them between two values; the first
 * one starts at a round number.
 * @param isWhole whether buckets are at least 1 wide
 */
export function chooseStep(
  low: number,
  high: number,
  scale: "time" | "number",
  countMax: number,
  isWhole = false,
): Rounding {
  if (scale === "number") {
    const least = Math.max(LEAST.size, LEAST.part * Math.max(Math.abs(low), Math.abs(high)));
    const nice = niceSize(Math.max((high - low) / countMax || 1, least));
    const size = isWhole ? Math.max(1, nice) : nice;
    // Divided by a power of ten rather than multiplied by its inverse: 0.3 / 0.1 is less than 3.
    const floor = (value: number) => {
      const at = Math.floor(value / size + 1e-9);
      return size < 1 ? at / Math.round(1 / size) : at * size;
    };
    return { plain: { name: String(size), size }, floor };
  }
  const step = TIMES.find(({ size }) => (high - low) / size <= countMax);
  if (step === undefined) {
    const isLong = (high - low) / MONTH.size > countMax;
    return { plain: isLong ? YEAR : MONTH, floor: isLong ? toYear : toMonth };
  }
  const offset = step.name === "week" ? MONDAY : 0;
  return { plain: step, floor: (value) => Math.floor((value - offset) / step.size) * step.size + offset };
}

function toMonth(value: number): number {
  const at = new Date(value);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
}

function toYear(value: number): number {
  return Date.UTC(new Date(value).getUTCFullYear(), 0, 1);
}

/** Returns 1, 2 or 5 times a power of ten, at least as large as the argument. */
export function niceSize(size: number): number {
  const power = Math.floor(Math.log10(size));
  const factor = [1, 2, 5, 10].find((each) => each * 10 ** power >= size * (1 - 1e-12)) ?? 10;
  // Divides for powers below one, which rounds once.
  return power < 0 ? factor / 10 ** -power : factor * 10 ** power;
}
