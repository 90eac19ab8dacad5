import { formatCount } from "@/lib/platform/browser/format";
import type { Shelves } from "./shelves";

/* Cost of a click elsewhere on the page for this widget, and advice to reduce it. */

/** Shorter delays are imperceptible and need no advice. */
const FELT_MS = 30;
/** More groups also cost the browser time, and no chart shows them. */
const GROUPS_MANY = 2000;
const ROWS_MANY = 100_000;

/** @param tookMs measured over the rows in memory */
export function toCostWords(tookMs: number): string {
  return `Each click takes ${tookMs < 1 ? "less than 1" : formatCount(Math.round(tookMs))} ms`;
}

/**
 * Returns advice to reduce the cost, the largest saving first; null when the cost is imperceptible or no advice
 * applies.
 */
export function toCostAdvice(
  { dimensions, measures, limit }: Shelves,
  { tookMs, shownCount, rowCount }: { tookMs: number; shownCount: number; rowCount: number | null },
): string | null {
  if (tookMs < FELT_MS) return null;
  const distinct = measures.find(({ op }) => op === "countDistinct");
  if (distinct) {
    return `Distinct ${distinct.field ?? "values"} are recounted on every click. Counting rows is faster.`;
  }
  const median = measures.find(({ op }) => op === "median");
  if (median) return `The median of ${median.field ?? "a column"} is recomputed on every click. An average is faster.`;
  if (dimensions.length + measures.length === 0 && shownCount > GROUPS_MANY)
    return `The widget shows ${formatCount(shownCount)} raw rows. Lower the row limit.`;
  if (shownCount > GROUPS_MANY && (limit ?? GROUPS_MANY + 1) > GROUPS_MANY)
    return `The widget has ${formatCount(shownCount)} groups. Use a coarser time unit or a limit.`;
  if (rowCount !== null && rowCount > ROWS_MANY)
    return `Each click scans ${formatCount(rowCount)} rows. Aggregate in the query to scan fewer.`;
  return null;
}
