import { z } from "zod";
import { FIELD_TYPES } from "@/lib/base/values/fields";

/** The first rows of a stored result, with long cells shortened. */
export const resultPreviewSchema = z.object({
  fields: z.array(z.object({ name: z.string(), type: z.enum(FIELD_TYPES), dbType: z.string() })),
  rows: z.array(z.record(z.string(), z.unknown())).describe("First rows; values over 200 characters are truncated"),
  rowCount: z.int().nonnegative().describe("Rows of the whole result"),
  keptRows: z.int().nonnegative().describe("Number of stored rows"),
  bytes: z.int().nonnegative(),
});
export type ResultPreview = z.infer<typeof resultPreviewSchema>;
