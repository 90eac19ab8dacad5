import "server-only";
import { type Collection, type Document, type Filter, ObjectId, type WithId } from "mongodb";
import { type Claim, heartbeat } from "./heartbeat";
import { BACKOFF_MAX_MS, BACKOFF_MS, FRUITLESS_LAPSES_MAX, LEASE_MS, WAKE_AGAIN_MS } from "./limits";
import { claimedWork, inMs, type WithWork, type Work } from "./model";

const SWEPT_AT_ONCE = 500;
const HAS_CLAIM = { $ne: [{ $type: "$work.claim" }, "missing"] };
const HAS_LAPSED = { $lt: ["$work.dueAt", "$$NOW"] };
const IS_FREE = { $or: [{ $not: [HAS_CLAIM] }, HAS_LAPSED] };

/** Stages that end the work: no claim, and nothing is due. */
export const NOTHING_DUE: Document = { $unset: ["work.claim", "work.dueAt", "work.cancelAt"] };

/** Stage that resets the pause after failures. */
export const SUCCEEDED: Document = { $unset: "work.failures" };

type ClaimOptions = {
  /** Stages of the same update: before the claim, when a lapsed one is still there, and after it. */
  before?: Document[];
  stages?: Document[];
  /** Expression: take the work over even from a live holder. */
  evenIf?: Document;
};

/**
 * The durable work of a collection's documents: claims, fenced writes and sweeps. Each change is one update of one
 * document, by the store's clock. A holder's writes take effect only while its claim holds.
 */
export class DurableWork<T extends WithWork> {
  readonly #collection: () => Collection<T>;

  constructor(collection: () => Collection<T>) {
    this.#collection = collection;
  }

  /** Matches documents that may be claimed: no server holds them, or the holder's lease has lapsed. */
  static readonly FREE = { $expr: IS_FREE };

  /**
   * Claims a document's work and starts its heartbeats. Concurrent callers get one claim.
   * @param filter without `$expr`
   * @returns null if the document is missing or another server holds it
   */
  async claim(
    filter: Filter<T>,
    { before = [], stages = [], evenIf }: ClaimOptions = {},
  ): Promise<{ doc: WithId<T>; claim: Claim } | null> {
    const token = new ObjectId();
    const doc = await this.#collection().findOneAndUpdate(
      { ...filter, $expr: evenIf ? { $or: [IS_FREE, evenIf] } : IS_FREE } as Filter<T>,
      [...before, ...claimStages(token), ...stages],
      { returnDocument: "after" },
    );
    return doc && { doc, claim: this.hold(doc, token) };
  }

  /** Inserts a document whose work this server does itself. */
  async insertClaimed(given: T): Promise<{ doc: WithId<T>; claim: Claim }> {
    const token = new ObjectId();
    const doc = await this.#collection().findOneAndUpdate(
      { _id: given._id, workspaceId: given.workspaceId } as Filter<T>,
      [{ $replaceWith: { $mergeObjects: [{ $literal: given }, { work: claimedWork(token, LEASE_MS) }] } }],
      { upsert: true, returnDocument: "after" },
    );
    if (!doc) throw new Error("The store did not return the document.");
    return { doc, claim: this.hold(doc, token) };
  }

  /** Starts the heartbeats of a document that was claimed with `claimStages`. */
  hold(doc: WithWork, token: ObjectId): Claim {
    return heartbeat().hold(this.#collection as unknown as () => Collection<WithWork>, doc, token);
  }

  /**
   * Writes as the holder, and renews the lease.
   * @returns null if the claim is lost; its signal then aborts
   */
  async update(claim: Claim, stages: Document[]): Promise<WithId<T> | null> {
    const doc = await this.#write(claim, [...stages, { $set: { "work.dueAt": inMs(LEASE_MS) } }]);
    if (!doc) {
      claim.stop("lost");
      claim.drop();
    }
    return doc;
  }

  /** Ends the work. @returns null if the claim was lost before */
  async finish(claim: Claim, stages: Document[] = [], and: Filter<T> = {}): Promise<WithId<T> | null> {
    const doc = await this.#write(claim, [...stages, NOTHING_DUE], and);
    if (doc) claim.drop();
    return doc;
  }

  /**
   * Gives the work back without an end. A sweep takes it up after `afterMs`, if no server has claimed it by then.
   * @returns null if the claim was lost before, or `and` does not hold: then the work is still held
   */
  async release(
    claim: Claim,
    afterMs: number,
    stages: Document[] = [],
    and: Filter<T> = {},
  ): Promise<WithId<T> | null> {
    const doc = await this.#write(claim, [...stages, ...releaseStages(afterMs)], and);
    if (doc) claim.drop();
    return doc;
  }

  /**
   * Gives the work back after a failure. The pause before a sweep takes it up doubles with each failure in a row;
   * `SUCCEEDED` resets it.
   */
  async fail(claim: Claim, stages: Document[] = []): Promise<void> {
    const failures = { $add: [{ $ifNull: ["$work.failures", 0] }, 1] };
    const doc = await this.update(claim, [...stages, { $set: { "work.failures": failures } }]);
    if (doc) await this.release(claim, backoffMs(doc.work?.failures ?? 1));
  }

  /** Asks the holder to stop. Work without a holder is due at once, for the sweep to end it. */
  async cancel(filter: Filter<T>, stages: Document[] = []): Promise<WithId<T> | null> {
    const cancelAt = { $ifNull: ["$work.cancelAt", "$$NOW"] };
    const dueAt = { $cond: [HAS_CLAIM, "$work.dueAt", "$$NOW"] };
    return this.#collection().findOneAndUpdate(
      filter,
      [...stages, { $set: { "work.cancelAt": cancelAt, "work.dueAt": dueAt } }],
      { returnDocument: "after" },
    );
  }

  /**
   * Takes up work that is due: its server has died, or no server has started it. Several servers may do so at once, so
   * the handler must be safe to repeat.
   * @param handle wakes an executor, or ends the work. If it throws, the work stays due.
   * @param stages further stages of the update that ends a lapsed claim
   * @returns the number of documents
   */
  async sweep(handle: (docs: WithId<T>[]) => Promise<void>, stages: Document[] = []): Promise<number> {
    const isDue = { "work.dueAt": { $exists: true }, $expr: HAS_LAPSED } as Filter<T>;
    let count = 0;
    for (;;) {
      const docs = await this.#collection().find(isDue).sort({ "work.dueAt": 1 }).limit(SWEPT_AT_ONCE).toArray();
      if (docs.length === 0) return count;
      await handle(docs);
      await this.#collection().updateMany({ ...isDue, ...keysOf(docs as unknown as WithWork[]) } as Filter<T>, [
        ...stages,
        {
          $set: {
            ...countLapse(),
            "work.wakes": { $add: [{ $ifNull: ["$work.wakes", 0] }, 1] },
            "work.dueAt": inMs(WAKE_AGAIN_MS),
          },
        },
        { $unset: "work.claim" },
      ]);
      count += docs.length;
    }
  }

  async #write(claim: Claim, stages: Document[], and: Filter<T> = {}): Promise<WithId<T> | null> {
    return this.#collection().findOneAndUpdate({ ...and, ...claim.held } as Filter<T>, stages, {
      returnDocument: "after",
    });
  }
}

function keysOf(docs: readonly WithWork[]) {
  return { _id: { $in: docs.map(({ _id }) => _id) }, workspaceId: { $in: docs.map(({ workspaceId }) => workspaceId) } };
}

/** Returns the stages that claim a free document. */
export function claimStages(token: ObjectId): Document[] {
  return [
    {
      $set: {
        ...countLapse(),
        "work.starts": { $add: [{ $ifNull: ["$work.starts", 0] }, 1] },
        "work.wakes": { $ifNull: ["$work.wakes", 0] },
        "work.claim": { token, at: "$$NOW" },
        "work.dueAt": inMs(LEASE_MS),
      },
    },
  ];
}

/** Returns the stages that give work back. */
export function releaseStages(afterMs: number): Document[] {
  return [{ $set: { "work.dueAt": inMs(afterMs) } }, { $unset: "work.claim" }];
}

/** Returns the stage that resets the fruitless lapses if the condition holds. */
export function noteProgress(isFurther: Document): Document {
  return { $set: { "work.fruitlessLapses": { $cond: [isFurther, 0, { $ifNull: ["$work.fruitlessLapses", 0] }] } } };
}

/**
 * Returns whether a sweep must not start the work again: it has lapsed too often without progress. Counts the lapse
 * that the sweep has just found.
 */
export function isHopeless({ work }: { work?: Work }): boolean {
  return (work?.fruitlessLapses ?? 0) + (work?.claim ? 1 : 0) > FRUITLESS_LAPSES_MAX;
}

/** Returns the pause after this number of failures in a row, in ms: it doubles up to the maximum. */
export function backoffMs(failures: number, firstMs = BACKOFF_MS, maxMs = BACKOFF_MAX_MS): number {
  return Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
}

function countLapse(): Document {
  const lapse = { $cond: [HAS_CLAIM, 1, 0] };
  return {
    "work.lapses": { $add: [{ $ifNull: ["$work.lapses", 0] }, lapse] },
    "work.fruitlessLapses": { $add: [{ $ifNull: ["$work.fruitlessLapses", 0] }, lapse] },
  };
}
