import type { WidgetData } from "@/lib/features/dashboards/browser/client";

/** Whether a widget could not be read anew. Refused totals of a cut dataset are as fresh as its rows. */
export function hasOldRows({ error, firstRows, fields }: Pick<WidgetData, "error" | "firstRows" | "fields">): boolean {
  return error !== undefined && (firstRows === undefined || fields.length > 0);
}
