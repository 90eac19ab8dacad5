import "server-only";
import type { AnyBulkWriteOperation, ObjectId } from "mongodb";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { log } from "@/lib/platform/log";
import type { ItemKind } from "./item-kind";
import type { FolderDoc, ItemChange, ItemDoc, Write } from "./model";

/**
 * Writes a change to the documents. Each document stores the number of its last change and only accepts later ones. So
 * a late server, even long after others continued, changes nothing.
 */
export async function applyWrites(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  { userId, at }: Pick<ItemChange, "userId" | "at">,
  writes: readonly Write[],
): Promise<void> {
  const older = { workspaceId, seq: { $lt: seq } };
  // Deletions come first, and insertions last: a file may take the place of another one.
  for (const write of writes) {
    if (write.kind === "discard")
      await discard(itemKind, write.id, workspaceId, seq, { deletedBy: userId, deletedAt: at });
  }
  const folderUpdates: AnyBulkWriteOperation<FolderDoc>[] = [];
  const vacations: AnyBulkWriteOperation<ItemDoc>[] = [];
  const updates: AnyBulkWriteOperation<ItemDoc>[] = [];
  for (const write of writes) {
    if (write.kind === "updateFolder") {
      folderUpdates.push({
        updateOne: { filter: { ...older, _id: write.id }, update: { $set: { ...write.set, seq } } },
      });
    } else if (write.kind === "update") {
      const filter = { ...older, _id: write.id };
      // Files of a push may swap their places, of which no two documents have the same.
      if (write.swaps)
        vacations.push({ updateOne: { filter, update: { $set: { key: `\0${write.id.toHexString()}` } } } });
      updates.push({ updateOne: { filter, update: { $set: { ...write.set, seq } } } });
    }
  }
  if (folderUpdates.length > 0) await itemKind.folders().bulkWrite(folderUpdates);
  if (vacations.length > 0) await itemKind.items().bulkWrite(vacations);
  if (updates.length > 0) await itemKind.items().bulkWrite(updates);
  for (const write of writes) await applyOne(itemKind, write, workspaceId, seq);
}

/** Deletes late inserts of documents that had been deleted already. */
export async function withdrawLateInserts(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  writes: readonly Write[],
): Promise<void> {
  for (const write of writes) {
    if (write.kind !== "insert") continue;
    const { _id } = write.doc;
    const deleted = await itemKind.deleted().findOne({ _id, workspaceId, seq: { $gt: seq } });
    if (deleted) await itemKind.items().deleteOne({ _id, workspaceId, seq });
  }
}

async function applyOne(itemKind: ItemKind, write: Write, workspaceId: ObjectId, seq: number): Promise<void> {
  const older = { workspaceId, seq: { $lt: seq } };
  if (write.kind === "insertFolder") {
    await itemKind
      .folders()
      .insertOne({ ...write.doc, seq })
      .catch(ignoreRepeat);
  } else if (write.kind === "removeFolder") {
    await itemKind.folders().deleteOne({ ...older, _id: write.id });
  } else if (write.kind === "insert") {
    const { _id } = write.doc;
    await itemKind
      .items()
      .insertOne({ ...write.doc, seq })
      .catch(ignoreRepeat);
    await itemKind.deleted().deleteOne({ ...older, _id });
  }
}

async function discard(
  itemKind: ItemKind,
  id: ObjectId,
  workspaceId: ObjectId,
  seq: number,
  deletion: { deletedBy: ObjectId; deletedAt: Date },
): Promise<void> {
  const older = { workspaceId, seq: { $lt: seq }, _id: id };
  const doc = await itemKind.items().findOne(older);
  if (!doc) return;
  // Once before, so that a crash in between leaves it to the next attempt; once after, for data added in between.
  await itemKind.forget?.(workspaceId, doc._id);
  const deleted = { ...doc, ...deletion, seq };
  await itemKind.deleted().replaceOne({ _id: doc._id, workspaceId }, deleted, { upsert: true });
  await itemKind.items().deleteOne(older);
  await itemKind.forget?.(workspaceId, doc._id);
}

/** Ignores a duplicate key: an earlier attempt inserted the document, or a late insert meets newer documents. */
function ignoreRepeat(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
  log.info({ err: error }, "a change of files was applied twice");
}
