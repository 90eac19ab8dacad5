import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { serverMember } from "@/lib/platform/process/server-context";

/**
 * Minimum gap between sends, in ms: a server starts at most 222 sends a second, and guarantees 200 (F13). Each takes
 * 1.3 to 1.6 ms of its thread, so two thirds remain for other work.
 */
const GAP_MS = 4.5;
/** Lateness that timers alone explain, in ms; beyond it the thread or the machine is overloaded. */
const PUNCTUAL_MS = 5;
/** Maximum gap, in ms: at least 50 sends a second start, however busy the server is. */
const GAP_MAX_MS = 20;
/** Weight of one more lateness in the average. */
const WEIGHT = 0.1;

export type Pace = { nextAt: number; lateMs: number };
/** Granted starts: `gapMs` is the gap between two sends, `giveBack` returns unused ones. */
type Turns = { gapMs: number; giveBack: (unused: number) => void };

const sendPace = serverMember("sendPace", () => ({ nextAt: 0, lateMs: 0 }));

/**
 * Waits until these sends may start, in order of request. The gap grows with the lateness of this server. Without it, a
 * backlog would go out as fast as the one thread can send, and other work would wait behind a hundred sends and their
 * responses.
 * @param sends number of sends that are claimed together; the first may start immediately, each further one a gap after
 *   the one before
 */
export async function takePace(sends: number): Promise<Turns> {
  const pace = sendPace();
  const now = performance.now();
  // Lateness is made up for only within the punctual range, so that no burst follows.
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
