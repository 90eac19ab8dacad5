import "server-only";
import type { Db } from "mongodb";
import type { Entity, EntityColumn } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX, type SchemaChoice } from "@/lib/features/connections/schema";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { shapeOf } from "./fields";

/** Documents per collection that the schema tree samples for fields. */
const SAMPLE_DOCUMENTS = 20;
/** Collections that are sampled at once; the pool has a few more places. */
const AT_ONCE = 4;
/** Maximum number of collections in a tree that shows fields. */
const SAMPLED_MAX = 200;

/**
 * Returns the collections and views with the fields of their first documents.
 * @param shown their names; null for all
 */
export async function readEntities(db: Db, shown: readonly string[] | null, signal: AbortSignal): Promise<Entity[]> {
  const filter = shown ? { name: { $in: [...shown] } } : {};
  const found = await db.listCollections(filter, { nameOnly: true, signal }).toArray();
  const names = found
    .filter(({ name }) => !name.startsWith("system."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type }) => ({ name, kind: type === "view" ? ("view" as const) : ("collection" as const) }));
  const reads = new Semaphore(AT_ONCE, names.length);
  return Promise.all(
    names.map(async ({ name, kind }, index): Promise<Entity> => {
      if (index >= SAMPLED_MAX) return { name, kind };
      return reads.run(async () => {
        const columns = await sampleColumns(db, name, signal);
        const rowEstimate = kind === "view" ? undefined : await estimate(db, name, signal);
        return { name, kind, columns, ...(rowEstimate !== undefined && { rowEstimate }) };
      }, signal);
    }),
  );
}

/** Returns the names of collections and views. */
export async function readNames(db: Db, signal: AbortSignal): Promise<SchemaChoice[]> {
  const found = await db.listCollections({}, { nameOnly: true, signal }).toArray();
  const names = found.map(({ name }) => name).filter((name) => !name.startsWith("system."));
  return names
    .sort()
    .slice(0, SCHEMA_CHOICES_MAX)
    .map((name) => ({ name }));
}

async function sampleColumns(db: Db, name: string, signal: AbortSignal): Promise<EntityColumn[]> {
  const documents = await db.collection(name).find({}, { limit: SAMPLE_DOCUMENTS, signal }).toArray();
  return shapeOf(documents, true).fields.map((field) => ({
    name: field.name,
    type: field.dbType,
    nullable: field.name !== "_id",
    primaryKey: field.name === "_id",
  }));
}

async function estimate(db: Db, name: string, signal: AbortSignal): Promise<number> {
  const { n } = await db.command({ count: name }, { signal, promoteValues: true, promoteLongs: true });
  return Number(n);
}
