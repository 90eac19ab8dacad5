import { type Doc, docOf } from "../bson/values.ts";
import type { Collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";

/** Returns the collStats of a collection; sizes in bytes. */
export function collectionStats(store: Store, collection: Collection): Doc {
  const size =
    store.connection.get<[number]>(`SELECT COALESCE(SUM(LENGTH(d)), 0) FROM "${collection.table}"`)?.[0] ?? 0;
  const pages = (table: string): number =>
    store.connection.get<[number]>(
      "SELECT COALESCE(SUM(pgsize), 0) FROM dbstat WHERE name = ? AND aggregate = TRUE",
      table,
    )?.[0] ?? 0;
  const indexSizes = docOf(
    Object.fromEntries(
      collection.indexes.map((index) => [
        index.name,
        index.id === 0 ? pages(`sqlite_autoindex_${collection.table}_1`) : pages(index.table),
      ]),
    ),
  );
  const totalIndexSize = [...indexSizes.values()].reduce<number>((sum, bytes) => sum + Number(bytes), 0);
  return docOf({
    size,
    count: collection.count,
    avgObjSize: collection.count === 0 ? undefined : Math.floor(size / collection.count),
    storageSize: pages(collection.table),
    capped: false,
    nindexes: collection.indexes.length,
    totalIndexSize,
    indexSizes,
    scaleFactor: 1,
  });
}
