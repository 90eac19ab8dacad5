import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";

export const viewTokenSchema = z.object({
  token: z.string(),
  url: z.string().describe("URL of the app's first page; its files and `__data/` are below it"),
  sha: z.string().describe("Served commit"),
  expiresAt: isoDate,
});
export type ViewToken = z.infer<typeof viewTokenSchema>;

/** Any text: an invalid token gets the same response as a wrong one. */
export const viewToken = z.string().max(500);
/** The server reads no longer request head. */
const ADDRESS_CHARS_MAX = 16 * 1024;
/** Rest of the address, in parts. The served path is read from the URL itself. */
export const viewPath = z.preprocess(
  (value) => (Array.isArray(value) ? value.join("/") : value),
  z.string().max(ADDRESS_CHARS_MAX).optional(),
);
