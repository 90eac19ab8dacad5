import "server-only";
import type { Collection, ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { BEAT_MS, CANCEL_LOOK_MS, LEASE_MS } from "./limits";
import { inMs, type WithWork } from "./model";

/** `lost`: another server has taken the work, or it has ended. Write nothing more. */
type StopReason = "lost" | "cancelled";

type WorkCollection = () => Collection<WithWork>;

/** A claim on a document's work. Its heartbeats end with `drop`. */
export class Claim {
  readonly #stop = new AbortController();
  #stopped: StopReason | null = null;
  readonly #drop: (claim: Claim) => void;

  constructor(
    readonly collection: WorkCollection,
    readonly key: { _id: ObjectId; workspaceId: ObjectId },
    readonly token: ObjectId,
    drop: (claim: Claim) => void,
  ) {
    this.#drop = drop;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Reason of the signal's abort. A class of errors would differ between the copies of this module in bundles. */
  get stopped(): StopReason | null {
    return this.#stopped;
  }

  /** Matches the document while this claim holds. */
  get held(): { _id: ObjectId; workspaceId: ObjectId; "work.claim.token": ObjectId } {
    return { ...this.key, "work.claim.token": this.token };
  }

  stop(reason: StopReason): void {
    this.#stopped ??= reason;
    this.#stop.abort(new Error(`The work is ${reason}.`));
  }

  /** Ends the heartbeats. The lease lapses unless the document was written, too. */
  drop(): void {
    this.#drop(this);
  }
}

/** Renews the claims of a process, all of a collection with one command, and reads their cancel requests. */
export class Heartbeat {
  readonly #claims = new Set<Claim>();
  #timers: NodeJS.Timeout[] = [];
  #isBeating = false;

  /** Starts the heartbeats of a claim that the store has granted. */
  hold(collection: WorkCollection, { _id, workspaceId }: WithWork, token: ObjectId): Claim {
    const claim = new Claim(collection, { _id, workspaceId }, token, (one) => this.#forget(one));
    this.#claims.add(claim);
    if (this.#timers.length === 0) {
      this.#timers = [
        setInterval(() => void this.beat(), BEAT_MS).unref(),
        setInterval(() => void this.lookForCancel(), CANCEL_LOOK_MS).unref(),
      ];
    }
    return claim;
  }

  /** Renews all claims. A claim survives a failure of the store until another server takes the work. */
  async beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      for (const claims of this.#byCollection()) await this.#renew(claims);
    } catch (error) {
      log.warn({ err: error, claims: this.#claims.size }, "failed to renew leases");
    } finally {
      this.#isBeating = false;
    }
  }

  /** Aborts claims whose work was cancelled. */
  async lookForCancel(): Promise<void> {
    try {
      for (const claims of this.#byCollection()) {
        const asked = await tokensOf(claims, { "work.cancelAt": { $exists: true } });
        for (const claim of claims) if (asked.has(idOf(claim))) claim.stop("cancelled");
      }
    } catch {
      // The next check, or the next heartbeat, reports it.
    }
  }

  async #renew(claims: readonly Claim[]): Promise<void> {
    const { matchedCount } = await collectionOf(claims).updateMany(heldBy(claims), [
      { $set: { "work.dueAt": inMs(LEASE_MS) } },
    ]);
    if (matchedCount === claims.length) return;
    const held = await tokensOf(claims);
    for (const claim of claims) {
      // One that has just ended is not lost.
      if (held.has(idOf(claim)) || !this.#claims.has(claim)) continue;
      claim.stop("lost");
      claim.drop();
    }
  }

  #byCollection(): Iterable<Claim[]> {
    return Map.groupBy(this.#claims, ({ collection }) => collection).values();
  }

  #forget(claim: Claim): void {
    this.#claims.delete(claim);
    if (this.#claims.size > 0) return;
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }
}

/** Returns the heartbeat of this process. */
export const heartbeat = serverMember("heartbeat", () => new Heartbeat());

function collectionOf([first]: readonly Claim[]): Collection<WithWork> {
  if (!first) throw new Error("No claim is given.");
  return first.collection();
}

function heldBy(claims: readonly Claim[]) {
  return {
    _id: { $in: claims.map(({ key }) => key._id) },
    workspaceId: { $in: claims.map(({ key }) => key.workspaceId) },
    "work.claim.token": { $in: claims.map(({ token }) => token) },
  };
}

async function tokensOf(claims: readonly Claim[], and: object = {}): Promise<Set<string>> {
  const docs = await collectionOf(claims)
    .find({ ...heldBy(claims), ...and }, { projection: { "work.claim.token": 1 } })
    .toArray();
  return new Set(docs.map(({ _id, work }) => `${_id} ${work?.claim?.token}`));
}

function idOf({ key, token }: Claim): string {
  return `${key._id} ${token}`;
}
