import "server-only";
import type { Collection, Filter, UpdateFilter } from "mongodb";
import type { QueueFields } from "./model";

/** A collection as a queue that several processes share. Each change is one update of one document. */
export class Queue<T extends QueueFields> {
  readonly #collection: () => Collection<T>;

  constructor(collection: () => Collection<T>) {
    this.#collection = collection;
  }

  /** Leases the job that has been ready longest. @returns null when none is ready */
  async claim(worker: string, filter: Filter<T>): Promise<T | null> {
    const found = await this.#collection().findOneAndUpdate(
      { ...filter, state: "ready" } as Filter<T>,
      { $set: { state: "leased", leaseBy: worker } } as unknown as UpdateFilter<T>,
      { sort: { at: 1 }, returnDocument: "after" },
    );
    return found as T | null;
  }

  /** Makes due jobs ready. @returns their number */
  async promote(now: Date): Promise<number> {
    const { modifiedCount } = await this.#collection().updateMany(
      { state: "waiting", at: { $lte: now } } as Filter<T>,
      { $set: { state: "ready" } } as unknown as UpdateFilter<T>,
    );
    return modifiedCount;
  }

  /** Returns when the next job is due; null when none waits. */
  async nextDue(): Promise<Date | null> {
    const found = await this.#collection()
      .find({ state: "waiting" } as Filter<T>, { projection: { at: 1 } })
      .sort({ at: 1 })
      .limit(1)
      .next();
    return found?.at ?? null;
  }

  /** Returns the workers that hold a lease. */
  async holders(): Promise<string[]> {
    return this.#collection().distinct("leaseBy", { state: "leased" } as Filter<T>) as Promise<string[]>;
  }

  /**
   * Makes a worker's jobs ready again. @param reason why the worker releases them; `stop` does not count as an attempt
   */
  async giveBack(worker: string, reason: "stop" | "failure" | "death", ids?: readonly string[]): Promise<number> {
    const counted = { lapses: reason === "stop" ? 0 : 1, deaths: reason === "death" ? 1 : 0 };
    const { modifiedCount } = await this.#collection().updateMany(
      { leaseBy: worker, state: "leased", ...(ids && { _id: { $in: ids } }) } as unknown as Filter<T>,
      { $set: { state: "ready", leaseBy: null }, $inc: counted } as unknown as UpdateFilter<T>,
    );
    return modifiedCount;
  }

  /** Returns the ids of the jobs that a worker holds according to the store. */
  async leasesOf(worker: string): Promise<string[]> {
    const found = await this.#collection()
      .find({ state: "leased", leaseBy: worker } as Filter<T>, { projection: { _id: 1 } })
      .toArray();
    return found.map((each) => each._id as unknown as string);
  }
}
