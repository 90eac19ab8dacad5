import "server-only";
import type { Document, Filter } from "mongodb";
import { collections } from "./collections";
import type { DeliveryDoc } from "./model";

/** One command; what is more waits for the next. */
const GROUP_MAX = 200;

type Mark = { filter: Filter<DeliveryDoc>; change: Document[]; done: PromiseWithResolvers<void> };

const waiting: Mark[] = [];
let isWriting = false;

/**
 * Records what has become of a send. Resolves when it is in the store: at once when nothing else is being recorded, else
 * together with all that ends meanwhile, in one command.
 * @throws Error of the store: then nothing is known of whether it was recorded
 */
export function mark(filter: Filter<DeliveryDoc>, change: Document[]): Promise<void> {
  const done = Promise.withResolvers<void>();
  waiting.push({ filter, change, done });
  if (!isWriting) void writeAll();
  return done.promise;
}

async function writeAll(): Promise<void> {
  isWriting = true;
  // Sends that end in the same turn are one group from the beginning.
  await Promise.resolve();
  while (waiting.length > 0) {
    const group = waiting.splice(0, GROUP_MAX);
    try {
      await collections.deliveries().bulkWrite(
        group.map(({ filter, change }) => ({ updateOne: { filter, update: change } })),
        // One that fails keeps none of the others back.
        { ordered: false },
      );
      for (const { done } of group) done.resolve();
    } catch (error) {
      for (const { done } of group) done.reject(error);
    }
  }
  isWriting = false;
}
