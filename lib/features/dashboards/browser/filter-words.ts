import { toPlainText } from "@/lib/base/values/cell-text";
import { isPreset, PRESET_WORDS } from "@/lib/base/values/date-presets";
import { toGrainText, toSpanText } from "@/lib/base/values/grain-text";
import type { CellValue } from "@/lib/base/values/json-rows";
import type { ClickValue } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { Filter } from "@/lib/features/dashboards/schema";

/** More values than these are shown as a number. */
const NAMED_MAX = 2;

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
  if (from && to) {
    if (from === to) return toDayWord(from);
    return toSpanText(String(from), String(to)) ?? `${toDayWord(from)} to ${toDayWord(to)}`;
  }
  if (from) return `since ${toDayWord(from)}`;
  return to ? `until ${toDayWord(to)}` : null;
}

/** Describes a click in words, column by column; empty without one. */
export function describeClick(click: ClickValue | null): string {
  return Object.values(click ?? {})
    .flatMap((value) => describeValue(value) ?? [])
    .join(", ");
}

function toWord(value: CellValue): string {
  return value === null ? "null" : value === "" ? "(empty)" : toPlainText(value);
}

function toDayWord(day: unknown): string {
  return toGrainText(String(day), "day") ?? String(day);
}
