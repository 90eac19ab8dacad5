import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import type { Entity } from "@/lib/base/values/fields";
import { findDriver } from "@/lib/features/connections/drivers/registry";
import { listConnections, listEntities } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { LIST_LIMIT_MAX, objectIdText } from "@/lib/platform/http/schema";
import { shortText, upToBytes } from "./short";
import { BOTH, defineTool } from "./tool";

const ENTITIES_MAX = 100;
const ENTITIES_DEFAULT = 50;
/** Maximum number of columns in a table's description. */
const COLUMNS_MAX = 300;
const REFERENCES_MAX = 100;
/** Maximum size within a result for the model (T64); the rest is for the frame. */
const LIST_BYTES_MAX = 28 * 1024;
const COLUMNS_BYTES_MAX = 20 * 1024;
const REFERENCES_BYTES_MAX = 4 * 1024;
/** Some databases list each value of an enumeration in its type. */
const TYPE_CHARS_MAX = 200;

const entityName = z.string().min(1).max(255);
const reference = z.object({ schema: z.string().optional(), name: z.string(), columns: z.array(z.string()) });

const listConnectionsTool = defineTool({
  name: "list_connections",
  description: "Lists the databases of the workspace with their IDs, languages and dialects. Start here.",
  input: z.object({}),
  output: z.object({
    connections: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.string(),
        language: z.enum(["sql", "mongodb"]).nullable().describe("null: only flows can read it"),
        dialect: z.string().nullable(),
        readOnly: z.boolean(),
        status: z.string(),
      }),
    ),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }) => {
    const { items } = await listConnections(caller, { limit: LIST_LIMIT_MAX });
    return {
      connections: items.map(({ id, name, type, readOnly, status }) => {
        const driver = findDriver(type);
        return {
          id,
          name,
          type,
          language: driver?.language ?? null,
          dialect: driver?.dialect ?? null,
          readOnly,
          status,
        };
      }),
    };
  },
});

const listEntitiesTool = defineTool({
  name: "list_entities",
  description:
    "Finds tables, views and collections of a connection by words of their names or columns. Search before you describe: databases may have thousands.",
  input: z.object({
    connectionId: objectIdText,
    search: z.string().max(200).optional().describe("Words to search for. Default: all entities"),
    limit: z.int().min(1).max(ENTITIES_MAX).optional(),
    cursor: z.string().max(20).optional().describe("nextCursor of the previous page"),
  }),
  output: z.object({
    entities: z.array(
      z.object({
        name: z.string(),
        schema: z.string().optional(),
        kind: z.string(),
        rowEstimate: z.number().optional(),
        columnCount: z.int().optional(),
      }),
    ),
    total: z.int(),
    nextCursor: z.string().nullable(),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller, signal }, { connectionId, search, limit = ENTITIES_DEFAULT, cursor }) => {
    const found = matching(await entitiesOf(caller, connectionId, signal), search ?? "");
    const from = /^\d{1,9}$/.test(cursor ?? "0") ? Number(cursor ?? 0) : 0;
    const shown = upToBytes(found.slice(from, from + limit), LIST_BYTES_MAX);
    const end = from + shown.length;
    return {
      entities: shown.map(({ name, schema, kind, rowEstimate, columns }) => ({
        name,
        ...(schema !== undefined && { schema }),
        kind,
        ...(rowEstimate !== undefined && { rowEstimate }),
        ...(columns && { columnCount: columns.length }),
      })),
      total: found.length,
      nextCursor: end < found.length ? String(end) : null,
    };
  },
});

const describeEntityTool = defineTool({
  name: "describe_entity",
  description: "Returns the columns and keys of a table, view or collection, and the tables it references.",
  input: z.object({ connectionId: objectIdText, name: entityName, schema: entityName.optional() }),
  output: z.object({
    name: z.string(),
    schema: z.string().optional(),
    kind: z.string(),
    rowEstimate: z.number().optional(),
    columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean(), primaryKey: z.boolean() })),
    columnCount: z.int().describe("Total number of columns, if more than the returned ones"),
    foreignKeys: z.array(z.object({ columns: z.array(z.string()), references: reference })),
    referencedBy: z.array(
      z.object({
        name: z.string(),
        schema: z.string().optional(),
        columns: z.array(z.string()),
        foreignColumns: z.array(z.string()),
      }),
    ),
  }),
  writes: null,
  agents: BOTH,
  run: async ({ caller, signal }, { connectionId, name, schema }) => {
    const entities = await entitiesOf(caller, connectionId, signal);
    return toShort(toDescription(entities, find(entities, name, schema)));
  },
});

export const connectionTools = [listConnectionsTool, listEntitiesTool, describeEntityTool];

/** Describes a table for the tool and for the protocol's resource. */
export function toDescription(entities: readonly Entity[], entity: Entity) {
  const { name, schema, kind, rowEstimate, columns = [] } = entity;
  const { foreignKeys = [] } = entity;
  const referencedBy = entities.flatMap((other) =>
    (other.foreignKeys ?? [])
      .filter(({ references }) => references.name === name && (references.schema ?? schema) === schema)
      .map(({ columns: own, references }) => ({
        name: other.name,
        ...(other.schema !== undefined && { schema: other.schema }),
        columns: references.columns,
        foreignColumns: own,
      })),
  );
  return {
    name,
    ...(schema !== undefined && { schema }),
    kind,
    ...(rowEstimate !== undefined && { rowEstimate }),
    columns: columns.slice(0, COLUMNS_MAX),
    columnCount: columns.length,
    foreignKeys: foreignKeys.slice(0, REFERENCES_MAX),
    referencedBy: referencedBy.slice(0, REFERENCES_MAX),
  };
}

/** Shortens a description to fit a result; `columnCount` is the full number of columns. */
function toShort(description: ReturnType<typeof toDescription>): ReturnType<typeof toDescription> {
  const { columns, foreignKeys, referencedBy } = description;
  const short = columns.map((column) => ({ ...column, type: shortText(column.type, TYPE_CHARS_MAX) }));
  return {
    ...description,
    columns: upToBytes(short, COLUMNS_BYTES_MAX),
    foreignKeys: upToBytes(foreignKeys, REFERENCES_BYTES_MAX),
    referencedBy: upToBytes(referencedBy, REFERENCES_BYTES_MAX),
  };
}

export function entitiesOf(caller: Caller, connectionId: string, signal: AbortSignal): Promise<Entity[]> {
  return listEntities(caller, new ObjectId(connectionId), { refresh: false, signal });
}

/** Finds an entity by name, ignoring case if that is unambiguous. @throws AppError `not_found` with similar names */
function find(entities: readonly Entity[], name: string, schema: string | undefined): Entity {
  const [ownSchema, ownName] = schema === undefined && name.includes(".") ? splitName(name) : [schema, name];
  const inSchema = (entity: Entity) => ownSchema === undefined || entity.schema === ownSchema;
  const exact =
    entities.find((entity) => entity.name === name && (schema === undefined || entity.schema === schema)) ??
    entities.find((entity) => entity.name === ownName && inSchema(entity));
  if (exact) return exact;
  const folded = entities.filter((entity) => entity.name.toLowerCase() === ownName.toLowerCase());
  if (folded.length === 1 && folded[0]) return folded[0];
  const near = matching(entities, name).slice(0, 5);
  const hint = near.length > 0 ? ` Similar: ${near.map((entity) => entity.name).join(", ")}.` : "";
  throw new AppError("not_found", `Table not found. Search with list_entities.${hint}`);
}

function splitName(name: string): [string, string] {
  const dot = name.indexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** Returns the entities that match any of the words, the best match first; all of them without words. */
function matching(entities: readonly Entity[], search: string): Entity[] {
  const words = search
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map(stem);
  if (words.length === 0) return [...entities];
  const scored = entities.map((entity) => ({ entity, score: scoreOf(entity, words) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.entity.name.length - b.entity.name.length)
    .map(({ entity }) => entity);
}

function scoreOf(entity: Entity, words: readonly string[]): number {
  const name = entity.name.toLowerCase();
  const columns = (entity.columns ?? []).map((column) => column.name.toLowerCase());
  return words.reduce((sum, word) => {
    if (name === word) return sum + 20;
    if (name.startsWith(word)) return sum + 10;
    if (name.includes(word)) return sum + 6;
    return columns.some((column) => column.includes(word)) ? sum + 1 : sum;
  }, 0);
}

/** Returns a stem: users say "orders" and "order". */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word;
}
