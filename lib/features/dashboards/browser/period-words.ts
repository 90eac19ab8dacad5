import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";

/* Grain and comparison of a page in its address and on its buttons, in menu order. */

export const GRAIN_WORDS: Readonly<Record<Grain, string>> = { day: "Day", week: "Week", month: "Month", quarter: "Quarter", year: "Year" }; // biome-ignore format: one look
export const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  previous: "Previous period",
  year: "Same period last year",
};

export type Period = { grain?: Grain | undefined; compare?: Comparison | undefined };

/** Reads grain and comparison from the address; unknown values count as absent. */
export function readPeriod(query: { get(name: string): string | null }): Period {
  const [grain, compare] = [query.get("grain"), query.get("compare")];
  return {
    ...(isOne(GRAIN_WORDS, grain) && { grain }),
    ...(isOne(COMPARISON_WORDS, compare) && { compare }),
  };
}

function isOne<T extends string>(words: Readonly<Record<T, string>>, name: string | null): name is T {
  return name !== null && Object.hasOwn(words, name);
}
