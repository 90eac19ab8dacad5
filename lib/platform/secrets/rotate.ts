import "server-only";
import type { Filter, UpdateFilter } from "mongodb";
import { getSecrets } from "./bootstrap";
import {
  isSealed,
  type KeyRing,
  needsRotation,
  open,
  SealError,
  type SealErrorReason,
  type Sealed,
  seal,
} from "./seal";
import { registeredSealedFields, type SealedDocument, type SealedFields } from "./sealed-fields";

/** Number of documents per batch: small enough to be read and written at once without affecting others. */
const BATCH_DOCUMENTS = 100;
/** Maximum number of passes. Concurrent edits make another pass necessary; a few are always enough. */
const PASSES_MAX = 5;

export type UnreadableField = { recordId: string; path: string; reason: SealErrorReason };

/** Result for one collection. */
export type RotationCount = {
  name: string;
  documents: number;
  /** Number of encrypted values found in the last pass. */
  sealed: number;
  resealed: number;
  /** In the last pass: values still encrypted with an older key, because they were edited concurrently. */
  left: number;
  /** Values that no key of the ring decrypts. They stay unchanged. */
  unreadable: UnreadableField[];
};

type RotationOptions = {
  ring?: KeyRing;
  fields?: readonly SealedFields[];
  /** Called after each collection. */
  report?: (count: RotationCount) => void;
};

/**
 * Encrypts every value of every registered field with the newest key (T45). A value is replaced only if it is unchanged
 * since it was read, so a concurrent edit is never lost. May be interrupted and restarted at any time: finished values
 * are recognised.
 */
export async function rotateSealedFields({
  ring = getSecrets().encryptionKeys,
  fields = registeredSealedFields(),
  report = () => {},
}: RotationOptions = {}): Promise<RotationCount[]> {
  const counts: RotationCount[] = [];
  for (const one of fields) {
    const count = await rotateCollection(one, ring);
    counts.push(count);
    report(count);
  }
  return counts;
}

/** Returns whether no value needs an older key. */
export function isRotationComplete(counts: readonly RotationCount[]): boolean {
  return counts.every((count) => count.left === 0 && count.unreadable.length === 0);
}

async function rotateCollection(fields: SealedFields, ring: KeyRing): Promise<RotationCount> {
  let resealed = 0;
  for (let pass = 1; ; pass += 1) {
    const found = await walk(fields, ring);
    resealed += found.resealed;
    const missed = found.stale - found.resealed;
    // A pass that found no old value proves the whole collection; otherwise another pass follows.
    if (found.stale === 0 || pass === PASSES_MAX) {
      return { ...found.count, name: fields.name, resealed, left: missed };
    }
  }
}

type Pass = {
  count: Pick<RotationCount, "documents" | "sealed" | "unreadable">;
  /** Number of values under an older key that can be decrypted. */
  stale: number;
  resealed: number;
};

async function walk(fields: SealedFields, ring: KeyRing): Promise<Pass> {
  const pass: Pass = { count: { documents: 0, sealed: 0, unreadable: [] }, stale: 0, resealed: 0 };
  const collection = fields.collection();
  let after: SealedDocument | undefined;
  for (;;) {
    const from: Filter<SealedDocument> = after ? { _id: { $gt: after._id } } : {};
    const batch = await collection.find(from).sort({ _id: 1 }).limit(BATCH_DOCUMENTS).toArray();
    after = batch.at(-1);
    if (!after) return pass;
    for (const doc of batch) await rotateDocument(fields, doc, ring, pass);
  }
}

async function rotateDocument(fields: SealedFields, doc: SealedDocument, ring: KeyRing, pass: Pass): Promise<void> {
  pass.count.documents += 1;
  for (const path of fields.paths(doc)) {
    const value = valueAt(doc, path);
    if (!isSealed(value)) continue;
    pass.count.sealed += 1;
    const next = reseal(value, { fields, doc, path, ring, pass });
    if (next === null) continue;
    pass.stale += 1;
    const filter = { _id: doc._id, [path]: value } as Filter<SealedDocument>;
    const { matchedCount } = await fields
      .collection()
      .updateOne(filter, { $set: { [path]: next } } as UpdateFilter<SealedDocument>);
    pass.resealed += matchedCount;
  }
}

type Place = { fields: SealedFields; doc: SealedDocument; path: string; ring: KeyRing; pass: Pass };

/** @returns null if the newest key already encrypts it, or none decrypts it */
function reseal(value: Sealed, { fields, doc, path, ring, pass }: Place): Sealed | null {
  if (!needsRotation(value, ring)) return null;
  const context = fields.context(doc, path);
  try {
    return seal(open(value, context, ring), context, ring);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    pass.count.unreadable.push({ recordId: doc._id.toHexString(), path, reason: error.reason });
    return null;
  }
}

function valueAt(doc: SealedDocument, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Record<string, unknown>)[name];
  }, doc);
}
