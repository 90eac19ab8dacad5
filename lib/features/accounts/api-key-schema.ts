import { z } from "zod";
import { KEY_ACCESS } from "@/lib/platform/access/caller";
import { isoDate, objectIdText, trimmedText } from "@/lib/platform/http/schema";

const NAME_MAX = 80;

export const createApiKeyBody = z.object({
  name: trimmedText(NAME_MAX, "Name is required."),
  /** Null or absent: the key does not expire. */
  expiresAt: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .refine((date) => date.getTime() > Date.now(), "expiresAt must be in the future.")
    .nullish(),
  access: z
    .enum(KEY_ACCESS)
    .default("full")
    .describe("read: rejects all writes and runs queries read-only; full: your permissions"),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;

export const apiKeySchema = z.object({
  id: objectIdText,
  name: z.string(),
  prefix: z.string().describe("Key prefix"),
  access: z.enum(KEY_ACCESS),
  createdBy: objectIdText,
  createdAt: isoDate,
  expiresAt: isoDate.nullable(),
  lastUsedAt: isoDate.nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema.extend({ key: z.string().describe("Returned once") });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;
