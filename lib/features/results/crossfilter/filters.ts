import { z } from "zod";
import { DATE_PRESETS, type DatePreset, toPresetDays } from "@/lib/base/values/date-presets";
import { AppError } from "@/lib/platform/http/errors";
import { boundedText } from "@/lib/platform/http/schema";
import type { Condition } from "./spec";

/* Semantics of a page's filters (docs/develop/api.md, Dashboards). */

export const FILTER_KINDS = ["dateRange", "select", "multiSelect", "search"] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

/** For a longer selection, exclude values instead. */
const CHOSEN_MAX = 1000;
const TEXT_CHARS_MAX = 1000;

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
  const range = typeof data === "string" ? toPresetDays(data as DatePreset, now, zone) : (data as Range);
  const [from, to] = [range.from ?? null, range.to ?? null];
  return from === null && to === null ? null : { field, kind: "days", from, to };
}

type Range = { from?: string | null | undefined; to?: string | null | undefined };
