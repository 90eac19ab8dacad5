import "server-only";
import type { Collection, Document } from "mongodb";
import { serverMember } from "@/lib/platform/process/server-context";

/** Read-only members; any other member of a collection counts as a change of it. */
const READS: ReadonlySet<PropertyKey> = new Set<keyof Collection | "constructor">([
  "aggregate",
  "collectionName",
  "constructor",
  "countDocuments",
  "dbName",
  "distinct",
  "estimatedDocumentCount",
  "find",
  "findOne",
  "hint",
  "indexes",
  "listIndexes",
  "namespace",
  "readConcern",
  "readPreference",
  "timeoutMS",
  "writeConcern",
]);

export type Changes = { of: Map<string, number>; commits: number };

const counted = serverMember("storeChanges", (): Changes => ({ of: new Map(), commits: 0 }));

/**
 * Returns a number that changes as soon as this process starts or ends a write to one of the collections: data read
 * before is then stale. Does not cover writes of other processes.
 */
export function changesOf(collectionNames: readonly string[]): number {
  const { of, commits } = counted();
  return collectionNames.reduce((sum, name) => sum + (of.get(name) ?? 0), commits);
}

/** Returns the collection with its writes counted at their start and at their end. */
export function watched<T extends Document>(collection: Collection<T>): Collection<T> {
  const note = () => {
    const { of } = counted();
    of.set(collection.collectionName, (of.get(collection.collectionName) ?? 0) + 1);
  };
  return new Proxy(collection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || READS.has(name)) return member;
      return (...input: unknown[]) => {
        note();
        const outcome: unknown = Reflect.apply(member, target, input);
        if (outcome instanceof Promise) outcome.then(note, note);
        return outcome;
      };
    },
  });
}

/** A transaction's writes become visible to others when it ends, which is later than each of them. */
export async function withCommitCounted<T>(transaction: Promise<T>): Promise<T> {
  try {
    return await transaction;
  } finally {
    counted().commits += 1;
  }
}
