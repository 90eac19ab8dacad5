import "server-only";
import type { AnyBulkWriteOperation, Collection, ObjectId, OptionalUnlessRequiredId } from "mongodb";
import { indexesOfDuplicates } from "@/lib/platform/db/duplicate-key";
import { log } from "@/lib/platform/log";
import type { ItemKind } from "./item-kind";
import type { FolderDoc, ItemChange, ItemDoc, Write } from "./model";
import { searchKeysOf, textKeysOf } from "./search-keys";

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
      updates.push({ updateOne: { filter, update: { $set: { ...withKeys(itemKind, write.set), seq } } } });
    }
  }
  if (folderUpdates.length > 0) await itemKind.folders().bulkWrite(folderUpdates);
  if (vacations.length > 0) await itemKind.items().bulkWrite(vacations);
  if (updates.length > 0) await itemKind.items().bulkWrite(updates);
  const emptied = writes.flatMap((write) => (write.kind === "removeFolder" ? [write.id] : []));
  if (emptied.length > 0) await itemKind.folders().deleteMany({ ...older, _id: { $in: emptied } });
  const folders = writes.flatMap((write) => (write.kind === "insertFolder" ? [{ ...write.doc, seq }] : []));
  await insertNew(itemKind.folders(), folders);
  const items = writes.flatMap((write) => (write.kind === "insert" ? [{ ...withKeys(itemKind, write.doc), seq }] : []));
  await insertNew(itemKind.items(), items);
  const restored = items.map(({ _id }) => _id);
  if (restored.length > 0) await itemKind.deleted().deleteMany({ ...older, _id: { $in: restored } });
}

/** Returns fields of an item with the keys of searches that follow from them. */
export function withKeys<F extends Partial<ItemDoc>>({ searchedFields = [] }: ItemKind, fields: F): F {
  const texts = searchedFields.map((name) => fields[name as keyof F]);
  return {
    ...fields,
    ...(fields.path !== undefined && { searchKeys: searchKeysOf(fields.path) }),
    ...(texts.some((text) => text !== undefined) && { textKeys: textKeysOf(texts.join("\n")) }),
  };
}

/** Deletes late inserts of documents that had been deleted already. */
export async function withdrawLateInserts(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  writes: readonly Write[],
): Promise<void> {
  const inserted = writes.flatMap((write) => (write.kind === "insert" ? [write.doc._id] : []));
  if (inserted.length === 0) return;
  const deleted = await itemKind
    .deleted()
    .find({ _id: { $in: inserted }, workspaceId, seq: { $gt: seq } }, { projection: { _id: 1 } })
    .toArray();
  if (deleted.length === 0) return;
  await itemKind.items().deleteMany({ _id: { $in: deleted.map(({ _id }) => _id) }, workspaceId, seq });
}

/**
 * Inserts documents and ignores duplicate keys: an earlier attempt inserted them, or a late insert meets newer
 * documents.
 */
async function insertNew<D extends ItemDoc | FolderDoc>(collection: Collection<D>, docs: D[]): Promise<void> {
  if (docs.length === 0) return;
  try {
    await collection.insertMany(docs as OptionalUnlessRequiredId<D>[], { ordered: false });
  } catch (error) {
    if (indexesOfDuplicates(error) === null) throw error;
    log.info({ err: error }, "a change of files was applied twice");
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
