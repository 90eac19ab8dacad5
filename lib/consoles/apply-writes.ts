import "server-only";
import type { AnyBulkWriteOperation, ObjectId } from "mongodb";
import { isDuplicateKey } from "@/lib/db/duplicate-key";
import { log } from "@/lib/log";
import { followDeletion } from "@/lib/runs/deletion";
import { collections } from "./collections";
import type { ConsoleDoc, ConsoleFolderDoc, ConsoleIntent, ConsoleWrite } from "./model";
import { RESOURCE_TYPE } from "./standing";

/**
 * Writes a change to the documents. Each document keeps the number of the last change that it has, and takes only
 * later ones; so a server that comes late, even long after others went on, changes nothing.
 */
export async function applyWrites(workspaceId: ObjectId, seq: number, intent: ConsoleIntent): Promise<void> {
  const { writes, userId, at } = intent;
  const older = { workspaceId, seq: { $lt: seq } };
  const folderUpdates: AnyBulkWriteOperation<ConsoleFolderDoc>[] = [];
  const updates: AnyBulkWriteOperation<ConsoleDoc>[] = [];
  for (const write of writes) {
    if (write.kind === "updateFolder") {
      folderUpdates.push({
        updateOne: { filter: { ...older, _id: write.id }, update: { $set: { ...write.set, seq } } },
      });
    } else if (write.kind === "update") {
      updates.push({ updateOne: { filter: { ...older, _id: write.id }, update: { $set: { ...write.set, seq } } } });
    }
  }
  if (folderUpdates.length > 0) await collections.consoleFolders().bulkWrite(folderUpdates);
  if (updates.length > 0) await collections.consoles().bulkWrite(updates);
  for (const write of writes) await applyOne(write, workspaceId, seq, { deletedBy: userId, deletedAt: at });
}

/** Takes back consoles that came so late that they had been deleted since. */
export async function withdrawLateInserts(
  workspaceId: ObjectId,
  seq: number,
  { writes }: ConsoleIntent,
): Promise<void> {
  for (const write of writes) {
    if (write.kind !== "insert") continue;
    const { _id } = write.doc;
    const deleted = await collections.deletedConsoles().findOne({ _id, workspaceId, seq: { $gt: seq } });
    if (deleted) await collections.consoles().deleteOne({ _id, workspaceId, seq });
  }
}

async function applyOne(
  write: ConsoleWrite,
  workspaceId: ObjectId,
  seq: number,
  deletion: { deletedBy: ObjectId; deletedAt: Date },
): Promise<void> {
  const older = { workspaceId, seq: { $lt: seq } };
  if (write.kind === "insertFolder") {
    await collections
      .consoleFolders()
      .insertOne({ ...write.doc, seq })
      .catch(ignoreRepeat);
  } else if (write.kind === "removeFolder") {
    await collections.consoleFolders().deleteOne({ ...older, _id: write.id });
  } else if (write.kind === "insert") {
    const { _id } = write.doc;
    await collections
      .consoles()
      .insertOne({ ...write.doc, seq })
      .catch(ignoreRepeat);
    await collections.deletedConsoles().deleteOne({ ...older, _id });
  } else if (write.kind === "discard") {
    const doc = await collections.consoles().findOne({ ...older, _id: write.id });
    if (!doc) return;
    // Before it, so that a crash in between leaves it to whoever goes on; and after it, for what was made meanwhile.
    await followDeletion({ workspaceId, resourceType: RESOURCE_TYPE, resourceId: doc._id });
    const deleted = { ...doc, ...deletion, seq };
    await collections.deletedConsoles().replaceOne({ _id: doc._id, workspaceId }, deleted, { upsert: true });
    await collections.consoles().deleteOne({ ...older, _id: doc._id });
    await followDeletion({ workspaceId, resourceType: RESOURCE_TYPE, resourceId: doc._id });
  }
}

/** It is there already: by an earlier attempt, or because a late one meets what others have made since. */
function ignoreRepeat(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
  log.info({ err: error }, "a change of consoles was carried out twice");
}
