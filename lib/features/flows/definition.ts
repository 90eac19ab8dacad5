import "server-only";
import { ObjectId } from "mongodb";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { isOverLimit, type NameLimit, overLimitText } from "@/lib/features/connections/name-limit";
import { withDataSource } from "@/lib/features/connections/pool";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import type { FlowDefinition, FlowDestination, FlowEntity, FlowMode, QuerySource, SyncSource } from "./model";
import type { CreateFlowBody, UpdateFlowBody } from "./schema";

type GivenSource = NonNullable<UpdateFlowBody["source"]>;

/** Converts the definition in a request to the stored form. */
export function toDefinition(name: string, body: Pick<CreateFlowBody, "type" | "source" | "destination" | "mode">) {
  const { type, destination, mode = "full" } = body;
  const kept: FlowDestination = {
    connectionId: new ObjectId(destination.connectionId),
    ...(destination.schema !== undefined && { schema: destination.schema }),
    ...(destination.table !== undefined && { table: destination.table }),
    write: destination.write,
  };
  // Stored with the flow, so that a renamed flow keeps writing to its table.
  if (type !== "sync") kept.table ??= tableNameOf(name);
  if (type === "webhook") return { type, source: null, destination: kept, mode } satisfies FlowDefinition;
  const source = body.source as GivenSource;
  const connectionId = new ObjectId(source.connectionId);
  if (type === "sync") {
    if (!("entities" in source)) throw invalidInput("source", "A sync requires entities.");
    return {
      type,
      source: { connectionId, entities: source.entities.map(toEntity) } satisfies SyncSource,
      destination: kept,
      mode,
    } satisfies FlowDefinition;
  }
  if (!("query" in source)) throw invalidInput("source", "A query flow requires a query.");
  const { query, primaryKey } = source;
  const kind: QuerySource = { connectionId, query, ...(primaryKey && { primaryKey }) };
  return { type, source: kind, destination: kept, mode } satisfies FlowDefinition;
}

function toEntity({ name, schema, cursorField, primaryKey }: FlowEntity): FlowEntity {
  return {
    name,
    ...(schema !== undefined && { schema }),
    ...(cursorField !== undefined && { cursorField }),
    ...(primaryKey !== undefined && { primaryKey }),
  };
}

/**
 * Validates the definition of a flow, before it is stored.
 * @throws AppError `invalid_request`; `not_found` for a connection that is not in the workspace; `read_only`
 */
export async function judgeDefinition(caller: Caller, definition: FlowDefinition): Promise<void> {
  judgeShape(definition);
  const { destination, source } = definition;
  const [into, from] = await Promise.all([
    getConnectionDocOrThrow(caller, destination.connectionId),
    source && getConnectionDocOrThrow(caller, source.connectionId),
  ]);
  await judgeConnections(definition, into, from);
}

/**
 * Checks the rules that need no connection.
 * @throws AppError `invalid_request`
 */
export function judgeShape(definition: FlowDefinition): void {
  const { type, destination, mode } = definition;
  const { write, table } = destination;
  if (type === "webhook") {
    if (write === "replace") {
      throw invalidInput("destination.write", "Webhook flows support append and upsert only.");
    }
    return;
  }
  if (mode === "incremental" && write === "replace") {
    throw invalidInput(
      "destination.write",
      "Replace requires a full refresh. Use upsert or append for incremental flows.",
    );
  }
  if (type === "query") {
    if (mode === "incremental") {
      throw invalidInput("mode", "Query flows can't be incremental. Use a sync flow.");
    }
    if (write === "upsert" && !definition.source.primaryKey?.length) throw noKey("source.primaryKey", "the query");
    return;
  }
  const { entities } = definition.source;
  if (table !== undefined && entities.length > 1) {
    throw invalidInput("destination.table", "Omit the table when there are several entities. Each gets its own table.");
  }
  const tables = new Set<string>();
  for (const [index, entity] of entities.entries()) {
    const path = `source.entities.${index}`;
    if (mode === "incremental" && entity.cursorField === undefined) requireCursor(entity, `${path}.cursorField`);
    if (write === "upsert" && !entity.primaryKey?.length) throw noKey(`${path}.primaryKey`, entity.name);
    // Names are compared without case, since databases differ in whether it distinguishes them.
    const target = entity.name.toLowerCase();
    if (tables.has(target)) throw invalidInput(`${path}.name`, `Two entities map to table ${entity.name}.`);
    tables.add(target);
  }
}

/** @throws AppError `invalid_request` for an entity that cannot be read from a position */
export function requireCursor({ name, cursorField }: FlowEntity, path: string): void {
  if (cursorField !== undefined) return;
  throw invalidInput(path, `Incremental sync of ${name} requires a cursor field.`);
}

async function judgeConnections(
  definition: FlowDefinition,
  into: ConnectionDoc,
  from: ConnectionDoc | null,
): Promise<void> {
  if (into.category === "source") {
    throw invalidInput("destination.connectionId", "This connection can't be a destination. Choose a database.");
  }
  if (mayOnlyRead(into)) {
    throw new AppError("read_only", `${into.name} is read-only. Allow writes in its settings, or choose another.`);
  }
  if (!(await hasPort(into, "load"))) {
    throw invalidInput("destination.connectionId", "Flows can't write to this database type.");
  }
  judgeNames(definition, driverOf(into.type).nameLimit);
  if (!from) return;
  const isQuery = definition.type === "query";
  if (!(await hasPort(from, isQuery ? "query" : "extract"))) {
    throw invalidInput(
      "source.connectionId",
      isQuery ? "This connection does not support queries. Use a sync flow." : "Flows can't read this database type.",
    );
  }
  if (definition.type !== "sync" || !from._id.equals(into._id)) return;
  for (const [index, { name, schema }] of definition.source.entities.entries()) {
    const { table = name, schema: targetSchema } = definition.destination;
    if (table.toLowerCase() === name.toLowerCase() && schema === targetSchema) {
      throw invalidInput(`source.entities.${index}.name`, `${name} can't be both source and destination.`);
    }
  }
}

/**
 * Validates the names of the tables that a flow writes: given, or taken from its entities.
 * @throws AppError `invalid_request` for one that the destination would cut
 */
export function judgeNames({ type, source, destination }: FlowDefinition, limit: NameLimit | undefined): void {
  if (limit === undefined) return;
  const { schema, table } = destination;
  if (schema !== undefined && isOverLimit(schema, limit)) {
    throw invalidInput("destination.schema", overLimitText("schema", schema, limit));
  }
  if (table !== undefined) {
    if (isOverLimit(table, limit)) throw invalidInput("destination.table", overLimitText("table", table, limit));
    return;
  }
  if (type !== "sync") return;
  for (const [index, { name }] of source.entities.entries()) {
    if (isOverLimit(name, limit))
      throw invalidInput(`source.entities.${index}.name`, overLimitText("table", name, limit));
  }
}

/**
 * Returns whether a connection supports an operation. True for one that cannot be opened now: its runs report the
 * error.
 */
async function hasPort(connection: ConnectionDoc, port: "load" | "extract" | "query"): Promise<boolean> {
  try {
    return await withDataSource(connection, async (source) => source[port] !== undefined);
  } catch {
    return true;
  }
}

const TABLE_NAME_CHARS_MAX = 60;

/** Returns a name that every database accepts without quotes. */
function tableNameOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, TABLE_NAME_CHARS_MAX);
  return /^[a-z]/.test(plain) ? plain : `flow_${plain}`.replace(/_$/, "");
}

function noKey(path: string, name: string): AppError {
  return invalidInput(path, `Upsert requires a primary key for ${name}.`);
}

/**
 * Checks the mode of a run, which a backfill may choose.
 * @throws AppError `invalid_request`
 */
export function requireMode(definition: FlowDefinition, mode: FlowMode, from: unknown): void {
  if (mode === "full" && from !== undefined) {
    throw invalidInput("from", "`from` requires mode incremental.");
  }
  if (mode === "full") return;
  if (definition.type !== "sync")
    throw invalidInput("mode", "This flow has no cursor field, so `from` is not supported.");
  if (definition.destination.write === "replace") {
    throw invalidInput("mode", "A replace flow requires a full refresh.");
  }
  for (const [index, entity] of definition.source.entities.entries()) {
    requireCursor(entity, `source.entities.${index}.cursorField`);
  }
}
