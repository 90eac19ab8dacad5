import { WAIT_MAX_MS } from "./limits";

const UNITS_MS = { w: 7 * 86_400_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const FORM = /^(?:\d+(?:w|d|h|ms|m|s))+$/;

/**
 * Parses how long a step sleeps: `1d2h`, `10s`, or an ISO 8601 date. An empty text and a past date are 0.
 * @returns milliseconds; null for invalid text and for more than a year
 */
export function durationMs(text: string | undefined, now: number): number | null {
  if (text === undefined || text === "") return 0;
  const ms = FORM.test(text) ? sum(text) : Date.parse(text) - now;
  if (Number.isNaN(ms) || ms > WAIT_MAX_MS) return null;
  return Math.max(ms, 0);
}

function sum(text: string): number {
  return [...text.matchAll(/(\d+)(w|d|h|ms|m|s)/g)].reduce(
    (total, [, count, unit]) => total + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS],
    0,
  );
}
