import "server-only";
import { collections } from "./collections";

type Seen = { beats: number; at: number };

/**
 * Which processes work. Each counts up in a document of its own; one whose count has stood still for the length of a
 * lease, by the observer's clock that nobody sets, is dead. So no time of day decides who holds what.
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
   * Looks at the others.
   * @param holders who holds leases now
   * @returns whose leases have lapsed: of those that died, and of those that nobody knows
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

  /** What the store could not be asked about counts as not seen: while it is away nobody can beat. */
  forget(): void {
    this.#seen.clear();
    this.#strangers.clear();
  }

  /** Of two observers one removes it. It may have counted on just now: then it lives. */
  async #remove(_id: string, beats: number): Promise<boolean> {
    return (await collections.jobWorkers().deleteOne({ _id, beats })).deletedCount === 1;
  }

  /** Holders without a document, seen twice: one that has just come may be missing once. */
  async #unknown(holders: () => Promise<string[]>, known: ReadonlySet<string>): Promise<string[]> {
    const strangers = (await holders()).filter((id) => !known.has(id));
    const before = this.#strangers;
    this.#strangers = new Set(strangers);
    return strangers.filter((id) => before.has(id));
  }
}
