import "server-only";
import type { Collection, Document, ObjectId } from "mongodb";
import { serverMember } from "@/lib/platform/process/server-context";
import { isSealed, type SealContext } from "./seal";

/** A stored document with encrypted fields. */
export type SealedDocument = Document & { _id: ObjectId };

/** Location of a domain's encrypted values, so that a key rotation reaches them. */
export type SealedFields<T extends SealedDocument = SealedDocument> = {
  /** Name in displayed counts, unique per collection. */
  name: string;
  collection: () => Collection<T>;
  /**
   * Returns the dotted paths in this document that may hold an encrypted value; others, and missing ones, are skipped.
   * No name in a path may itself contain a dot.
   */
  paths: (doc: T) => readonly string[];
  /** Returns the context with which the domain encrypts a path; usually `contextOf`. */
  context: (doc: T, path: string) => SealContext;
};

/** Returns the context of a field of a workspace's document, for `seal`, `open` and the registration. */
export function contextOf(doc: { _id: ObjectId; workspaceId: ObjectId }, path: string): SealContext {
  return { workspaceId: doc.workspaceId.toHexString(), recordId: doc._id.toHexString(), field: path };
}

/**
 * Finds the paths of all encrypted values inside a value, by their form.
 * @param path of the value itself
 */
export function sealedPathsIn(value: unknown, path: string): string[] {
  if (isSealed(value)) return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !name.includes("."))
    .flatMap(([name, inner]) => sealedPathsIn(inner, `${path}.${name}`));
}

/** Registers a domain's encrypted fields. Each domain calls it once; registering a name again replaces it. */
export function registerSealedFields<T extends SealedDocument>(fields: SealedFields<T>): void {
  // Paths and context only ever get documents of this collection.
  registry().set(fields.name, fields as unknown as SealedFields);
}

export function registeredSealedFields(): readonly SealedFields[] {
  return [...registry().values()];
}

const registry = serverMember("sealedFields", () => new Map());
