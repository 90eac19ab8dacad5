import "server-only";
import ipaddr from "ipaddr.js";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterMongo,
  type RateLimiterRes,
} from "rate-limiter-flexible";
import { database, mongoClient } from "@/lib/platform/db/client";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";

/** Limits (docs/develop/api.md, Settings; T3, T4). Counted in the database, so that all servers share them. */
export const RATE_LIMITS = {
  register: { points: 30, windowSeconds: 60 * 60 },
  loginAccount: { points: 10, windowSeconds: 15 * 60 },
  loginAddress: { points: 100, windowSeconds: 15 * 60 },
  // Per address: each client of a person registers once.
  oauthRegister: { points: 30, windowSeconds: 60 * 60 },
  // Per address: a client renews its token every 15 minutes.
  oauthToken: { points: 300, windowSeconds: 60 },
  // Per person: a consent keeps the client's registration for 90 days, of which an instance stores 10,000.
  oauthConsent: { points: 50, windowSeconds: 24 * 60 * 60 },
  // Per app: used refresh tokens are stored for a week.
  oauthRefresh: { points: 60, windowSeconds: 60 * 60 },
  passwordForgot: { points: 10, windowSeconds: 60 * 60 },
  passwordMails: { points: 5, windowSeconds: 60 * 60 },
  passwordChange: { points: 10, windowSeconds: 15 * 60 },
  notificationTests: { points: 10, windowSeconds: 60 * 60 },
  shareUnlock: { points: 10, windowSeconds: 15 * 60 },
  // Per address, for all shares: each attempt is hashed.
  shareUnlockAddress: { points: 100, windowSeconds: 15 * 60 },
  // Per address and server: a thousand people behind it who open a page and click once.
  shareVisit: { points: 6000, windowSeconds: 60 },
  flowTrigger: { points: 60, windowSeconds: 60 },
  chatTurn: { points: 20, windowSeconds: 60 },
  // Per key: a fetch takes three to five requests.
  gitRequest: { points: 600, windowSeconds: 60 },
  // Per address: unknown or expired keys.
  gitBadKey: { points: 60, windowSeconds: 60 },
} as const;
export type RateLimit = keyof typeof RATE_LIMITS;

/** Shared counter of all requests without a known address, instead of no limit. */
const UNKNOWN_ADDRESS = "unknown";
/** Smallest network that a provider assigns to a customer, who can change addresses freely within it. */
const IPV6_CUSTOMER_BITS = 64;
/** Maximum length: longer than any address with a zone and a port. */
const ADDRESS_CHARS_MAX = 100;

/**
 * Returns the subject of a limit by address: an IPv4 address, or the network of an IPv6 one. A port, which some proxies
 * add, is left out.
 * @param address as `remoteAddress` returns it
 */
export function addressSubject(address: string | null): string {
  if (!address || address.length > ADDRESS_CHARS_MAX) return UNKNOWN_ADDRESS;
  const bare = address.replace(/^\[([^\]]*)\](?::\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1");
  if (!ipaddr.isValid(bare)) return UNKNOWN_ADDRESS;
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(
    `${parsed.toNormalizedString().split("%")[0]}/${IPV6_CUSTOMER_BITS}`,
  );
  return `${network.toString()}/${IPV6_CUSTOMER_BITS}`;
}

/**
 * Consumes one point of the subject's budget.
 * @throws AppError `rate_limited` with the seconds until the window ends
 */
export function consume(limit: RateLimit, subject: string): Promise<void> {
  return take(limiter(limit), subject);
}

const localLimiters = serverMember("localRateLimiters", () => new Map());

/**
 * Consumes points of a limit that this server counts alone: for frequent requests, whose write to the database would
 * cost more than the answer.
 * @throws AppError as `consume`
 */
export function consumeHere(limit: RateLimit, subject: string): Promise<void> {
  const limiters = localLimiters();
  const { windowSeconds } = RATE_LIMITS[limit];
  const own = limiters.get(limit) ?? new RateLimiterMemory({ points: pointsOf(limit), duration: windowSeconds });
  limiters.set(limit, own);
  return take(own, subject);
}

async function take(own: RateLimiterAbstract, subject: string): Promise<void> {
  try {
    await own.consume(subject);
  } catch (outcome) {
    if (!isOverLimit(outcome)) throw outcome;
    throw new AppError("rate_limited", "Too many attempts. Try again later.", {
      retryAfterSeconds: Math.max(1, Math.ceil(outcome.msBeforeNext / 1000)),
    });
  }
}

/** Checks the shape: another bundle's copy of the library may have created the limiter. */
function isOverLimit(outcome: unknown): outcome is RateLimiterRes {
  return typeof outcome === "object" && outcome !== null && "msBeforeNext" in outcome;
}

/** Returns one point: the attempt does not count. */
export async function giveBack(limit: RateLimit, subject: string): Promise<void> {
  await limiter(limit).reward(subject);
}

/** Limiters by client: closing one releases its limiters. */
const limitersByClient = serverMember("rateLimiters", () => new WeakMap());

function limiter(name: RateLimit): RateLimiterMongo {
  const client = mongoClient();
  const limiters = limitersByClient().get(client) ?? new Map<string, RateLimiterMongo>();
  limitersByClient().set(client, limiters);
  const id = `${database().databaseName}:${name}`;
  const existing = limiters.get(id);
  if (existing) return existing;
  const { windowSeconds } = RATE_LIMITS[name];
  const created = new RateLimiterMongo({
    storeClient: client,
    dbName: database().databaseName,
    tableName: collections.rateLimits.collectionName,
    keyPrefix: name,
    points: pointsOf(name),
    duration: windowSeconds,
    // lib/platform/db/indexes.ts creates them.
    disableIndexesCreation: true,
  });
  limiters.set(id, created);
  return created;
}

function pointsOf(name: RateLimit): number {
  return Math.max(1, Math.round(RATE_LIMITS[name].points * env().RATE_LIMIT_SCALE));
}
