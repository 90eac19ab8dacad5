import { z } from "zod";
import { AppError } from "@/lib/http/errors";

/** Where nothing tells rows apart, pages are counted from the beginning, which gets slower with each of them. */
export const COUNTED_ROWS_MAX = 10_000;

const scalar = z.union([z.null(), z.boolean(), z.number(), z.string()]);
const typed = z.union([
  z.strictObject({ $oid: z.string() }),
  z.strictObject({ $numberDecimal: z.string() }),
  z.strictObject({ $date: z.string() }),
  z.strictObject({ $uuid: z.string() }),
]);
const cursorShape = z.union([
  z.strictObject({ values: z.array(scalar).min(1) }),
  z.strictObject({ id: z.union([typed, z.string(), z.number(), z.boolean()]), before: z.int().min(1) }),
  z.strictObject({ skip: z.int().min(1).max(COUNTED_ROWS_MAX) }),
]);
/** What names a page: the values of the row before it in the order, that row's `_id` and how many rows led
 * to it, or how many rows are before it. */
export type Cursor = z.infer<typeof cursorShape>;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Names the page behind a counted one; null where no more of them are counted. */
export function writeCount(rowCount: number): string | null {
  return rowCount >= COUNTED_ROWS_MAX ? null : writeCursor({ skip: rowCount });
}

/** @throws AppError `invalid_request` for a page that does not fit the question */
export function readCursor(text: string, fits: (cursor: Cursor) => boolean): Cursor {
  const refusal = new AppError("invalid_request", "This page is of another question. Begin with the first page.", {
    details: [{ path: "after", message: "No page of these rows." }],
  });
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw refusal;
  }
  const { success, data } = cursorShape.safeParse(given);
  if (!success || !fits(data)) throw refusal;
  return data;
}
