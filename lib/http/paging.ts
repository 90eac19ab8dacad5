import { ObjectId } from "mongodb";
import { AppError } from "./errors";

/**
 * Reads the cursor of a list that is ordered by id. Null for the first page.
 * @throws AppError `invalid_request`
 */
export function readCursor(cursor: string | undefined): ObjectId | null {
  if (cursor === undefined) return null;
  if (!/^[0-9a-f]{24}$/.test(cursor)) {
    throw new AppError("invalid_request", "This cursor is not one of ours. Leave it out to begin at the start.", {
      details: [{ path: "cursor", message: "Pass back the nextCursor of the page before." }],
    });
  }
  return new ObjectId(cursor);
}

/** Shapes one page out of `limit + 1` documents: the extra one only tells that there are more. */
export function toPage<D extends { _id: ObjectId }, T>(
  docs: D[],
  limit: number,
  toItem: (doc: D) => T,
): { items: T[]; nextCursor: string | null } {
  const shown = docs.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(toItem), nextCursor: docs.length > limit && last ? last._id.toHexString() : null };
}
