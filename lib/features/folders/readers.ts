import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import type { ItemKind } from "./item-kind";
import { accessOf, visibleTo } from "./model";

type ItemCollections = Pick<ItemKind, "items" | "deleted">;

/** Returns which of these items the caller can see. Recently deleted ones count as they last were. */
export async function visibleIdsOf(itemKind: ItemCollections, caller: Caller, ids: ObjectId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const filter = { _id: { $in: ids }, ...visibleTo(caller) };
  const options = { projection: { _id: 1 } };
  const [items, deleted] = await Promise.all([
    itemKind.items().find(filter, options).toArray(),
    itemKind.deleted().find(filter, options).toArray(),
  ]);
  return new Set([...items, ...deleted].map(({ _id }) => _id.toHexString()));
}

/**
 * Returns the readers of an item: every member, or its owner. A recently deleted one counts as it last was; a
 * permanently deleted one has none.
 */
export async function readersOf(
  itemKind: ItemCollections,
  workspaceId: ObjectId,
  id: ObjectId,
): Promise<"everybody" | "nobody" | ObjectId> {
  const filter = { _id: id, workspaceId };
  const options = { projection: { space: 1, ownerId: 1 } };
  const doc = (await itemKind.items().findOne(filter, options)) ?? (await itemKind.deleted().findOne(filter, options));
  if (!doc) return "nobody";
  return accessOf(doc.space) === "private" ? doc.ownerId : "everybody";
}
