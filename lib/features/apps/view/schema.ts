import { z } from "zod";
import { isoDate } from "@/lib/platform/http/schema";

export const viewTokenSchema = z.object({
  token: z.string(),
  url: z.string().describe("The app's first page; its files and `__data/` lie below"),
  sha: z.string().describe("The commit that is served"),
  expiresAt: isoDate,
});
export type ViewToken = z.infer<typeof viewTokenSchema>;

/** Any text: what is no token is answered as a wrong one. */
export const viewToken = z.string().max(500);
/** The server reads no more of a request's head than this. */
const ADDRESS_CHARS_MAX = 16 * 1024;
/** The rest of the address, which comes in its parts; what is served is read from the address itself. */
export const viewPath = z.preprocess(
  (value) => (Array.isArray(value) ? value.join("/") : value),
  z.string().max(ADDRESS_CHARS_MAX).optional(),
);
