import "server-only";
import type { Collection, Document, IndexDescription } from "mongodb";
import { database } from "./client";

export const DAY_SECONDS = 24 * 60 * 60;

/** An index, with the query or the rule that it serves. */
export type Index = IndexDescription & { serves: string };

export type CollectionFacts = {
  /** Its documents carry a workspaceId and go when the workspace goes. */
  isOfWorkspace: boolean;
  indexes: Index[];
};

export type CollectionDeclaration = CollectionFacts & { collectionName: string };

/** Opens the collection in the database in use. */
export type CollectionAccessor<T extends Document> = (() => Collection<T>) & CollectionDeclaration;

/**
 * Declares a collection: its name, written nowhere else, its documents and its indexes. Each domain declares its own in
 * `collections.ts`, which nobody but the domain and lib/features/instance imports.
 */
export function declareCollection<T extends Document = Document>(
  collectionName: string,
  facts: CollectionFacts,
): CollectionAccessor<T> {
  return Object.assign(() => database().collection<T>(collectionName), { collectionName, ...facts });
}
