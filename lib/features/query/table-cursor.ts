import { z } from "zod";
import { AppError } from "@/lib/platform/http/errors";

/**
 * Maximum number of rows for pages that are counted from the beginning, since nothing tells their rows apart. Each page
 * is slower than the one before.
 */
export const COUNTED_ROWS_MAX = 10_000;

/** A sort value as text; null for none, and true for one that is too long and is read from the row itself. */
const place = z.union([z.string(), z.null(), z.literal(true)]);
const cursorShape = z.union([
  z.strictObject({ order: z.array(place).min(1), equal: z.int().min(1).optional(), before: z.int().min(1) }),
  z.strictObject({ skip: z.int().min(1).max(COUNTED_ROWS_MAX) }),
]);
/**
 * Identifies a page by the row before it, as its sort values, or by the number of rows before it. `equal` counts the
 * rows before it with the same values, if those do not distinguish rows.
 */
export type Cursor = z.infer<typeof cursorShape>;
export type OrderCursor = Extract<Cursor, { order: unknown }>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Returns the cursor of the page after a counted one; null beyond the limit. */
export function writeCount(rowCount: number): string | null {
  return rowCount >= COUNTED_ROWS_MAX ? null : writeCursor({ skip: rowCount });
}

/** @throws AppError `invalid_request` for a cursor that does not fit the request */
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
  return new AppError("invalid_request", "This cursor belongs to another query. Start from the first page.", {
    details: [{ path: "after", message: "Invalid cursor." }],
  });
}
