import "server-only";
import { database } from "@/lib/platform/db/client";

/**
 * The store's time, by which all servers decide what is due. Between two looks it goes on by a clock that nobody sets,
 * so a server whose own time is wrong, or jumps, neither hurries nor stops.
 */
export class StoreClock {
  #offsetMs = Date.now() - performance.now();

  /** Asks the store for its time. Half of the way there and back is added, as usual. */
  async sync(): Promise<void> {
    const askedAt = performance.now();
    const { localTime } = await database().command({ hello: 1 });
    const answeredAt = performance.now();
    if (localTime instanceof Date) this.#offsetMs = localTime.getTime() - (askedAt + answeredAt) / 2;
  }

  now(): Date {
    return new Date(this.ms());
  }

  ms(): number {
    return Math.round(performance.now() + this.#offsetMs);
  }
}
