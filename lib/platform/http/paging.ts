import { ObjectId } from "mongodb";
import { AppError } from "./errors";
import type { BoundedListQuery } from "./schema";

export type Page<T> = { items: T[]; nextCursor: string | null };
/** What a list asks for: `cursor` is the `nextCursor` of the page before. */
export type PageRequest = { limit: number; cursor?: string };

/** Where a list whose answer is a plain array says how it goes on. */
const NEXT_CURSOR_HEADER = "X-Next-Cursor";

/**
 * The items of a page, for answers that are a plain array (docs/develop/api.md, Common rules). Our choice: the way on stands in a
 * header, since an array has no place for it, and a list that ends without a word would hide things.
 */
export function asArray<T>(headers: Headers, page: Page<T>): T[] {
  noteNextCursor(headers, page.nextCursor);
  return page.items;
}

/** Says in the header of an answer how its list goes on. @param nextCursor null at the end */
export function noteNextCursor(headers: Headers, nextCursor: string | null): void {
  if (nextCursor !== null) headers.set(NEXT_CURSOR_HEADER, nextCursor);
}

/**
 * Returns the part of a list bounded by its nature that a request asks for, the whole of it without a limit, and says in
 * the answer's header where the next part starts.
 */
export function partOf<T>(headers: Headers, items: readonly T[], { limit, cursor }: BoundedListQuery): T[] {
  const start = cursor === undefined ? 0 : Number(cursor.slice(1));
  const end = limit === undefined ? items.length : start + limit;
  noteNextCursor(headers, end < items.length ? `p${end}` : null);
  return items.slice(start, end);
}

/** Takes one document more than asked for, so that the page knows whether there are more. */
export function withExtra(limit: number): number {
  return limit + 1;
}

/**
 * Reads the cursor of a list that is ordered by id. Null for the first page.
 * @throws AppError `invalid_request`
 */
export function readCursor(cursor: string | undefined): ObjectId | null {
  if (cursor === undefined) return null;
  if (!/^[0-9a-f]{24}$/.test(cursor)) throw badCursor();
  return new ObjectId(cursor);
}

/** Shapes one page out of `limit + 1` documents: the extra one only tells that there are more. */
export function toPage<D extends { _id: ObjectId }, T>(docs: D[], limit: number, toItem: (doc: D) => T): Page<T> {
  const shown = docs.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: docs.length > limit && last ? last._id.toHexString() : null };
}

export function badCursor(): AppError {
  return new AppError("invalid_request", "This cursor is not one of ours. Leave it out to begin at the start.", {
    details: [{ path: "cursor", message: "Pass back the nextCursor of the page before." }],
  });
}
