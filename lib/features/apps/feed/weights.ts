/** Time after which a view counts half: views of last quarter say little about this week. */
const POPULARITY_HALF_LIFE_DAYS = 14;
/** A publish is news for about one sprint. */
const RECENCY_HALF_LIFE_DAYS = 21;

const DAY_MS = 24 * 60 * 60_000;
/** Start of a decaying count: it is kept as a sum of ever larger terms, so that counting is one addition. */
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * Weights of the ranking, which sum to 1. The caller's own habit counts most, since a home is for coming back; then
 * what others use. Jitter only reorders apps of similar rank.
 */
const WEIGHTS = {
  ownReads: 0.3,
  popularity: 0.25,
  recency: 0.2,
  coUsage: 0.12,
  quality: 0.08,
  jitter: 0.05,
} as const;

/** Signals of an app's rank, each from 0 to 1. */
export type Signals = Record<keyof typeof WEIGHTS, number>;

export function scoreOf(signals: Signals): number {
  let score = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]) score += WEIGHTS[name] * signals[name];
  return score;
}

/** Returns the amount that a view at this moment adds to an app's heat. */
export function heatOfView(at: Date): number {
  return 2 ** ((at.getTime() - EPOCH) / (POPULARITY_HALF_LIFE_DAYS * DAY_MS));
}

/** @param publishedAt in milliseconds */
export function recencyOf(publishedAt: number | null, now: Date): number {
  if (publishedAt === null) return 0;
  return 2 ** (-Math.max(0, now.getTime() - publishedAt) / (RECENCY_HALF_LIFE_DAYS * DAY_MS));
}

/** Returns a share of the maximum on a logarithmic scale: the tenth view counts less than the first. */
export function share(count: number, most: number): number {
  return most <= 0 ? 0 : Math.log1p(Math.max(0, count)) / Math.log1p(most);
}
