import "server-only";
import { z } from "zod";
import { FIELD_TYPES, FOREIGN_KEYS_MAX } from "@/lib/base/values/fields";
import type { EngineResponse } from "@/lib/platform/embedded/engine/wire";

/*
 * Validates the messages of an engine. It works on untrusted files, one of which may have taken it over: a message
 * outside of the protocol closes its socket. Cells are JSON, which every parsed value is, so they are not checked.
 */

const FAILURES = [
  ...(["invalid_request", "query_failed", "read_only", "not_allowed", "cancelled", "timeout", "unavailable"] as const),
] as const;

const column = z.object({ name: z.string(), type: z.string(), nullable: z.boolean(), primaryKey: z.boolean() });
const foreignKey = z.object({
  columns: z.array(z.string()),
  references: z.object({ schema: z.string().optional(), name: z.string(), columns: z.array(z.string()) }),
});
const entity = z.object({
  name: z.string(),
  schema: z.string().optional(),
  kind: z.enum(["table", "view"]),
  columns: z.array(column).optional(),
  rowEstimate: z.number().optional(),
  foreignKeys: z.array(foreignKey).max(FOREIGN_KEYS_MAX).optional(),
});
const rare = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("fields"),
    fields: z.array(z.object({ name: z.string(), type: z.enum(FIELD_TYPES), dbType: z.string() })),
  }),
  z.object({ type: z.literal("end"), isCut: z.boolean(), affectedRows: z.number().nullish() }),
  z.object({
    type: z.literal("failed"),
    failure: z.object({
      kind: z.enum(FAILURES),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  z.object({ type: z.literal("entities"), entities: z.array(entity) }),
  z.object({ type: z.literal("version"), version: z.string() }),
  z.object({ type: z.literal("transact") }),
  z.object({ type: z.literal("import"), rows: z.int(), note: z.string() }),
  z.object({ type: z.literal("drop") }),
  z.object({ type: z.literal("space"), freeBytes: z.number() }),
  z.object({ type: z.literal("session"), state: z.enum(["idle", "in_transaction", "failed"]) }),
  z.object({
    type: z.literal("parse"),
    fault: z.object({ message: z.string(), offset: z.number().nullable() }).nullable(),
  }),
  z.object({ type: z.literal("hello") }),
]);

/** Returns whether a message is an answer of the protocol. */
export function isResponse(message: unknown): message is EngineResponse {
  return isBatch(message) || rare.safeParse(message).success;
}

/** Checked without a schema: rows come by the million, and only the lengths of their columns matter. */
function isBatch(message: unknown): boolean {
  if (!isObject(message) || message.type !== "batch" || !isObject(message.batch)) return false;
  const { rowCount, columns, isCut } = message.batch;
  return (
    Number.isSafeInteger(rowCount) &&
    Array.isArray(columns) &&
    (rowCount === 0 || columns.length > 0) &&
    columns.every((values) => Array.isArray(values) && values.length === rowCount) &&
    (isCut === undefined || isCut === true)
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
