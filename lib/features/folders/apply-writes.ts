import "server-only";
import type { AnyBulkWriteOperation, ObjectId } from "mongodb";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { log } from "@/lib/platform/log";
import type { ItemKind } from "./item-kind";
import type { FolderDoc, Intent, ItemDoc, Write } from "./model";

/**
 * Writes a change to the documents. Each document stores the number of its last change and only accepts later ones. So
 * a late server, even long after others continued, changes nothing.
 */
export async function applyWrites(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  intent: Intent,
): Promise<void> {
  const { writes, userId, at } = intent;
  const older = { workspaceId, seq: { $lt: seq } };
  const folderUpdates: AnyBulkWriteOperation<FolderDoc>[] = [];
  const updates: AnyBulkWriteOperation<ItemDoc>[] = [];
  for (const write of writes) {
    if (write.kind === "updateFolder") {
      folderUpdates.push({
        updateOne: { filter: { ...older, _id: write.id }, update: { $set: { ...write.set, seq } } },
      });
    } else if (write.kind === "update") {
      updates.push({ updateOne: { filter: { ...older, _id: write.id }, update: { $set: { ...write.set, seq } } } });
    }
  }
  if (folderUpdates.length > 0) await itemKind.folders().bulkWrite(folderUpdates);
  if (updates.length > 0) await itemKind.items().bulkWrite(updates);
  for (const write of writes) await applyOne(itemKind, write, workspaceId, seq, { deletedBy: userId, deletedAt: at });
}

/** Deletes late inserts of documents that had been deleted already. */
export async function withdrawLateInserts(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  { writes }: Intent,
): Promise<void> {
  for (const write of writes) {
    if (write.kind !== "insert") continue;
    const { _id } = write.doc;
    const deleted = await itemKind.deleted().findOne({ _id, workspaceId, seq: { $gt: seq } });
    if (deleted) await itemKind.items().deleteOne({ _id, workspaceId, seq });
  }
}

async function applyOne(
  itemKind: ItemKind,
  write: Write,
  workspaceId: ObjectId,
  seq: number,
  deletion: { deletedBy: ObjectId; deletedAt: Date },
): Promise<void> {
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
  } else if (write.kind === "discard") {
    const doc = await itemKind.items().findOne({ ...older, _id: write.id });
    if (!doc) return;
    // Once before, so that a crash in between leaves it to the next attempt; once after, for data added in between.
    await itemKind.forget?.(workspaceId, doc._id);
    const deleted = { ...doc, ...deletion, seq };
    await itemKind.deleted().replaceOne({ _id: doc._id, workspaceId }, deleted, { upsert: true });
    await itemKind.items().deleteOne({ ...older, _id: doc._id });
    await itemKind.forget?.(workspaceId, doc._id);
  }
}

/** Ignores a duplicate key: an earlier attempt inserted the document, or a late insert meets newer documents. */
function ignoreRepeat(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
  log.info({ err: error }, "a change of files was applied twice");
}
