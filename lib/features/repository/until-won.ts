import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@/lib/platform/http/errors";

/** More lost races mean far more servers than one branch is designed for. */
const ATTEMPTS_MAX = 200;
/** Maximum pause between two attempts; it is random, so that losers do not collide again. */
const PAUSE_MAX_MS = 20;

/**
 * Repeats work that ends in a compare-and-set until it wins.
 * @param attempt returns null if it lost the race
 * @throws AppError unavailable if it never wins
 */
export async function untilWon<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let lost = 0; lost < ATTEMPTS_MAX; lost++) {
    if (lost > 0) await sleep(Math.random() * Math.min(PAUSE_MAX_MS, 2 ** lost));
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new AppError("unavailable", "Too many saves at once. Try again in a moment.", { retryAfterSeconds: 1 });
}
