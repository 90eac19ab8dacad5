import { niceSize } from "@/lib/base/charts/steps";
import { groupDigits } from "@/lib/base/values/exact-number";

/** A numeric axis: its ends, its ticks and their labels. */
export type NumberAxis = { low: number; high: number; ticks: number[]; labels: string[] };
type AxisAsk = {
  low: number;
  high: number;
  /** Whether the marks have a length, which starts at zero. */
  isZero: boolean;
  /** Allows no ticks between whole numbers. */
  isWhole?: boolean;
  isShare?: boolean;
  /** Whether the numbers are names, such as years, which have neither unit nor digit groups. */
  isName?: boolean;
  tickCount?: number;
};

const TICKS_MAX = 12;
/**
 * Minimum share of a line chart's height for its range of values; the axis starts at zero unless the range would take
 * less.
 */
const LIVELY = 0.25;
/** Minimum relative difference of two ticks. */
const TELLING = 1e-12;
const UNITS = [
  { from: 1e12, size: 1e12, sign: " T" },
  { from: 1e9, size: 1e9, sign: " G" },
  { from: 1e6, size: 1e6, sign: " M" },
  { from: 1e4, size: 1e3, sign: " k" },
  { from: 1e-4, size: 1, sign: "" },
];
/** Size from which numbers are written with a power of ten. */
const POWERS_FROM = 1e15;

/**
 * Returns an axis with one unit, chosen by its greatest tick, and as many digits as its step has: no tick reads "0 M".
 */
export function toNumberAxis(ask: AxisAsk): NumberAxis {
  const { isWhole = false, isShare = false, isName = false, tickCount = 5 } = ask;
  let { low, high } = ask;
  const isFlat = low === high;
  if (ask.isZero || (isFlat && !isName) || isLively(low, high)) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  if (low === high) {
    low -= isName ? 1 : 0;
    high += 1;
  }
  // Closer ticks would be the same number, or look the same.
  const closest = Math.max(1e-300, TELLING * Math.max(Math.abs(low), Math.abs(high)));
  const size = niceSize(Math.max(high / tickCount - low / tickCount, closest));
  const step = isWhole ? Math.max(1, size) : size;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const count = Math.min(TICKS_MAX, last - first + 1);
  // If neighbouring ticks round to the same number, there is nothing between them to mark.
  const ticks = [...new Set(Array.from({ length: count }, (_, i) => multiply(first + i, step)))].filter(
    Number.isFinite,
  );
  return {
    low: Math.min(low, ticks[0] ?? low),
    high: Math.max(high, ticks.at(-1) ?? high),
    ticks,
    labels: toLabels(ticks, step, isShare, isName),
  };
}

/** Returns the extremes of numbers, of which there may be too many to spread as arguments; null without any. */
export function rangeOf(numbers: Iterable<number>): { low: number; high: number } | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return low <= high ? { low, high } : null;
}

/** Shortens a number with its unit: "1.21 M", "74.3", "0". @param digits maximum number of significant digits */
export function toShort(value: number, digits = 3): string {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const unit = UNITS.find(({ from }) => Math.abs(rounded) >= from);
  if (unit === undefined || Math.abs(rounded) >= POWERS_FROM) return rounded.toExponential().replace("e+", "e");
  return `${groupDigits(toPlain(Number((rounded / unit.size).toPrecision(digits))))}${unit.sign}`;
}

function isLively(low: number, high: number): boolean {
  const far = Math.max(Math.abs(low), Math.abs(high));
  return (low < 0 && high > 0) || high / far - low / far > LIVELY;
}

function toLabels(ticks: number[], step: number, isShare: boolean, isName: boolean): string[] {
  if (isShare) return ticks.map((tick) => `${Math.round(tick * 100)}%`);
  if (isName) return ticks.map(toPlain);
  const greatest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  const unit = UNITS.find(({ from }) => greatest >= from);
  if (unit === undefined || greatest >= POWERS_FROM) {
    const power = Math.floor(Math.log10(greatest || 1));
    const digits = Math.max(0, power - Math.floor(Math.log10(step) + 1e-9));
    return ticks.map((tick) => (tick === 0 ? "0" : `${(tick / 10 ** power).toFixed(Math.min(digits, 15))}e${power}`));
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit.size) + 1e-9));
  return ticks.map((tick) =>
    tick === 0 ? "0" : `${groupDigits((tick / unit.size).toFixed(Math.min(digits, 20)))}${unit.sign}`,
  );
}

/** Multiplies small steps by division, which rounds once: 3 * 0.1 is not a tick. */
function multiply(count: number, step: number): number {
  const value = step < 1 && step > 1e-15 ? count / Math.round(1 / step) : count * step;
  return value === 0 ? 0 : value;
}

/** Formats without a power of ten if that is short. */
function toPlain(value: number): string {
  const text = String(value);
  return text.includes("e") && Math.abs(value) < 1 ? value.toFixed(20).replace(/0+$/, "") : text;
}
