export type CaseShare<T> = { tags: string[]; cases: T[] };

/**
 * Splits a long list of cases: every run takes one of `every`, evenly distributed, and `npm run test:long` the rest.
 * @param every 4 selects a quarter for every run
 */
export function splitCases<T>(cases: readonly T[], every: number): CaseShare<T>[] {
  return [
    { tags: [], cases: cases.filter((_, index) => index % every === 0) },
    { tags: ["long"], cases: cases.filter((_, index) => index % every !== 0) },
  ];
}
