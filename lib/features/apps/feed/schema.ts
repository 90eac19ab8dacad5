import { z } from "zod";
import { access } from "@/lib/features/folders/schema";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

/** One screen of cards, and the maximum that a page can render at once. */
const PAGE_DEFAULT = 24;
const PAGE_MAX = 100;

export const feedQuery = z.object({
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/, "Invalid cursor. Omit it to start from the first page.")
    .optional()
    .describe("nextCursor from the previous page, unchanged"),
  limit: z
    .string()
    .regex(/^-?\d+$/, "limit must be an integer.")
    .optional()
    .transform((text) => (text === undefined ? PAGE_DEFAULT : Math.min(PAGE_MAX, Math.max(1, Number(text)))))
    .meta({
      reference: { type: "integer", default: PAGE_DEFAULT, description: `Clamped to 1..${PAGE_MAX}` },
    }),
});
export type FeedQuery = z.output<typeof feedQuery>;

const cardSchema = z.object({
  id: objectIdText,
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  access,
  owner: z.object({ id: objectIdText, name: z.string() }),
  thumbnailUrl: z.string().nullable(),
  publishedAt: isoDate.nullable(),
  updatedAt: isoDate,
  views: z.int(),
  favorite: z.boolean(),
  shared: z.boolean().describe("Shared by link"),
});
export type Card = z.infer<typeof cardSchema>;

export const feedSchema = z.object({
  popular: z.array(cardSchema).optional().describe("First page only, up to 8"),
  fresh: z.array(cardSchema).optional().describe("The same"),
  apps: z.array(cardSchema),
  nextCursor: z.string().nullable(),
});
export type Feed = z.infer<typeof feedSchema>;

export const overviewSchema = z.object({
  mine: z.int(),
  favorites: z.int(),
  shared: z.int().describe("Apps shared by link"),
  bench: z
    .array(
      z.object({
        id: objectIdText,
        slug: z.string(),
        title: z.string(),
        changes: z.int().describe("Uncommitted files"),
      }),
    )
    .describe("Up to 20 apps you edited last, newest first"),
});
export type Overview = z.infer<typeof overviewSchema>;
