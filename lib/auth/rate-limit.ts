import "server-only";
import { RateLimiterMongo, RateLimiterRes } from "rate-limiter-flexible";
import { database, mongoClient } from "@/lib/db/client";
import { COLLECTION_NAMES } from "@/lib/db/collections";
import { env } from "@/lib/env";
import { AppError } from "@/lib/http/errors";

/** Contract, section 12; SECURITY T3, T4. Counted in the store, so that all servers share them. */
export const RATE_LIMITS = {
  register: { points: 30, windowSeconds: 60 * 60 },
  loginAccount: { points: 10, windowSeconds: 15 * 60 },
  loginAddress: { points: 100, windowSeconds: 15 * 60 },
  passwordForgot: { points: 10, windowSeconds: 60 * 60 },
  passwordChange: { points: 10, windowSeconds: 15 * 60 },
} as const;
export type RateLimit = keyof typeof RATE_LIMITS;

/**
 * Takes one point of the subject's share.
 * @throws AppError `rate_limited` with the seconds until the window ends
 */
export async function consume(limit: RateLimit, subject: string): Promise<void> {
  try {
    await limiter(limit).consume(subject);
  } catch (outcome) {
    if (!(outcome instanceof RateLimiterRes)) throw outcome;
    throw new AppError("rate_limited", "Too many tries. Wait a little, then try again.", {
      retryAfterSeconds: Math.max(1, Math.ceil(outcome.msBeforeNext / 1000)),
    });
  }
}

/** Gives one point back: the try turned out to be none of those that are counted. */
export async function giveBack(limit: RateLimit, subject: string): Promise<void> {
  await limiter(limit).reward(subject);
}

const KEY = Symbol.for("millrace.rate-limiters");
const shared = globalThis as { [KEY]?: Map<string, RateLimiterMongo> };

function limiter(name: RateLimit): RateLimiterMongo {
  shared[KEY] ??= new Map();
  const limiters = shared[KEY];
  const id = `${database().databaseName}:${name}`;
  const existing = limiters.get(id);
  if (existing) return existing;
  const { points, windowSeconds } = RATE_LIMITS[name];
  const created = new RateLimiterMongo({
    storeClient: mongoClient(),
    dbName: database().databaseName,
    tableName: COLLECTION_NAMES.rateLimits,
    keyPrefix: name,
    points: Math.max(1, Math.round(points * env().RATE_LIMIT_SCALE)),
    duration: windowSeconds,
    // lib/db/indexes.ts makes them.
    disableIndexesCreation: true,
  });
  limiters.set(id, created);
  return created;
}
