import { z } from "zod";
import { isoDate, objectIdText } from "@/lib/http/schema";

export const CONNECTION_STATUS = ["untested", "ok", "failing"] as const;

/** `config` is what the driver's form asks for, with `{set: true}` in place of every secret. */
export const connectionSchema = z.object({
  id: objectIdText,
  name: z.string(),
  type: z.string(),
  category: z.enum(["database", "source"]),
  readOnly: z.boolean(),
  config: z.record(z.string(), z.unknown()),
  status: z.enum(CONNECTION_STATUS),
  lastTestedAt: isoDate.nullable(),
  lastError: z.string().nullable(),
  createdBy: objectIdText,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Connection = z.infer<typeof connectionSchema>;

export const entitySchema = z.object({
  name: z.string(),
  schema: z.string().optional(),
  kind: z.enum(["table", "view", "collection", "resource"]),
  columns: z
    .array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean(), primaryKey: z.boolean() }))
    .optional(),
  rowEstimate: z.number().optional(),
});

/** `refresh=1` reads the schema anew. */
export const entitiesQuery = z.object({ refresh: z.enum(["0", "1"]).optional() });
