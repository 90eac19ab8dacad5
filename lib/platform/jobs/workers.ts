import "server-only";
import { collections } from "./collections";

type Seen = { beats: number; at: number };

/**
 * Tracks which processes are alive. Each one increments a counter in its document. A worker is dead when its counter
 * has not changed for the length of a lease, by the observer's monotonic clock. The system time therefore does not
 * affect leases.
 */
export class Workers {
  readonly #id: string;
  readonly #leaseMs: number;
  #seen = new Map<string, Seen>();
  #strangers = new Set<string>();

  constructor(id: string, leaseMs: number) {
    this.#id = id;
    this.#leaseMs = leaseMs;
  }

  async beat(): Promise<void> {
    await collections.jobWorkers().updateOne({ _id: this.#id }, { $inc: { beats: 1 } }, { upsert: true });
  }

  async leave(): Promise<void> {
    await collections.jobWorkers().deleteOne({ _id: this.#id });
  }

  /**
   * Checks the other workers.
   * @param holders returns the workers that hold leases now
   * @returns the workers whose leases have lapsed: dead ones and unknown ones
   */
  async lapsed(holders: () => Promise<string[]>): Promise<string[]> {
    const docs = await collections.jobWorkers().find().toArray();
    const now = performance.now();
    const seen = new Map<string, Seen>();
    const dead: string[] = [];
    for (const { _id, beats } of docs) {
      const before = this.#seen.get(_id);
      const since = before?.beats === beats ? before.at : now;
      if (_id === this.#id || now - since <= this.#leaseMs) seen.set(_id, { beats, at: since });
      else if (await this.#remove(_id, beats)) dead.push(_id);
    }
    this.#seen = seen;
    return [...dead, ...(await this.#unknown(holders, new Set([...seen.keys(), ...dead, this.#id])))];
  }

  /** Forgets all observations. While the store is unreachable, no worker can send heartbeats. */
  forget(): void {
    this.#seen.clear();
    this.#strangers.clear();
  }

  /** Only one of two observers removes the worker. If its counter has just changed, it is alive. */
  async #remove(_id: string, beats: number): Promise<boolean> {
    return (await collections.jobWorkers().deleteOne({ _id, beats })).deletedCount === 1;
  }

  /** Returns holders without a document that were seen twice: the document of a new worker may be missing once. */
  async #unknown(holders: () => Promise<string[]>, known: ReadonlySet<string>): Promise<string[]> {
    const strangers = (await holders()).filter((id) => !known.has(id));
    const before = this.#strangers;
    this.#strangers = new Set(strangers);
    return strangers.filter((id) => before.has(id));
  }
}
