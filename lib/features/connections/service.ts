import "server-only";
import { createHash } from "node:crypto";
import { type Document, type Filter, ObjectId } from "mongodb";
import type { Entity } from "@/lib/base/values/fields";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { findPage, toListFilter } from "@/lib/platform/db/find-page";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { FILES_FILE } from "./browser/imported-file";
import { collections } from "./collections";
import { mergeConfig, openWhatOpens, parseConfig, sealConfig } from "./config";
import type { Driver } from "./data-source";
import { findDriver, listDrivers } from "./drivers/registry";
import { isOwnTable } from "./drivers/shared/flows/sql-load";
import { type ConnectionDoc, toConnection } from "./model";
import { retireDataSource, withDataSource } from "./pool";
import type { Connection, ConnectionType, CreateConnectionBody, EntityName, UpdateConnectionBody } from "./schema";
import type { FindUses, Use } from "./uses";

/** Name of the demo connection (docs/develop/api.md, Accounts). */
const SAMPLE_NAME = "Sample shop";
/** Name of the connection for imported tables. */
const FILES_NAME = "Files";
const OBJECT_ID_CHARS = 24;
/** Time limit of reading a schema, in ms; it is quick everywhere, unless the source hangs. */
const ENTITIES_TIMEOUT_MS = 30_000;
/** Maximum characters of a table's definition. A view may be generated, and longer ones are of no use to a reader. */
const DDL_CHARS_MAX = 1_000_000;
/** Cache lifetime of entities, in ms; `refresh=1` bypasses the cache. A schema rarely changes while it is viewed. */
const ENTITIES_CACHE_MS = 60_000;
const ENTITIES_CACHE_MAX = 200;

/** The test state of a connection that was not tested in its present form. */
const UNTESTED = {
  status: "untested",
  lastTestedAt: null,
  lastError: null,
  serverVersion: null,
  latencyMs: null,
  latencies: [] as { at: Date; ms: number }[],
} as const satisfies Partial<ConnectionDoc>;

/** Adds the read-only sample shop to a new workspace, unless the installation disables it. */
export async function createSampleConnection(workspaceId: ObjectId, userId: ObjectId, now: Date): Promise<void> {
  if (env().SAMPLE_DATA === "off" || env().isVercel) return;
  await collections.connections().insertOne({
    _id: new ObjectId(),
    workspaceId,
    name: SAMPLE_NAME,
    type: "duckdb",
    category: "database",
    readOnly: true,
    config: { sample: true },
    secrets: {},
    ...UNTESTED,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  });
}

/**
 * Returns the ID of the workspace's connection for imported tables, and creates the connection if it is missing. Its ID
 * follows from the workspace's, so two imports at once create one.
 */
export async function ensureFilesConnection({ workspaceId, user }: Caller, now = new Date()): Promise<ObjectId> {
  const _id = filesConnectionId(workspaceId);
  await collections.connections().updateOne(
    { _id, workspaceId },
    {
      $setOnInsert: {
        name: FILES_NAME,
        type: "duckdb",
        category: "database",
        readOnly: true,
        config: { file: FILES_FILE },
        secrets: {},
        ...UNTESTED,
        createdBy: user._id,
        createdAt: now,
        updatedAt: now,
      },
    },
    { upsert: true },
  );
  return _id;
}

/** Returns the ID that a workspace's connection for imported tables has, once it exists. */
export function filesConnectionId(workspaceId: ObjectId): ObjectId {
  const hash = createHash("sha256").update(`files:${workspaceId.toHexString()}`).digest("hex");
  return new ObjectId(hash.slice(0, OBJECT_ID_CHARS));
}

/** Returns the id of a workspace's sample shop; null where it has none. */
export async function findSampleConnectionId(workspaceId: ObjectId): Promise<ObjectId | null> {
  const sample = { workspaceId, "config.sample": true };
  const doc = await collections.connections().findOne(sample, { projection: { _id: 1 } });
  return doc?._id ?? null;
}

/** Deletes the connections of a workspace whose creation failed half-way: no one has used them yet. */
export async function discardConnections(workspaceId: ObjectId): Promise<void> {
  await collections.connections().deleteMany({ workspaceId });
}

/** Returns the connections that read a file of the workspace, at most a page of them. */
export async function listConnectionsOfFile({ workspaceId }: Caller, file: string): Promise<Use[]> {
  const docs = await collections
    .connections()
    .find({ workspaceId, "config.file": file }, { projection: { name: 1 } })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return docs.map(({ _id, name }) => ({ kind: "connection", id: _id.toHexString(), name }));
}

/** Returns the workspace's connections, all or those of a filter, oldest first. */
export async function listConnections(
  { workspaceId }: Caller,
  { ids, q, ...page }: PageRequest & { ids?: string; q?: string },
): Promise<Page<Connection>> {
  const filter = { workspaceId, ...toListFilter({ ids, q }) };
  return findPage(collections.connections(), filter, page, { order: "oldest" }, toConnection);
}

/** Returns a connection. @throws AppError `not_found`, the same for an unknown id and for another workspace's */
export async function getConnection(caller: Caller, connectionId: ObjectId): Promise<Connection> {
  return toConnection(await getConnectionDocOrThrow(caller, connectionId));
}

/** Returns ids and names of the existing connections among these, oldest first. */
export function connectionsById({ workspaceId }: Caller, ids: ObjectId[]): Promise<{ id: string; name: string }[]> {
  return namesOf({ workspaceId, _id: { $in: ids } }, ids.length);
}

/** Returns ids and names of the connections with these names, at most a page of them, oldest first. */
export function connectionsByName({ workspaceId }: Caller, names: string[]): Promise<{ id: string; name: string }[]> {
  return namesOf({ workspaceId, name: { $in: names } }, names.length);
}

async function namesOf(filter: Filter<ConnectionDoc>, asked: number): Promise<{ id: string; name: string }[]> {
  if (asked === 0) return [];
  const docs = await collections
    .connections()
    .find(filter, { projection: { name: 1 } })
    .sort({ _id: 1 })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return docs.map(({ _id, name }) => ({ id: _id.toHexString(), name }));
}

/** The field that `lookUpConnection` adds to a document; absent where no connection was requested. */
export type WithConnection = { connection?: [ConnectionDoc?] };

/** Returns the pipeline stage that puts a connection of the workspace in `connection`. */
export function lookUpConnection(workspaceId: ObjectId, connectionId: ObjectId): Document {
  const from = collections.connections.collectionName;
  return { $lookup: { from, pipeline: [{ $match: { _id: connectionId, workspaceId } }], as: "connection" } };
}

/** Returns the stored record, for opening it. @throws AppError `not_found` */
export async function getConnectionDocOrThrow(
  { workspaceId }: Pick<Caller, "workspaceId">,
  connectionId: ObjectId,
): Promise<ConnectionDoc> {
  const doc = await collections.connections().findOne({ _id: connectionId, workspaceId });
  if (!doc) throw noSuchConnection();
  return doc;
}

/** Returns the ids of those connections that are unchanged in what `opensSameSource` compares. */
export async function findUnchanged(docs: readonly ConnectionDoc[]): Promise<Set<string>> {
  const current = await collections
    .connections()
    .find({ _id: { $in: docs.map(({ _id }) => _id) }, workspaceId: { $in: docs.map((doc) => doc.workspaceId) } })
    .toArray();
  const byId = new Map(current.map((doc) => [doc._id.toHexString(), doc]));
  return new Set(
    docs.flatMap((doc) => {
      const id = doc._id.toHexString();
      const now = byId.get(id);
      return now && opensSameSource(now, doc) ? [id] : [];
    }),
  );
}

/** Returns whether two states of a connection connect to the same place with the same rights; names may differ. */
export function opensSameSource(one: ConnectionDoc, other: ConnectionDoc): boolean {
  const reachOf = ({ type, readOnly, config, secrets }: ConnectionDoc) =>
    JSON.stringify([type, readOnly, config, secrets]);
  return reachOf(one) === reachOf(other);
}

/**
 * Stores a new connection; its secrets are encrypted before they are written.
 * @throws AppError `invalid_request`, `address_refused`
 */
export async function createConnection(
  { workspaceId, user }: Caller,
  body: CreateConnectionBody,
  now = new Date(),
): Promise<Connection> {
  const driver = getDriverOrThrow(body.type);
  const config = parseConfig(driver, body.config);
  await driver.check?.({ workspaceId: workspaceId.toHexString(), config, readOnly: body.readOnly });
  const place = { _id: new ObjectId(), workspaceId };
  const doc: ConnectionDoc = {
    ...place,
    name: body.name,
    type: driver.type,
    category: driver.category,
    readOnly: body.readOnly,
    tag: body.tag,
    confirmWrites: body.confirmWrites,
    ...sealConfig(driver, place, config),
    ...UNTESTED,
    createdBy: user._id,
    createdAt: now,
    updatedAt: now,
  };
  await collections.connections().insertOne(doc);
  return toConnection(doc);
}

/**
 * Changes a connection. Allowed for its creator and admins.
 * @throws AppError `not_found`, `forbidden`, `invalid_request`, `address_refused`, `conflict`
 */
export async function updateConnection(
  caller: Caller,
  connectionId: ObjectId,
  body: UpdateConnectionBody,
): Promise<Connection> {
  const { workspaceId } = caller;
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  requireControl(caller, doc);
  const driver = getDriverOrThrow(body.type ?? doc.type);
  if (isSample(doc) && (body.type || body.config || body.readOnly === false)) {
    throw new AppError("invalid_request", "The sample shop is shared. You can change only its name and tag.");
  }
  const readOnly = body.readOnly ?? doc.readOnly;
  const change: Partial<ConnectionDoc> = {
    name: body.name ?? doc.name,
    readOnly,
    tag: body.tag === undefined ? (doc.tag ?? null) : body.tag,
    confirmWrites: body.confirmWrites ?? doc.confirmWrites ?? "never",
  };
  if (driver.type !== doc.type || body.config) {
    // Another type is another target: nothing of the old config is kept.
    const kept = driver.type === doc.type ? openWhatOpens(doc) : { config: {}, lost: {} };
    const config = parseConfig(driver, mergeConfig(driver, kept, body.config ?? {}));
    await driver.check?.({ workspaceId: workspaceId.toHexString(), config, readOnly });
    Object.assign(change, { type: driver.type, category: driver.category, ...sealConfig(driver, doc, config) });
    Object.assign(change, UNTESTED);
  }
  // The timestamp tells every server's pool that the open source is out of date, so it must increase.
  const updatedAt = new Date(Math.max(Date.now(), doc.updatedAt.getTime() + 1));
  const updated = await collections
    .connections()
    .findOneAndUpdate(
      { _id: connectionId, workspaceId, updatedAt: doc.updatedAt },
      { $set: { ...change, updatedAt } },
      { returnDocument: "after" },
    );
  if (!updated) throw new AppError("conflict", "Someone else changed this connection. Reload it.");
  return toConnection(updated);
}

/**
 * Deletes a connection, unless something uses it and `force` is not given.
 * @param findUses returns its uses; the domains that know them depend on this one
 * @throws AppError `not_found`, `forbidden`, `in_use` with details [{kind, id, name}]
 */
export async function deleteConnection(
  caller: Caller,
  connectionId: ObjectId,
  options: { force: boolean; findUses: FindUses },
): Promise<void> {
  const { workspaceId } = caller;
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  requireControl(caller, doc);
  const uses = await options.findUses(caller, connectionId);
  if (uses.length > 0 && !options.force) {
    throw new AppError(
      "in_use",
      `${uses.length === 1 ? "1 resource uses" : `${uses.length} resources use`} this connection.`,
      {
        details: uses,
      },
    );
  }
  const { deletedCount } = await collections.connections().deleteOne({ _id: connectionId, workspaceId });
  if (deletedCount === 0) throw noSuchConnection();
  retireDataSource(connectionId.toHexString());
}

/**
 * Returns the uses of a connection.
 * @param findUses as in `deleteConnection`
 * @throws AppError `not_found`
 */
export async function listConnectionUses(caller: Caller, connectionId: ObjectId, findUses: FindUses): Promise<Use[]> {
  await getConnectionDocOrThrow(caller, connectionId);
  return findUses(caller, connectionId);
}

/** Returns every kind of connection, with the fields of its form. */
export function listConnectionTypes(): ConnectionType[] {
  return listDrivers().map(
    ({ type, label, engineName, category, icon, fields, readerHint, language, dialect, explain, ...rest }) => ({
      type,
      name: label,
      category,
      engineName: engineName ?? label,
      icon,
      language,
      dialect,
      readerHint,
      // Every field has its help in the response (docs/develop/api.md, Connections), even an empty one.
      fields: fields.map((field) => ({ ...field, help: field.help ?? "" })),
      explain,
      isolationLevels: rest.isolationLevels && [...rest.isolationLevels],
      hasDdl: rest.hasDdl,
      ddlCommits: rest.ddlCommits,
      editsRows: rest.values?.edits || rest.editsDocuments ? (true as const) : undefined,
      editsDocuments: rest.editsDocuments,
    }),
  );
}

function requireControl({ user, role }: Caller, doc: ConnectionDoc): void {
  if (isAtLeast(role, "admin") || doc.createdBy.equals(user._id)) return;
  throw new AppError("forbidden", "Only the connection's creator, admins and owners can change it.");
}

function isSample(doc: ConnectionDoc): boolean {
  return doc.config.sample === true;
}

/** Returns the driver of a type. @throws AppError `invalid_request` for an unknown type */
export function getDriverOrThrow(type: string): Driver {
  const driver = findDriver(type);
  if (driver) return driver;
  throw new AppError("invalid_request", "Unknown connection type.", {
    details: [
      {
        path: "type",
        message: `Must be one of: ${listDrivers()
          .map((each) => each.type)
          .join(", ")}.`,
      },
    ],
  });
}

type CachedEntities = { readAt: number; entities: Entity[] };
const entitiesCache = new Map<string, CachedEntities>();

/** Drops the cached entities of a connection whose tables have changed. */
export function forgetEntities(connectionId: ObjectId): void {
  const prefix = `${connectionId.toHexString()}:`;
  for (const key of entitiesCache.keys()) if (key.startsWith(prefix)) entitiesCache.delete(key);
}

/**
 * Returns the tables, views and collections of a connection.
 * @param refresh reads from the source instead of the cache of the last minute
 * @throws AppError `not_found`, `source_unreachable`, `timeout`
 */
export async function listEntities(
  caller: Caller,
  connectionId: ObjectId,
  options: { refresh: boolean; signal: AbortSignal },
): Promise<Entity[]> {
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  const cacheKey = `${doc._id.toHexString()}:${doc.updatedAt.getTime()}`;
  const cached = entitiesCache.get(cacheKey);
  if (cached && !options.refresh && Date.now() - cached.readAt < ENTITIES_CACHE_MS) return cached.entities;

  const all = await withDataSource(doc, (source) => inTime(options.signal, (signal) => source.entities(signal)));
  // The bookkeeping of flows is stored beside their tables, and is hidden.
  const entities = all.filter(({ name }) => !isOwnTable(name));
  entitiesCache.delete(cacheKey);
  entitiesCache.set(cacheKey, { readAt: Date.now(), entities });
  const oldest = entitiesCache.keys().next().value;
  if (entitiesCache.size > ENTITIES_CACHE_MAX && oldest !== undefined) entitiesCache.delete(oldest);
  return entities;
}

/**
 * Returns one entity of `listEntities`.
 * @throws AppError `not_found` for one that does not exist, or that this connection does not show; as `listEntities`
 */
export async function getEntityOrThrow(
  caller: Caller,
  connectionId: ObjectId,
  { name, schema }: EntityName,
  signal: AbortSignal,
): Promise<Entity> {
  const find = async (refresh: boolean, wanted: string | undefined) => {
    const named = (await listEntities(caller, connectionId, { refresh, signal })).filter((each) => each.name === name);
    const found = named.find((each) => each.schema === wanted);
    return found ?? (wanted === undefined ? named[0] : undefined);
  };
  // It may have been created since the list was read.
  const entity =
    (await find(false, schema)) ??
    (schema !== undefined && schema === (await readDefaultSchema(caller, connectionId, signal))
      ? ((await find(false, undefined)) ?? (await find(true, undefined)))
      : await find(true, schema));
  // Without a schema the first match of any schema is found, which may not be the named default one.
  if (entity && (schema === undefined || (entity.schema ?? schema) === schema)) return entity;
  throw noSuchEntity(name);
}

/** Returns the schema that the list of entities omits; null for none. */
async function readDefaultSchema(caller: Caller, connectionId: ObjectId, signal: AbortSignal): Promise<string | null> {
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  return withDataSource(doc, (source) =>
    inTime(signal, async (inner) => (await source.defaultSchema?.(inner)) ?? null),
  );
}

/** Creates the error for an entity that does not exist or has no readable columns. */
export function noSuchEntity(name: string): AppError {
  return new AppError("not_found", `Table or view ${name} not found, or access is denied.`);
}

/**
 * Returns the statements that create a table, view or collection.
 * @throws AppError `invalid_request` for a kind of connection without definitions; `too_large`; as `getEntityOrThrow`
 */
export async function readDdl(
  caller: Caller,
  connectionId: ObjectId,
  { name, signal }: { name: EntityName; signal: AbortSignal },
): Promise<{ text: string }> {
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  const { hasDdl, label } = getDriverOrThrow(doc.type);
  if (!hasDdl) throw new AppError("invalid_request", `${label} does not support DDL.`);
  const entity = await getEntityOrThrow(caller, connectionId, name, signal);
  const text = await withDataSource(doc, (source) => inTime(signal, async (inner) => source.ddl?.(entity, inner)));
  if (text === undefined) throw new Error(`Driver ${doc.type} declares DDL support without implementing it.`);
  if (text.length > DDL_CHARS_MAX) {
    throw new AppError("too_large", "The DDL is too long to show. Get it from the database.");
  }
  return { text };
}

async function inTime<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(ENTITIES_TIMEOUT_MS);
  try {
    return await work(AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new AppError("timeout", "The data source timed out. Try again.", { cause: error });
  }
}

/** Creates the same error for an unknown id and for another workspace's. */
export function noSuchConnection(): AppError {
  return new AppError("not_found", "Connection not found.");
}
