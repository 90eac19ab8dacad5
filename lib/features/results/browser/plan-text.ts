import type { ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { toPlainText } from "@/lib/features/results/browser/cell-text";

/**
 * Returns the result of an EXPLAIN as one text. Engines return one row per line, or a whole drawing in a column beside
 * its name.
 */
export function toPlanText(fields: readonly ResultField[], rows: readonly ResultRow[]): string {
  const drawn = fields.find(({ name }) => name.toLowerCase() === "explain_value") ?? fields.at(0);
  if (drawn === undefined) return "";
  return rows
    .map((row) => toPlainText(row[drawn.name]))
    .join("\n")
    .replace(/\n+$/, "");
}
