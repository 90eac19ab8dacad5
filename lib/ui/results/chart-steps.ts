/** A bucket's width in words, and in milliseconds or plain numbers. */
export type Step = { name: string; size: number };
type Rounding = { plain: Step; floor: (value: number) => number };

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** The epoch began on a Thursday; weeks begin on Mondays. */
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
const MONTH: Step = { name: "month", size: 30 * DAY };

/** The finest width of buckets that makes no more than `countMax` of them between two values. Times are in UTC. */
export function chooseStep(low: number, high: number, scale: "time" | "number", countMax: number): Rounding {
  if (scale === "number") {
    const size = niceSize((high - low) / countMax);
    return { plain: { name: String(size), size }, floor: (value) => Math.floor(value / size) * size };
  }
  const step = TIMES.find(({ size }) => (high - low) / size <= countMax);
  if (step === undefined) return { plain: MONTH, floor: toMonth };
  const offset = step.name === "week" ? MONDAY : 0;
  return { plain: step, floor: (value) => Math.floor((value - offset) / step.size) * step.size + offset };
}

function toMonth(value: number): number {
  const at = new Date(value);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
}

/** 1, 2 or 5 times a power of ten, no smaller than what is asked for. */
function niceSize(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const factor = [1, 2, 5, 10].find((each) => each * power >= size) ?? 10;
  return factor * power;
}
