import { ObjectId } from "mongodb";
import { AppError } from "./errors";
import type { BoundedListQuery } from "./schema";

export type Page<T> = { items: T[]; nextCursor: string | null };
/** Page to return: `cursor` is the `nextCursor` of the page before. */
export type PageRequest = { limit: number; cursor?: string };

/** Header with the next cursor of a list whose answer is a plain array. */
const NEXT_CURSOR_HEADER = "X-Next-Cursor";

/**
 * Returns the items of a page, for answers that are a plain array (docs/develop/api.md, Common rules). Our choice: the
 * next cursor is in a header, since an array has no place for it, and a silently truncated list would hide items.
 */
export function asArray<T>(headers: Headers, page: Page<T>): T[] {
  noteNextCursor(headers, page.nextCursor);
  return page.items;
}

/** Sets the header with a list's next cursor. @param nextCursor null at the end */
export function noteNextCursor(headers: Headers, nextCursor: string | null): void {
  if (nextCursor !== null) headers.set(NEXT_CURSOR_HEADER, nextCursor);
}

/**
 * Returns the requested part of a list with a natural bound, all of it without a limit, and sets the header with the
 * start of the next part.
 */
export function partOf<T>(headers: Headers, items: readonly T[], { limit, cursor }: BoundedListQuery): T[] {
  const start = cursor === undefined ? 0 : Number(cursor.slice(1));
  const end = limit === undefined ? items.length : start + limit;
  noteNextCursor(headers, end < items.length ? `p${end}` : null);
  return items.slice(start, end);
}

/** Returns the limit of a query that loads one extra document, so that the page knows whether there are more. */
export function withExtra(limit: number): number {
  return limit + 1;
}

/** Reads the cursor of a list sorted by id. Null for the first page. @throws AppError `invalid_request` */
export function readCursor(cursor: string | undefined): ObjectId | null {
  if (cursor === undefined) return null;
  if (!/^[0-9a-f]{24}$/.test(cursor)) throw badCursor();
  return new ObjectId(cursor);
}

/** Builds one page out of `limit + 1` documents: the extra one only shows that there are more. */
export function toPage<D extends { _id: ObjectId }, T>(docs: D[], limit: number, toItem: (doc: D) => T): Page<T> {
  const shown = docs.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: docs.length > limit && last ? last._id.toHexString() : null };
}

export function badCursor(): AppError {
  return new AppError("invalid_request", "Invalid cursor. Omit it to start from the first page.", {
    details: [{ path: "cursor", message: "Use nextCursor from the previous page." }],
  });
}
