import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Document, Filter } from "mongodb";
import { collections } from "./collections";
import type { DeliveryDoc } from "./model";

/** Maximum number of results in one command; the rest wait for the next. */
const GROUP_MAX = 200;
/**
 * Interval in which results are recorded together, in ms. A server that dies before leaves the deliveries in flight.
 */
const GATHER_MS = 25;

type Mark = { filter: Filter<DeliveryDoc>; change: Document[]; done: PromiseWithResolvers<void> };

const waiting: Mark[] = [];
let isWriting = false;

/**
 * Records the result of a send, in one command with all that end at the same time or while the group before is being
 * recorded. Resolves when it is in the store.
 * @throws Error of the store: it is then unknown whether the result was recorded
 */
export function mark(filter: Filter<DeliveryDoc>, change: Document[]): Promise<void> {
  const done = Promise.withResolvers<void>();
  waiting.push({ filter, change, done });
  if (!isWriting) void writeAll();
  return done.promise;
}

async function writeAll(): Promise<void> {
  isWriting = true;
  await sleep(GATHER_MS);
  while (waiting.length > 0) {
    const group = waiting.splice(0, GROUP_MAX);
    try {
      await collections.deliveries().bulkWrite(
        group.map(({ filter, change }) => ({ updateOne: { filter, update: change } })),
        // One failed update does not hold up the others.
        { ordered: false },
      );
      for (const { done } of group) done.resolve();
    } catch (error) {
      for (const { done } of group) done.reject(error);
    }
  }
  isWriting = false;
}
