import "server-only";
import { type Document, type Filter, ObjectId, type UpdateFilter } from "mongodb";
import { type CollectionAccessor, DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";

/** Retention of untouched drafts, in days. */
const DRAFT_DAYS = 90;

/** Unsaved changes of a user in a file. */
export type DraftDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  content: string;
  /** Version of the file that the draft is based on. */
  version: number;
  updatedAt: Date;
};

/** Declares the drafts of a kind of files. @param idName field of the file's id */
export function declareDraftCollection<T extends DraftDoc>(
  name: string,
  idName: string & keyof T,
): CollectionAccessor<T> {
  return declareCollection<T>(name, {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, [idName]: 1, userId: 1 }, unique: true, serves: "one draft per user and file" },
      { key: { updatedAt: 1 }, expireAfterSeconds: DRAFT_DAYS * DAY_SECONDS, serves: "expiry of drafts" },
    ],
  });
}

/** `updatedAt` of the draft that the client last saw, null for none; undefined skips the check. */
export type SeenAt = string | null | undefined;

/**
 * Stores the draft with this key, and returns it. A draft that was deleted since is created again.
 * @param show the draft as its route returns it
 * @throws AppError conflict if another draft than the seen one is stored
 */
export async function writeDraft<T extends DraftDoc, Shown>(
  drafts: CollectionAccessor<T>,
  key: Filter<T>,
  change: Pick<T, "content" | "version"> & Partial<T>,
  seenAt: SeenAt,
  show: (doc: T) => Shown,
): Promise<Shown> {
  const filter: Filter<T> = { ...key, ...toSeen(seenAt) };
  const write = () => {
    const now = new Date();
    // Each write has its own time, also within a millisecond.
    const updatedAt = now.toISOString() === seenAt ? new Date(now.getTime() + 1) : now;
    const update = { $set: { ...change, updatedAt }, $setOnInsert: { _id: new ObjectId() } };
    return drafts().findOneAndUpdate(filter, update as unknown as UpdateFilter<T>, {
      upsert: true,
      returnDocument: "after",
    });
  };
  const doc = await write().catch(async (error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    const current = seenAt === undefined ? null : await drafts().findOne(key);
    if (current) throw changed(show(current as T));
    // Two windows sent their first draft at once: the other one was inserted, so this one updates it.
    return write();
  });
  if (!doc) throw new Error("The store returned no document.");
  return show(doc as Document as T);
}

/**
 * Deletes the draft with this key, if any.
 * @param show the draft as its route returns it
 * @throws AppError conflict if another draft than the seen one is stored
 */
export async function removeDraft<T extends DraftDoc>(
  drafts: CollectionAccessor<T>,
  key: Filter<T>,
  seenAt: SeenAt,
  show: (doc: T) => unknown,
): Promise<void> {
  const { deletedCount } = await drafts().deleteOne({ ...key, ...toSeen(seenAt) });
  if (deletedCount > 0 || seenAt === undefined) return;
  const current = await drafts().findOne(key);
  if (current) throw changed(show(current as T));
}

function toSeen(seenAt: SeenAt) {
  if (seenAt === undefined) return {};
  return { updatedAt: seenAt === null ? { $exists: false } : new Date(seenAt) };
}

function changed(current: unknown): AppError {
  return new AppError("conflict", "Your draft was changed in another window. Compare, then choose one.", {
    details: { current },
  });
}
