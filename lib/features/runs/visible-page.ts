import "server-only";
import type { Collection, Filter, ObjectId, WithId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { type Page, type PageRequest, readCursor } from "@/lib/platform/http/paging";
import type { RunResource } from "./model";

/**
 * Maximum number of documents that one page examines. A page may have fewer items than requested and still have a next
 * page.
 */
const LOOKED_THROUGH_MAX = 2_000;

/**
 * Returns those documents whose resource the caller may see. Passed in, because consoles and flows are in a higher
 * layer.
 */
export type OnlyVisible = <T extends Pick<RunResource, "resourceType" | "resourceId">>(
  caller: Caller,
  docs: T[],
) => Promise<T[]>;

/**
 * Returns a page of a workspace's documents, newest first, without those of resources that the caller cannot see.
 * @throws AppError `invalid_request` for an invalid cursor
 */
export async function visiblePage<T extends RunResource & { _id: ObjectId }>(
  caller: Caller,
  collection: Collection<T>,
  filter: Filter<T>,
  { limit, cursor }: PageRequest,
  onlyVisible: OnlyVisible,
): Promise<Page<WithId<T>>> {
  const items: WithId<T>[] = [];
  let after = readCursor(cursor);
  for (let looked = 0; looked < LOOKED_THROUGH_MAX; ) {
    const batch = await collection
      .find({ ...filter, ...(after && { _id: { $lt: after } }) } as Filter<T>)
      .sort({ _id: -1 })
      .limit(limit + 1)
      .toArray();
    looked += batch.length;
    const visible = await onlyVisible(caller, batch);
    const shown = visible.slice(0, limit - items.length);
    items.push(...shown);
    const isFull = items.length === limit;
    const last = isFull ? shown.at(-1) : batch.at(-1);
    const isEnd = batch.length <= limit && (!isFull || last === batch.at(-1));
    if (isEnd || !last) return { items, nextCursor: null };
    if (isFull) return { items, nextCursor: last._id.toHexString() };
    after = last._id;
  }
  return { items, nextCursor: after?.toHexString() ?? null };
}
