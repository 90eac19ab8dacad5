import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";

export const viewTokenSchema = z.object({
  token: z.string(),
  url: z.string().describe("The app's first page; its files and `__data/` lie below"),
  sha: z.string().describe("The commit that is served"),
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
