import { COMPARISONS, type Comparison, GRAINS, type Grain } from "@/lib/features/results/crossfilter/words";

/* Grain and comparison of a page in its address and on its buttons. */

export const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  previous: "Previous period",
  year: "Same period last year",
};

export type Period = { grain?: Grain | undefined; compare?: Comparison | undefined };

/** Reads grain and comparison from the address; unknown values count as absent. */
export function readPeriod(query: { get(name: string): string | null }): Period {
  const grain = GRAINS.find((each) => each === query.get("grain"));
  const compare = COMPARISONS.find((each) => each === query.get("compare"));
  return { ...(grain && { grain }), ...(compare && { compare }) };
}
