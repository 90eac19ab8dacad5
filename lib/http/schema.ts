import { z } from "zod";

/** Lists answer this many at the most, and by default (docs/api.md, Common rules). */
export const LIST_LIMIT_MAX = 200;
export const LIST_LIMIT_DEFAULT = 50;

/** A 24-digit hexadecimal object id, as text. */
export const objectIdText = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/, "An id has 24 hexadecimal digits.")
  .describe("24-digit hexadecimal id");

/** An ISO 8601 UTC stamp with milliseconds. */
export const isoDate = z.iso.datetime({ precision: 3 });

/** `limit` of a list: any integer is clamped to 1..200, anything else is refused. */
export const listLimit = limitOr(LIST_LIMIT_DEFAULT);

const cursor = z.string().max(500).optional();
export const listQuery = z.object({ limit: listLimit, cursor });
export type ListQuery = z.infer<typeof listQuery>;

/** For what is a list only beside other things: as much of it as a list may have, unless asked for less. */
export const innerListQuery = z.object({ limit: limitOr(LIST_LIMIT_MAX), cursor });

function limitOr(fallback: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, "The limit is an integer.")
    .optional()
    .transform((text) => (text === undefined ? fallback : Math.min(LIST_LIMIT_MAX, Math.max(1, Number(text)))));
}

/** One page: `nextCursor` is null at the end. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
