import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { sharedState } from "@/lib/platform/process/shared-state";

/**
 * A server begins 222 sends a second at the most, of 200 that are promised (F13). Each costs its thread 1.3 to 1.6 ms, so
 * two thirds of it are left to everybody else.
 */
const GAP_MS = 4.5;
/** What one send more may be late for reasons of timers; beyond it the thread, or the machine, has too much to do. */
const PUNCTUAL_MS = 5;
/** The longest that a gap becomes by lateness: 50 a second go out however busy the server is. */
const GAP_MAX_MS = 20;
/** How much of the average one more lateness is. */
const WEIGHT = 0.1;

type Pace = { nextAt: number; lateMs: number };
/** Turns that were given: `gapMs` lies between one send and the next, `giveBack` returns those that were not needed. */
type Turns = { gapMs: number; giveBack: (unused: number) => void };

/**
 * Waits until so many sends may begin, first come, first served, the slower the later this server does what it is to do. A
 * backlog would else go out as fast as the one thread can, and whatever else it serves would wait behind a hundred sends
 * and as many answers.
 * @param sends that are taken together; the first may begin at once, each other one a gap after the one before it
 */
export async function takePace(sends: number): Promise<Turns> {
  const pace = sharedState("pace-of-sends", (): Pace => ({ nextAt: 0, lateMs: 0 }));
  const now = performance.now();
  // What came late is made up for within the time that is no lateness, so that no burst follows.
  const at = Math.max(pace.nextAt, now - PUNCTUAL_MS);
  const gapMs = Math.min(GAP_MAX_MS, GAP_MS + Math.max(0, pace.lateMs - PUNCTUAL_MS));
  pace.nextAt = at + sends * gapMs;
  if (at > now) {
    await sleep(at - now);
    pace.lateMs += (performance.now() - at - pace.lateMs) * WEIGHT;
  }
  return {
    gapMs,
    giveBack: (unused) => {
      pace.nextAt -= unused * gapMs;
    },
  };
}
