/** A view counts half after this long: what a team looked at last quarter says little of this week. */
const POPULARITY_HALF_LIFE_DAYS = 14;
/** A publish is news for about as long as a sprint. */
const RECENCY_HALF_LIFE_DAYS = 21;

const DAY_MS = 24 * 60 * 60_000;
/** A count that fades is kept as a sum of ever larger parts from here on, so that counting is one addition. */
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * What each part of the order is worth, of 1 in all. The caller's own habit counts most, since a home is for coming back; then what
 * the others use; jitter is just enough to change places among what is alike.
 */
const WEIGHTS = {
  ownReads: 0.3,
  popularity: 0.25,
  recency: 0.2,
  coUsage: 0.12,
  quality: 0.08,
  jitter: 0.05,
} as const;

/** What is known of an app when it gets its place; each from 0 to 1. */
export type Signals = Record<keyof typeof WEIGHTS, number>;

export function scoreOf(signals: Signals): number {
  let score = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]) score += WEIGHTS[name] * signals[name];
  return score;
}

/** What a view at this moment adds to an app's heat. */
export function heatOfView(at: Date): number {
  return 2 ** ((at.getTime() - EPOCH) / (POPULARITY_HALF_LIFE_DAYS * DAY_MS));
}

/** @param publishedAt in milliseconds */
export function recencyOf(publishedAt: number | null, now: Date): number {
  if (publishedAt === null) return 0;
  return 2 ** (-Math.max(0, now.getTime() - publishedAt) / (RECENCY_HALF_LIFE_DAYS * DAY_MS));
}

/** Much is not much more than some: the tenth view says less than the first. */
export function share(count: number, most: number): number {
  return most <= 0 ? 0 : Math.log1p(Math.max(0, count)) / Math.log1p(most);
}
