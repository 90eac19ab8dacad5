import { z } from "zod";
import { KEY_ACCESS } from "@/lib/platform/access/caller";
import { isoDate, objectIdText, trimmedText } from "@/lib/platform/http/schema";

const NAME_MAX = 80;

export const createApiKeyBody = z.object({
  name: trimmedText(NAME_MAX, "Say what the key is for."),
  /** Null or absent: the key does not expire. */
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((date) => date.getTime() > Date.now(), "Choose a time that is still to come.")
    .nullish(),
  access: z
    .enum(KEY_ACCESS)
    .default("full")
    .describe("read: refused on every write, and its queries only read, whatever their connection allows"),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;

export const apiKeySchema = z.object({
  id: objectIdText,
  name: z.string(),
  prefix: z.string().describe("The first characters of the key, to recognise it by"),
  access: z.enum(KEY_ACCESS),
  createdBy: objectIdText,
  createdAt: isoDate,
  expiresAt: isoDate.nullable(),
  lastUsedAt: isoDate.nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema.extend({ key: z.string().describe("Shown this once") });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
