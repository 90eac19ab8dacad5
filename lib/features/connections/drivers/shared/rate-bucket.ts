import { sharedState } from "@/lib/platform/process/shared-state";

const MINUTE_MS = 60_000;
/** Connections whose last request this server remembers; the longest unused one is forgotten. */
const KEPT_MAX = 1000;

/**
 * The requests of a connection within a minute, spread evenly, so that no minute has more of them however it is cut. All
 * readers of one server share it; servers do not, and a source that is asked too often answers 429, which is obeyed.
 */
export class RateBucket {
  readonly #key: string;
  readonly #intervalMs: number;

  constructor(key: string, perMinute: number) {
    this.#key = key;
    this.#intervalMs = MINUTE_MS / perMinute;
  }

  /** Takes the next place. @returns how long to wait for it, in milliseconds */
  reserve(now = performance.now()): number {
    const nextFree = sharedState("source-rates", () => new Map<string, number>());
    const at = Math.max(now, nextFree.get(this.#key) ?? 0);
    nextFree.delete(this.#key);
    nextFree.set(this.#key, at + this.#intervalMs);
    const oldest = nextFree.keys().next().value;
    if (nextFree.size > KEPT_MAX && oldest !== undefined) nextFree.delete(oldest);
    return at - now;
  }
}
