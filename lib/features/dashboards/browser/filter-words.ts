import { toPlainText } from "@/lib/base/values/cell-text";
import type { CellValue } from "@/lib/base/values/json-rows";
import type { Filter } from "@/lib/features/dashboards/schema";
import type { DatePreset } from "@/lib/features/results/crossfilter/filters";
import { formatDay } from "@/lib/platform/browser/format-time";

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
/** More values than these are shown as a number. */
const NAMED_MAX = 2;

export function isPreset(value: unknown): value is DatePreset {
  return typeof value === "string" && Object.hasOwn(PRESET_WORDS, value);
}

/** Returns the display name of a filter: its title, else its field. */
export function toFilterName({ title, field }: Pick<Filter, "title" | "field">): string {
  return title || field;
}

/** Describes the value of a filter or click in words; null where it filters nothing. */
export function describeValue(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (isPreset(value)) return PRESET_WORDS[value];
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    return value.length > NAMED_MAX ? `${value.length} values` : value.map(toWord).join(", ");
  }
  if (typeof value !== "object") return toWord(value as CellValue);
  const { from, to } = value as { from?: unknown; to?: unknown };
  if (from && to) return from === to ? toDayWord(from) : `${toDayWord(from)} to ${toDayWord(to)}`;
  if (from) return `since ${toDayWord(from)}`;
  return to ? `until ${toDayWord(to)}` : null;
}

function toWord(value: CellValue): string {
  return value === null ? "null" : value === "" ? "(empty)" : toPlainText(value);
}

function toDayWord(day: unknown): string {
  const [year = 0, month = 1, date = 1] = String(day).split("-").map(Number);
  return formatDay(new Date(year, month - 1, date));
}
