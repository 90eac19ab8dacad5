import { z } from "zod";
import { ExactNumber } from "@/lib/base/values/exact-json";

/** Maximum number of items of a list's answer (docs/develop/api.md, Common rules). */
export const LIST_LIMIT_MAX = 200;
export const LIST_LIMIT_DEFAULT = 50;

/** A 24-digit hexadecimal object id, as text. */
export const objectIdText = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/, "IDs must have 24 hexadecimal digits.")
  .describe("24-digit hexadecimal id");

/** An ISO 8601 UTC stamp with milliseconds. */
export const isoDate = z.iso.datetime({ precision: 3 });

/** Pattern of a character that `trim` does not remove (ECMA-262, WhiteSpace and LineTerminator). */
const NOT_BLANK = "[^\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";

/**
 * Returns a schema for a text of at most `max` characters. Counts code points, as JSON Schema does, not halves of
 * surrogate pairs: an emoji is one.
 */
export function boundedText(max: number, tooLong = `At most ${max} characters.`) {
  return z
    .string()
    .refine((text) => isWithin(text, max), tooLong)
    .meta({ maxLength: max });
}

/** Returns a schema for a trimmed text, which must not be empty. @param blank message for an empty one */
export function trimmedText(max: number, blank: string, tooLong = `At most ${max} characters.`) {
  return z
    .string()
    .trim()
    .min(1, blank)
    .refine((text) => isWithin(text, max), tooLong)
    .meta({ maxLength: max, pattern: NOT_BLANK });
}

function isWithin(text: string, max: number): boolean {
  return text.length <= max || (text.length <= max * 2 && [...text].length <= max);
}

/** Pattern of text without the two kinds of characters that are not stored: unpaired surrogates, and NUL. */
export const STORABLE = { pattern: "^[^\\u0000]*$" } as const;
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Maximum characters of a text that names are searched for. */
const SEARCH_CHARS_MAX = 200;
/** A text that names of a list are searched for. */
export const nameSearch = trimmedText(SEARCH_CHARS_MAX, "Search text is required.")
  .refine(isStorable, "Invalid character.")
  .meta({ allOf: [STORABLE] });

/** Returns a schema for an object of any keys with a maximum length as JSON. @param tooLong message for a longer one */
export function shortJson(charsMax: number, tooLong: string) {
  return z.record(z.string(), z.unknown()).refine((value) => isShortJson(value, charsMax), tooLong);
}

/** Returns whether a value's JSON has at most that many characters. */
export function isShortJson(value: unknown, charsMax: number): boolean {
  let chars = 0;
  // A text's length already decides, before it is serialised: an unpaired surrogate takes six characters.
  const count = (name: string, inner: unknown): unknown => {
    chars += name.length + (typeof inner === "string" ? inner.length : 1);
    if (chars > charsMax) throw new RangeError("Too long.");
    return inner;
  };
  // A value that is nested too deeply to be serialised is too long as well.
  try {
    return JSON.stringify(value, count).length <= charsMax;
  } catch {
    return false;
  }
}

const BAD_CURSOR = "Invalid cursor. Omit it to start from the first page.";
/** The `nextCursor` of a list sorted by id. */
export const idCursor = z.string().regex(/^[0-9a-f]{24}$/, BAD_CURSOR);
/** The `nextCursor` of a list with a special order, which validates it (`refuses` of its route). */
const opaqueCursor = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,500}$/, BAD_CURSOR)
  .describe("nextCursor from the previous page, unchanged");

/** `limit` and `cursor` of a list: any integer is clamped to 1..200, anything else is rejected. */
export const listQuery = listQueryOf(idCursor, LIST_LIMIT_DEFAULT);
export const opaqueListQuery = listQueryOf(opaqueCursor, LIST_LIMIT_DEFAULT);
export type ListQuery = z.infer<typeof listQuery>;

const ID_LIST = new RegExp(`^[0-9a-f]{24}(,[0-9a-f]{24}){0,${LIST_LIMIT_MAX - 1}}$`);
/** Ids in a query: far more than the tabs, pages and pickers that name items show at once. */
export const idList = z.string().regex(ID_LIST, `Send up to ${LIST_LIMIT_MAX} ids, separated by commas.`);

/** A list of which the reader may ask for known items. */
export const idListQuery = listQuery.extend({
  ids: idList.optional().describe(`Up to ${LIST_LIMIT_MAX} ids, separated by commas. Missing ones are left out`),
});

/** For a list beside other fields: the maximum of a list by default. */
export const innerListQuery = listQueryOf(idCursor, LIST_LIMIT_MAX);

function listQueryOf<C extends z.ZodType>(cursor: C, fallback: number) {
  return z.object({ limit: limitOr(fallback), cursor: cursor.optional() });
}

/** Accepts any number of digits: they are in an address, whose length is limited. */
function limitOr(fallback: number) {
  return z
    .string()
    .regex(/^-?\d+$/, "limit must be an integer.")
    .optional()
    .transform((text) => (text === undefined ? fallback : Math.min(LIST_LIMIT_MAX, Math.max(1, Number(text)))))
    .meta({
      reference: {
        type: "integer",
        default: fallback,
        description: `Clamped to 1..${LIST_LIMIT_MAX}`,
      },
    });
}

/** Position in a list with a natural bound. */
const placeCursor = z
  .string()
  .regex(/^p\d{1,9}$/, BAD_CURSOR)
  .describe("nextCursor of the previous page");

/** `limit` and `cursor` of a list with a natural bound: without a limit it answers all of it. */
export const boundedListQuery = z.object({
  limit: z
    .string()
    .regex(/^-?\d+$/, "limit must be an integer.")
    .transform((text) => Math.min(LIST_LIMIT_MAX, Math.max(1, Number(text))))
    .meta({ reference: { type: "integer", description: `Clamped to 1..${LIST_LIMIT_MAX}. Default: all` } })
    .optional(),
  cursor: placeCursor.optional(),
});
export type BoundedListQuery = z.infer<typeof boundedListQuery>;

/** Returns a schema for one page: `nextCursor` is null at the end. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** A number that no double holds, in a body that keeps digits: represented by its text from here on. */
export const exactNumber = z
  .instanceof(ExactNumber)
  .transform(({ text }) => text)
  .meta({ reference: { type: "number" } });
