import type { Document, ObjectId } from "mongodb";
import type { Index } from "@/lib/platform/db/collection";

/**
 * State of durable work: a sub-document of the document that the work is about. All times are the store's. Without
 * `dueAt` there is nothing to do.
 */
export type Work = {
  /** End of the claim's lease. Without a claim, the time at which a sweep takes the work up. */
  dueAt?: Date;
  /** Present while a server works. The token is new at each start, so that a former holder can no longer write. */
  claim?: { token: ObjectId; at: Date };
  /** Number of starts. */
  starts: number;
  /** Number of claims that lapsed: their server died, or lost the store for a whole lease. */
  lapses: number;
  /** Number of lapses since the last progress. */
  fruitlessLapses: number;
  /** Number of times that a sweep took the work up. */
  wakes: number;
  /** Number of failures in a row. */
  failures?: number;
  /** Time of a cancel request, which the holder reads within a second. */
  cancelAt?: Date;
};

export type WithWork = { _id: ObjectId; workspaceId: ObjectId; work?: Work };

/** Returns the index that a collection with durable work needs. */
export function workIndex(serves: string): Index {
  return { key: { "work.dueAt": 1 }, sparse: true, serves };
}

const COUNTERS = { starts: 0, lapses: 0, fruitlessLapses: 0, wakes: 0 };

/** Returns new work that a sweep takes up at this time of the store's clock. */
export function newWork(dueAt: Date): Work {
  return { ...COUNTERS, dueAt };
}

/** Returns new work as a pipeline expression: a sweep takes it up if no one has claimed it by then. */
export function waitingWork(afterMs: number): Document {
  return { ...COUNTERS, dueAt: inMs(afterMs) };
}

/** Returns new work, as a pipeline expression, of the server that creates its document. */
export function claimedWork(token: ObjectId, leaseMs: number): Document {
  return { ...COUNTERS, starts: 1, claim: { token, at: "$$NOW" }, dueAt: inMs(leaseMs) };
}

/** Returns a time of the store's clock, as a pipeline expression. */
export function inMs(ms: number): Document {
  return { $add: ["$$NOW", ms] };
}
