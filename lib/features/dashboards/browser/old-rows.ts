import type { WidgetData } from "@/lib/features/dashboards/schema";

/** Returns whether a widget failed to refresh. Refused totals of a truncated dataset are as fresh as its rows. */
export function hasOldRows({ error, firstRows, fields }: Pick<WidgetData, "error" | "firstRows" | "fields">): boolean {
  return error !== undefined && (firstRows === undefined || fields.length > 0);
}
