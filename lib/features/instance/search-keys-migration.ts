import "server-only";
import type { AnyBulkWriteOperation } from "mongodb";
import { itemKindOf } from "@/lib/features/folders/item-kind";
import type { ItemDoc } from "@/lib/features/folders/model";
import { searchKeysOf } from "@/lib/features/folders/search-keys";
import { collections } from "./collections";

/** Number of documents per command. */
const BATCH = 500;

/** Writes the keys of searches by name into consoles and dashboards of earlier versions. */
export async function writeSearchKeys(signal: AbortSignal): Promise<void> {
  const kinds = [
    itemKindOf({
      items: collections.consoles,
      folders: collections.consoleFolders,
      deleted: collections.deletedConsoles,
    }),
    itemKindOf({
      items: collections.dashboards,
      folders: collections.dashboardFolders,
      deleted: collections.deletedDashboards,
    }),
  ];
  for (const { items } of kinds) {
    let writes: AnyBulkWriteOperation<ItemDoc>[] = [];
    const flush = async () => {
      signal.throwIfAborted();
      if (writes.length > 0) await items().bulkWrite(writes, { ordered: false });
      writes = [];
    };
    for await (const { _id, path } of items().find({ searchKeys: { $exists: false } }, { projection: { path: 1 } })) {
      // A path that has changed in the meantime has its own keys.
      const filter = { _id, path, searchKeys: { $exists: false } };
      writes.push({ updateOne: { filter, update: { $set: { searchKeys: searchKeysOf(path) } } } });
      if (writes.length === BATCH) await flush();
    }
    await flush();
  }
}
