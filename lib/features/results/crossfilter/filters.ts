import { z } from "zod";
import { offsetAt } from "@/lib/base/values/offset";
import { AppError } from "@/lib/platform/http/errors";
import { boundedText } from "@/lib/platform/http/schema";
import type { Condition } from "./spec";

/* Semantics of a page's filters (docs/develop/api.md, Dashboards). */

export const FILTER_KINDS = ["dateRange", "select", "multiSelect", "search"] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

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

/** For a longer selection, exclude values instead. */
const CHOSEN_MAX = 1000;
const TEXT_CHARS_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const scalar = z.union([boundedText(TEXT_CHARS_MAX), z.number(), z.boolean(), z.null()]);
const day = z.iso.date();
const VALUES = {
  dateRange: z.union([
    z.enum(DATE_PRESETS),
    z
      .strictObject({ from: day.nullish(), to: day.nullish() })
      .refine(({ from, to }) => !from || !to || from <= to, "The range end is before its start."),
  ]),
  select: scalar,
  multiSelect: z.array(scalar).max(CHOSEN_MAX),
  search: boundedText(TEXT_CHARS_MAX),
} satisfies Record<FilterKind, z.ZodType>;

/**
 * Returns the condition of a filter with a value; null when it matches everything: null, no range, an empty text or an
 * empty list.
 * @param now with `zone`, determines the current day
 * @throws AppError `invalid_request` for a value of another kind
 */
export function toCondition(
  filter: { id: string; field: string; kind: FilterKind },
  value: unknown,
  { now, zone }: { now: Date; zone: string },
): Condition | null {
  const { id, field, kind } = filter;
  if (value === null || value === undefined) return null;
  const parsed = VALUES[kind].safeParse(value);
  if (!parsed.success) {
    const reason = parsed.error.issues[0]?.message ?? "Invalid value.";
    throw new AppError("invalid_request", `Invalid value for filter ${id} (${kind}): ${reason}`, {
      details: { filter: id },
    });
  }
  const { data } = parsed;
  if (kind === "search") return data === "" ? null : { field, kind: "contains", text: String(data) };
  if (kind === "select") return { field, kind: "oneOf", values: [data as string] };
  if (kind === "multiSelect") {
    const values = data as (string | number | boolean | null)[];
    return values.length === 0 ? null : { field, kind: "oneOf", values };
  }
  const range = typeof data === "string" ? toDays(data as DatePreset, now, zone) : (data as Range);
  const [from, to] = [range.from ?? null, range.to ?? null];
  return from === null && to === null ? null : { field, kind: "days", from, to };
}

type Range = { from?: string | null | undefined; to?: string | null | undefined };

/** Returns the days of a preset, inclusive. @throws RangeError for a zone unknown to the runtime */
export function toDays(preset: DatePreset, now: Date, zone: string): { from: string; to: string } {
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
