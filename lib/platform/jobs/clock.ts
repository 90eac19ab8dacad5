import "server-only";
import { database } from "@/lib/platform/db/client";

/**
 * The store's clock, by which all servers decide what is due. Between two syncs it advances with the monotonic clock,
 * so a server whose system time is wrong or jumps is neither early nor late.
 */
export class StoreClock {
  #offsetMs = Date.now() - performance.now();

  /** Reads the store's time. As usual, half of the round trip is added. */
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
