import { serverMember } from "@/lib/platform/process/server-context";

const MINUTE_MS = 60_000;
/** Connections whose last request this server remembers; the least recently used is evicted. */
const KEPT_MAX = 1000;

const sourceRates = serverMember("sourceRates", () => new Map());

/**
 * A rate limit per connection that spaces requests evenly, so that any minute has at most the allowed number. All
 * readers of one server share it; servers do not, and a source that is called too often returns 429, which is obeyed.
 */
export class RateBucket {
  readonly #key: string;
  readonly #intervalMs: number;

  constructor(key: string, perMinute: number) {
    this.#key = key;
    this.#intervalMs = MINUTE_MS / perMinute;
  }

  /** Reserves the next slot. @returns the wait until then, in ms */
  reserve(now = performance.now()): number {
    const nextFree = sourceRates();
    const at = Math.max(now, nextFree.get(this.#key) ?? 0);
    nextFree.delete(this.#key);
    nextFree.set(this.#key, at + this.#intervalMs);
    const oldest = nextFree.keys().next().value;
    if (nextFree.size > KEPT_MAX && oldest !== undefined) nextFree.delete(oldest);
    return at - now;
  }
}
