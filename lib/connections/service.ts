import "server-only";
import { ObjectId } from "mongodb";
import { collections } from "@/lib/db/collections";
import { env } from "@/lib/env";
import { AppError } from "@/lib/http/errors";
import { LIST_LIMIT_MAX } from "@/lib/http/schema";
import type { Entity } from "./data-source";
import { driverOf } from "./drivers/registry";
import { type ConnectionDoc, toConnection } from "./model";
import { openDataSource } from "./pool";
import type { Connection } from "./schema";

/** The name that the interface's readers know the demo data by (contract, section 2). */
const SAMPLE_NAME = "Sample shop";
/** Reading a schema is quick everywhere; who waits longer than this waits for a source that hangs. */
const ENTITIES_TIMEOUT_MS = 30_000;
/** A schema rarely changes while somebody looks at it; `refresh=1` does not wait for this. */
const ENTITIES_CACHE_MS = 60_000;
const ENTITIES_CACHE_MAX = 200;

/** Adds the sample shop to a new workspace, read-only, unless the installation leaves it out. */
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
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  });
}

/** The workspace's connections, oldest first. */
export async function listConnections(workspaceId: ObjectId, limit = LIST_LIMIT_MAX): Promise<Connection[]> {
  const docs = await collections.connections().find({ workspaceId }).sort({ createdAt: 1 }).limit(limit).toArray();
  return docs.map((doc) => toConnection(doc, secretsOf(doc.type)));
}

/** @throws AppError `not_found`, the same for an unknown id and for another workspace's */
export async function getConnection(workspaceId: ObjectId, connectionId: ObjectId): Promise<Connection> {
  const doc = await getConnectionDocOrThrow(workspaceId, connectionId);
  return toConnection(doc, secretsOf(doc.type));
}

/** The stored record, for opening it. @throws AppError `not_found` */
export async function getConnectionDocOrThrow(workspaceId: ObjectId, connectionId: ObjectId): Promise<ConnectionDoc> {
  const doc = await collections.connections().findOne({ _id: connectionId, workspaceId });
  if (!doc) throw new AppError("not_found", "There is no such connection in this workspace.");
  return doc;
}

type CachedEntities = { readAt: number; entities: Entity[] };
const entitiesCache = new Map<string, CachedEntities>();

/**
 * What can be queried through a connection: tables, views, collections.
 * @param refresh reads anew instead of answering what was read within the last minute
 * @throws AppError `not_found`, `source_unreachable`, `timeout`
 */
export async function listEntities(
  workspaceId: ObjectId,
  connectionId: ObjectId,
  options: { refresh: boolean; signal: AbortSignal },
): Promise<Entity[]> {
  const doc = await getConnectionDocOrThrow(workspaceId, connectionId);
  const cacheKey = `${doc._id.toHexString()}:${doc.updatedAt.getTime()}`;
  const cached = entitiesCache.get(cacheKey);
  if (cached && !options.refresh && Date.now() - cached.readAt < ENTITIES_CACHE_MS) return cached.entities;

  const timeout = AbortSignal.timeout(ENTITIES_TIMEOUT_MS);
  const source = await openDataSource(doc);
  let entities: Entity[];
  try {
    entities = await source.entities(AbortSignal.any([options.signal, timeout]));
  } catch (error) {
    if (timeout.aborted) {
      throw new AppError("timeout", "The data source did not list its tables in time. Try again.", { cause: error });
    }
    throw error;
  }
  entitiesCache.delete(cacheKey);
  entitiesCache.set(cacheKey, { readAt: Date.now(), entities });
  const oldest = entitiesCache.keys().next().value;
  if (entitiesCache.size > ENTITIES_CACHE_MAX && oldest !== undefined) entitiesCache.delete(oldest);
  return entities;
}

function secretsOf(type: string): ReadonlySet<string> {
  return new Set(
    driverOf(type)
      .fields.filter((field) => field.secret)
      .map((field) => field.name),
  );
}
