import "server-only";
import type { Collection, Document, IndexDescription } from "mongodb";
import { database } from "./client";

export const DAY_SECONDS = 24 * 60 * 60;

/** An index, with the query or the rule that needs it. */
export type Index = IndexDescription & { serves: string };

export type CollectionFacts = {
  /** Its documents have a workspaceId and are deleted with the workspace. */
  isOfWorkspace: boolean;
  indexes: Index[];
};

export type CollectionDeclaration = CollectionFacts & { collectionName: string };

/** Opens the collection in the database in use. */
export type CollectionAccessor<T extends Document> = (() => Collection<T>) & CollectionDeclaration;

/**
 * Declares a collection: its name, which appears nowhere else, its documents and its indexes. Each domain declares its
 * collections in `collections.ts`, which only the domain and lib/features/instance import.
 */
export function declareCollection<T extends Document = Document>(
  collectionName: string,
  facts: CollectionFacts,
): CollectionAccessor<T> {
  return Object.assign(() => database().collection<T>(collectionName), { collectionName, ...facts });
}
