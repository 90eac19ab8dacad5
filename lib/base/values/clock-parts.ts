import { MONTH_NAMES } from "@/lib/base/values/grain-text";

/** Texts of a clock and a calendar: "Mon", "7", "Sep", "2026", "08", "00", "05". */
export type ClockParts = Record<"weekday" | "day" | "month" | "year" | "hour" | "minute" | "second", string>;

/** Returns what clocks show in a zone. */
export function clockPartsOf(at: Date, timeZone: string): ClockParts {
  const format = new Intl.DateTimeFormat("en", {
    ...{ timeZone, weekday: "short", day: "numeric", month: "numeric", year: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as ClockParts;
  return { ...parts, month: MONTH_NAMES[Number(parts.month) - 1] ?? parts.month };
}

/** Formats a moment with its zone: "Mon 23 Nov 2026, 08:00 Europe/Vienna". */
export function formatZoned(at: Date, timeZone: string): string {
  const { weekday, day, month, year, hour, minute } = clockPartsOf(at, timeZone);
  return `${weekday} ${day} ${month} ${year}, ${hour}:${minute} ${timeZone}`;
}
