import { z } from "zod";
import type { Field } from "@/lib/base/values/fields";
import type { Condition } from "@/lib/features/results/crossfilter/spec";
import { AppError } from "@/lib/platform/http/errors";
import { boundedText } from "@/lib/platform/http/schema";
import type { Widget } from "./schema";
import { findQuery } from "./specs";

/** A click or brush in a widget, which filters the other widgets. The widget itself still shows all its data. */
export type Click = { widgetId: string; exclude: readonly string[]; conditions: readonly Condition[] };

/** Prefix of widget ids among the keys of filters; no id can begin with it. */
const SIGN = "@";
/** Maximum number of values that a user selects one after another. */
const CHOSEN_MAX = 200;
const TEXT_CHARS_MAX = 1000;
const NAME_CHARS_MAX = 256;
const TIMES: ReadonlySet<Field["type"]> = new Set(["date", "timestamp", "timestamptz"]);

const scalar = z.union([boundedText(TEXT_CHARS_MAX), z.number(), z.boolean(), z.null()]);
const days = z
  .strictObject({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to, "The range end is before its start.");
/** Values by column of the widget's dataset, or a range of days. */
const click = z.record(
  boundedText(NAME_CHARS_MAX).min(1),
  z.union([z.array(scalar).min(1).max(CHOSEN_MAX), days], "Must be a list of values, or {from, to} dates."),
  "Must be an object of columns.",
);

/**
 * Extracts the clicks from the values of filters.
 * @throws AppError invalid_request for an unknown widget, and for an invalid click
 */
export function takeClicks(
  values: Readonly<Record<string, unknown>>,
  widgets: readonly Widget[],
): { values: Record<string, unknown>; clicks: Click[] } {
  const clicks: Click[] = [];
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    if (!key.startsWith(SIGN)) {
      rest[key] = value;
      continue;
    }
    const widgetId = key.slice(SIGN.length);
    const widget = widgets.find(({ id }) => id === widgetId);
    if (!widget) throw refusal(widgetId, `Widget “${widgetId}” not found.`);
    if (value === null) continue;
    const parsed = click.safeParse(value);
    if (!parsed.success) {
      const reason = parsed.error.issues[0]?.message ?? "Invalid value.";
      throw refusal(widgetId, `Invalid click on widget “${widgetId}”: ${reason}`);
    }
    const conditions = Object.entries(parsed.data)
      .filter(([field]) => isShown(widget, field))
      .map(
        ([field, chosen]): Condition =>
          Array.isArray(chosen) ? { field, kind: "oneOf", values: chosen } : { field, kind: "days", ...chosen },
      );
    clicks.push({ widgetId, exclude: toIds(widget.spec.exclude), conditions });
  }
  return { values: rest, clicks };
}

/**
 * Returns the conditions of clicks on rows with these columns. @param widgetId null for a filter's list, which all
 * clicks narrow
 */
export function conditionsOfClicks(
  clicks: readonly Click[],
  fields: readonly Field[],
  widgetId: string | null,
): Condition[] {
  return clicks
    .filter((each) => widgetId === null || (each.widgetId !== widgetId && !each.exclude.includes(widgetId)))
    .flatMap(({ conditions }) => conditions)
    .filter(({ field, kind }) =>
      fields.some(({ name, type }) => name === field && (kind !== "days" || TIMES.has(type))),
    );
}

/**
 * Returns whether a widget shows this column. Hidden columns filter nothing: else viewers could probe them. Ignoring
 * them also keeps old links to a changed page working.
 */
function isShown(widget: Widget, field: string): boolean {
  const query = findQuery(widget);
  if (query === null) return false;
  const { dimensions, measures } = query;
  if (dimensions.length === 0 && measures.length === 0) return true;
  return dimensions.some((each) => (typeof each === "string" ? each : each.field) === field);
}

function toIds(ids: unknown): string[] {
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string") : [];
}

function refusal(widget: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: { widget } });
}
