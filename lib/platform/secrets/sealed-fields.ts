import "server-only";
import type { Collection, Document, ObjectId } from "mongodb";
import { sharedState } from "@/lib/platform/process/shared-state";
import { isSealed, type SealContext } from "./seal";

/** A stored document with sealed fields. */
export type SealedDocument = Document & { _id: ObjectId };

/** Where a domain keeps sealed values, so that a change of keys reaches them. */
export type SealedFields<T extends SealedDocument = SealedDocument> = {
  /** For the counts that people see; one a collection. */
  name: string;
  collection: () => Collection<T>;
  /**
   * Dotted paths in this document that may hold a sealed value; others, and absent ones, are passed over. No name in a
   * path may itself contain a dot.
   */
  paths: (doc: T) => readonly string[];
  /** The context that the domain seals a path with; usually `contextOf`. */
  context: (doc: T, path: string) => SealContext;
};

/** The context of a field of a workspace's document. Seal and open with it, and register it. */
export function contextOf(doc: { _id: ObjectId; workspaceId: ObjectId }, path: string): SealContext {
  return { workspaceId: doc.workspaceId.toHexString(), recordId: doc._id.toHexString(), field: path };
}

/**
 * The paths of all sealed values inside a value, found by their form.
 * @param path of the value itself
 */
export function sealedPathsIn(value: unknown, path: string): string[] {
  if (isSealed(value)) return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !name.includes("."))
    .flatMap(([name, inner]) => sealedPathsIn(inner, `${path}.${name}`));
}

/** Called once by each domain that seals; registering a name again replaces it. */
export function registerSealedFields<T extends SealedDocument>(fields: SealedFields<T>): void {
  // Paths and context only ever get documents of their own collection.
  registry().set(fields.name, fields as unknown as SealedFields);
}

export function registeredSealedFields(): readonly SealedFields[] {
  return [...registry().values()];
}

function registry(): Map<string, SealedFields> {
  return sharedState("secrets.sealed-fields", () => new Map());
}
