import { formatCount } from "@/lib/platform/browser/format";
import type { Shelves } from "./shelves";

/* What a click elsewhere on the page costs this widget, and what would make it less. */

/** Below this nobody notices: there is nothing to say. */
const FELT_MS = 30;
/** More groups than these are work for the browser, too, and no picture shows them. */
const GROUPS_MANY = 2000;
const ROWS_MANY = 100_000;

/** @param tookMs as it was measured over the rows in memory */
export function toCostWords(tookMs: number): string {
  return `A click takes ${tookMs < 1 ? "less than 1" : formatCount(Math.round(tookMs))} ms`;
}

/** What would lower it, the greatest first; null where it is not felt, or nothing is known that would. */
export function toCostAdvice(
  { dimensions, measures, limit }: Shelves,
  { tookMs, shownCount, rowCount }: { tookMs: number; shownCount: number; rowCount: number | null },
): string | null {
  if (tookMs < FELT_MS) return null;
  const distinct = measures.find(({ op }) => op === "countDistinct");
  if (distinct) {
    return `Different values of ${distinct.field ?? "a column"} are counted anew at each click. A count of rows, or a query that has one row for each, is quicker.`;
  }
  const median = measures.find(({ op }) => op === "median");
  if (median) return `The median of ${median.field ?? "a column"} is found anew at each click. An average is quicker.`;
  if (dimensions.length + measures.length === 0 && shownCount > GROUPS_MANY)
    return `${formatCount(shownCount)} rows are sent as they are. Show fewer by “At most”.`;
  if (shownCount > GROUPS_MANY && (limit ?? GROUPS_MANY + 1) > GROUPS_MANY)
    return `It makes ${formatCount(shownCount)} groups. A coarser time, or “At most”, makes fewer.`;
  if (rowCount !== null && rowCount > ROWS_MANY)
    return `It looks through ${formatCount(rowCount)} rows. A query that adds them up by day, or by what is shown here, leaves fewer.`;
  return null;
}
