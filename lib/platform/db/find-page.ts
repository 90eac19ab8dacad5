import "server-only";
import { type Collection, type Filter, ObjectId } from "mongodb";
import { escapeRegex } from "@/lib/base/values/escape-regex";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";

type Order = { order: "oldest" | "newest"; projection?: Readonly<Record<string, 0>> };

/** Returns a page of a collection, in the order of creation. @throws AppError `invalid_request` for a bad cursor */
export async function findPage<D extends { _id: ObjectId }, T>(
  collection: Collection<D>,
  filter: Filter<D>,
  { limit, cursor }: PageRequest,
  { order, projection }: Order,
  toItem: (doc: D) => T,
): Promise<Page<T>> {
  const after = readCursor(cursor);
  const [operator, direction] = order === "oldest" ? (["$gt", 1] as const) : (["$lt", -1] as const);
  const docs = await collection
    .find({ ...filter, ...(after && { _id: { [operator]: after } }) } as Filter<D>, {
      ...(projection && { projection }),
    })
    .sort({ _id: direction })
    .limit(withExtra(limit))
    .toArray();
  return toPage(docs as unknown as D[], limit, toItem);
}

/** Returns the filter of a list's `ids` and of its `q`, a text that the name contains. */
export function toListFilter({ ids, q }: { ids?: string; q?: string }) {
  return {
    // The page's cursor is a condition on `_id` too.
    ...(ids !== undefined && { $and: [{ _id: { $in: ids.split(",").map((id) => new ObjectId(id)) } }] }),
    ...(q !== undefined && { name: { $regex: escapeRegex(q), $options: "i" } }),
  };
}
