import "server-only";
import { type Document, type Filter, ObjectId, type UpdateFilter } from "mongodb";
import { type CollectionAccessor, DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";

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

/** Stores the draft with this key, and returns it. */
export async function writeDraft<T extends DraftDoc>(
  drafts: CollectionAccessor<T>,
  key: Omit<T, "_id" | "content" | "version" | "updatedAt" | "base">,
  change: Pick<T, "content" | "version"> & Partial<T>,
): Promise<T> {
  const update = { $set: { ...change, updatedAt: new Date() }, $setOnInsert: { _id: new ObjectId() } };
  const write = () =>
    drafts().findOneAndUpdate(key as unknown as Filter<T>, update as unknown as UpdateFilter<T>, {
      upsert: true,
      returnDocument: "after",
    });
  const doc = await write().catch((error: unknown) => {
    // Two windows sent their first draft at once: the other one was inserted, so this one updates it.
    if (isDuplicateKey(error)) return write();
    throw error;
  });
  if (!doc) throw new Error("The store returned no document.");
  return doc as Document as T;
}
