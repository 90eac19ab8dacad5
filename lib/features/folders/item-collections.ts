import "server-only";
import type { Document } from "mongodb";
import { type CollectionAccessor, DAY_SECONDS, declareCollection, type Index } from "@/lib/platform/db/collection";
import type { Deleted, FolderDoc, ItemDoc, ItemNoun } from "./model";

/** Retention of deleted items, in days; git keeps their text permanently. */
const DELETED_DAYS = 30;

type ItemCollections<D extends ItemDoc> = {
  items: CollectionAccessor<D>;
  folders: CollectionAccessor<FolderDoc>;
  deleted: CollectionAccessor<Deleted<D>>;
};

/**
 * Declares the collections of one kind of item.
 * @param noun name of one item
 * @param indexes on the fields that the kind adds
 */
export function declareItemCollections<D extends ItemDoc & Document>(
  noun: ItemNoun,
  indexes: Index[] = [],
): ItemCollections<D> {
  const many = `${noun}s`;
  return {
    items: declareCollection<D>(many, {
      isOfWorkspace: true,
      indexes: [
        {
          key: { workspaceId: 1, space: 1, key: 1 },
          unique: true,
          serves: `one ${noun} per path, as case-insensitive file systems compare names`,
        },
        { key: { workspaceId: 1, space: 1, folderId: 1, key: 1 }, serves: `the ${many} of a folder, by name` },
        { key: { workspaceId: 1, space: 1, updatedAt: -1 }, serves: "searches, last saved first" },
        { key: { workspaceId: 1, space: 1, searchKeys: 1 }, serves: "searches by name" },
        { key: { workspaceId: 1, space: 1, file: 1 }, serves: `look-up of a ${noun} by its file in git` },
        { key: { workspaceId: 1, space: 1, _id: 1 }, serves: `the ${many} visible to a member, oldest first` },
        ...indexes,
      ],
    }),
    folders: declareCollection<FolderDoc>(`${noun}_folders`, {
      isOfWorkspace: true,
      indexes: [
        {
          key: { workspaceId: 1, space: 1, key: 1 },
          unique: true,
          serves: "one folder per path, as case-insensitive file systems compare names",
        },
        { key: { workspaceId: 1, space: 1, _id: 1 }, serves: "the folders visible to a member, oldest first" },
        { key: { workspaceId: 1, space: 1, parentId: 1, key: 1 }, serves: "the folders of a folder, by name" },
      ],
    }),
    deleted: declareCollection<Deleted<D>>(`deleted_${many}`, {
      isOfWorkspace: true,
      indexes: [
        { key: { workspaceId: 1 }, serves: "deletion of a workspace" },
        {
          key: { deletedAt: 1 },
          expireAfterSeconds: DELETED_DAYS * DAY_SECONDS,
          serves: `expiry of deleted ${many}, after ${DELETED_DAYS} days`,
        },
      ],
    }),
  };
}
