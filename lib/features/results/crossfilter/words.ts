/* Time parameters in the address of a page. */

/** Dates have no hours, so hours cannot be the grain of a whole page. */
export const GRAINS = ["year", "quarter", "month", "week", "day"] as const;
export type Grain = (typeof GRAINS)[number];
/** Comparison with the same number of days right before, or with the same days a year before. */
export const COMPARISONS = ["previous", "year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

const DAY_MS = 86_400_000;

/** Describes the basis of a comparison: "previous 4 weeks", "same period last year". */
export function toBeforeWords({ from, to }: { from: string; to: string }, compare: Comparison | undefined): string {
  if (compare === "year") return "same period last year";
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  if (days === 1) return "previous day";
  return days % 7 === 0 && days > 7 ? `previous ${days / 7} weeks` : `previous ${days} days`;
}
