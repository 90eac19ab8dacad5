import { offsetAt } from "./offset.ts";

/**
 * Relative date ranges. Weeks begin on Monday. Ranges of "last" end yesterday, or with the previous week, month,
 * quarter or year.
 */
export const DATE_PRESETS = [
  "today",
  "yesterday",
  "last7Days",
  "last30Days",
  "last90Days",
  "last12Months",
  "thisWeek",
  "lastWeek",
  "thisMonth",
  "lastMonth",
  "thisQuarter",
  "lastQuarter",
  "thisYear",
  "lastYear",
] as const;
export type DatePreset = (typeof DATE_PRESETS)[number];

/** Relative date ranges, in menu order. */
export const PRESET_WORDS: Readonly<Record<DatePreset, string>> = {
  today: "Today",
  yesterday: "Yesterday",
  last7Days: "Last 7 days",
  last30Days: "Last 30 days",
  last90Days: "Last 90 days",
  last12Months: "Last 12 months",
  thisWeek: "This week",
  lastWeek: "Last week",
  thisMonth: "This month",
  lastMonth: "Last month",
  thisQuarter: "This quarter",
  lastQuarter: "Last quarter",
  thisYear: "This year",
  lastYear: "Last year",
};
export function isPreset(value: unknown): value is DatePreset {
  return typeof value === "string" && Object.hasOwn(PRESET_WORDS, value);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the days of a preset, inclusive. @throws RangeError for a zone unknown to the runtime */
export function toPresetDays(preset: DatePreset, now: Date, zone: string): { from: string; to: string } {
  // The local day in the zone, expressed in UTC.
  const today = Math.floor((now.getTime() + offsetAt(now.getTime(), zone)) / DAY_MS) * DAY_MS;
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const first = (months: number) => Date.UTC(year, months, 1);
  const quarter = month - (month % 3);
  const monday = today - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  const range = (from: number, to: number) => ({ from: toText(from), to: toText(to) });
  const before = (days: number) => range(today - days * DAY_MS, today - DAY_MS);
  switch (preset) {
    case "today":
      return range(today, today);
    case "yesterday":
      return before(1);
    case "last7Days":
      return before(7);
    case "last30Days":
      return before(30);
    case "last90Days":
      return before(90);
    case "last12Months":
      return range(first(month - 12), first(month) - DAY_MS);
    case "thisWeek":
      return range(monday, monday + 6 * DAY_MS);
    case "lastWeek":
      return range(monday - 7 * DAY_MS, monday - DAY_MS);
    case "thisMonth":
      return range(first(month), first(month + 1) - DAY_MS);
    case "lastMonth":
      return range(first(month - 1), first(month) - DAY_MS);
    case "thisQuarter":
      return range(first(quarter), first(quarter + 3) - DAY_MS);
    case "lastQuarter":
      return range(first(quarter - 3), first(quarter) - DAY_MS);
    case "thisYear":
      return range(first(0), first(12) - DAY_MS);
    case "lastYear":
      return range(first(-12), first(0) - DAY_MS);
  }
}

function toText(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}

/** Returns whether a text is a day of the calendar as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
