import { formatCountOf } from "@/lib/base/values/amounts";
import { MONTH_NAMES } from "@/lib/base/values/grain-text";

/**
 * Formats days and spans of time (docs/develop/design.md, Words). `now` is a parameter, so that a page is consistent.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats a day in the reader's zone: "12 Mar 2025". */
export function formatDay(at: Date): string {
  return `${formatDayAndMonth(at)} ${at.getFullYear()}`;
}

/** Formats "just now", "4 min ago", "2 h ago" up to a day; then "16 Nov 07:00", with the year if it is another one. */
export function formatAgo(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  // If the server's clock is ahead of the reader's, no future time must be shown.
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  if (at.getFullYear() !== now.getFullYear()) return formatDay(at);
  return `${formatDayAndMonth(at)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/**
 * Formats a moment in the reader's zone: "today 07:00", "tomorrow 07:00", else "16 Nov 07:00", with the year if it is
 * another one.
 */
export function formatMoment(at: Date, now: Date): string {
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  if (at.toDateString() === now.toDateString()) return `today ${clock}`;
  if (at.toDateString() === next.toDateString()) return `tomorrow ${clock}`;
  return `${at.getFullYear() === now.getFullYear() ? formatDayAndMonth(at) : formatDay(at)} ${clock}`;
}

/** Formats the time that is left, to the nearest unit: "5 days", "3 hours", "2 minutes"; null if it is over. */
export function formatLeft(until: Date, now: Date): string | null {
  const ms = until.getTime() - now.getTime();
  if (ms <= 0) return null;
  if (ms >= DAY_MS) return formatCountOf(Math.round(ms / DAY_MS), "day");
  if (ms >= HOUR_MS) return formatCountOf(Math.round(ms / HOUR_MS), "hour");
  return formatCountOf(Math.max(1, Math.round(ms / MINUTE_MS)), "minute");
}

/** Formats the full timestamp with its zone, for hovering. */
export function formatStamp(at: Date): string {
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${formatDay(at)}, ${clock} ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
}

/** Formats a day of this year in the reader's zone: "12 Mar". */
export function formatDayAndMonth(at: Date): string {
  return `${at.getDate()} ${MONTH_NAMES[at.getMonth()]}`;
}

/** Returns a number with at least two digits. */
export function two(n: number): string {
  return String(n).padStart(2, "0");
}
