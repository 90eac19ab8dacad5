import { z } from "zod";
import { AppError } from "@/lib/platform/http/errors";

/** Where nothing tells rows apart, pages are counted from the beginning, which gets slower with each of them. */
export const COUNTED_ROWS_MAX = 10_000;

/** A value of the order as text; null for none, and true for one that is too long and is read from the row itself. */
const place = z.union([z.string(), z.null(), z.literal(true)]);
const cursorShape = z.union([
  z.strictObject({ order: z.array(place).min(1), equal: z.int().min(1).optional(), before: z.int().min(1) }),
  z.strictObject({ skip: z.int().min(1).max(COUNTED_ROWS_MAX) }),
]);
/**
 * The name of a page: the row before it, by its values in the order, or the number of rows before it.
 * `equal` counts the rows before it that have the same values, where those do not tell rows apart.
 */
export type Cursor = z.infer<typeof cursorShape>;
export type OrderCursor = Extract<Cursor, { order: unknown }>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Names the page behind a counted one; null where no more of them are counted. */
export function writeCount(rowCount: number): string | null {
  return rowCount >= COUNTED_ROWS_MAX ? null : writeCursor({ skip: rowCount });
}

/** @throws AppError `invalid_request` for a page that does not fit the question */
export function readCursor(text: string, fits: (cursor: Cursor) => boolean): Cursor {
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw badCursor();
  }
  const { success, data } = cursorShape.safeParse(given);
  if (!success || !fits(data)) throw badCursor();
  return data;
}

export function badCursor(): AppError {
  return new AppError("invalid_request", "This page is of another question. Begin with the first page.", {
    details: [{ path: "after", message: "No page of these rows." }],
  });
}
