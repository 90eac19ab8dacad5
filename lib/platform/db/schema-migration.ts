import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { version as millrace } from "@/package.json";
import { collections, type SchemaStampDoc } from "./collections";
import { isDuplicateKey } from "./duplicate-key";
import { NewerSchema } from "./newer-schema";

/** Pause between two checks of a server that waits for another one's migration, in ms. */
const POLL_MS = 250;
/** Pause between two log lines of a waiting server, in ms. */
const SAY_EVERY_MS = 10_000;

/** A step from one schema version to the next. It runs again if its server was killed, so it must be idempotent. */
export type SchemaMigration = { name: string; run: (signal: AbortSignal) => Promise<void> };

export type MigrationOptions = { leaseMs?: number; pollMs?: number };

/**
 * Checks the schema version of the store and changes nothing.
 * @throws NewerSchema
 */
export async function refuseNewerSchema(known: number): Promise<void> {
  const stamp = await stamps().findOne({ _id: "schema" });
  if (stamp && stamp.version > known) throw new NewerSchema(stamp, known);
}

/**
 * Migrates the store to the newest schema version: `migrations[n]` leads from version n to n + 1. Of several servers one
 * migrates and the others wait. A server that does not renew its lease loses it, and another one continues.
 * @throws NewerSchema; what a migration throws, after its lock is released
 */
export async function migrateSchema(
  migrations: readonly SchemaMigration[],
  { leaseMs = LEASE_MS, pollMs = POLL_MS }: MigrationOptions = {},
): Promise<void> {
  const target = migrations.length;
  let saidAt = performance.now();
  for (;;) {
    const stamp = await readStamp();
    if (stamp.version > target) throw new NewerSchema(stamp, target);
    if (stamp.version === target) return;
    const holder = await takeLock(stamp.version, leaseMs);
    if (holder) {
      await runMigrations(migrations, stamp.version, holder, leaseMs);
      continue;
    }
    if (performance.now() - saidAt >= SAY_EVERY_MS) {
      log.info({ version: stamp.version, target }, "waiting for another server that migrates the store");
      saidAt = performance.now();
    }
    await sleep(pollMs);
  }
}

function stamps(): Collection<SchemaStampDoc> {
  return collections.installation() as unknown as Collection<SchemaStampDoc>;
}

/** Returns the stamp; a database without one has version 0. */
async function readStamp(): Promise<SchemaStampDoc> {
  const stamp = await stamps().findOne({ _id: "schema" });
  if (stamp) return stamp;
  const fresh: SchemaStampDoc = { _id: "schema", version: 0, millrace };
  try {
    await stamps().insertOne(fresh);
    return fresh;
  } catch (error) {
    // Another server inserted it concurrently.
    if (!isDuplicateKey(error)) throw error;
    return (await stamps().findOne({ _id: "schema" })) ?? fresh;
  }
}

async function takeLock(version: number, leaseMs: number): Promise<ObjectId | null> {
  const holder = new ObjectId();
  const { modifiedCount } = await stamps().updateOne(
    {
      _id: "schema",
      version,
      $or: [{ lock: { $exists: false } }, { $expr: { $lt: ["$lock.until", "$$NOW"] } }],
    },
    [{ $set: { lock: { holder, until: { $add: ["$$NOW", leaseMs] } } } }],
  );
  return modifiedCount === 1 ? holder : null;
}

async function runMigrations(
  migrations: readonly SchemaMigration[],
  from: number,
  holder: ObjectId,
  leaseMs: number,
): Promise<void> {
  const held = { _id: "schema" as const, "lock.holder": holder };
  const lost = new AbortController();
  const renew = async () => {
    const until = { $add: ["$$NOW", leaseMs] };
    const { matchedCount } = await stamps().updateOne(held, [{ $set: { "lock.until": until } }]);
    if (matchedCount === 0) lost.abort(new Error("Another server has taken over the migration."));
  };
  // A failed renewal is retried; the lease decides.
  const heart = setInterval(() => void renew().catch(() => {}), leaseMs / 3);
  try {
    for (const [index, migration] of migrations.entries()) {
      if (index < from) continue;
      log.info({ from: index, to: index + 1, migration: migration.name }, "migrating the store");
      await migration.run(lost.signal);
      const { matchedCount } = await stamps().updateOne(
        { ...held, version: index },
        { $set: { version: index + 1, millrace } },
      );
      if (matchedCount === 0) return;
    }
  } catch (error) {
    if (!lost.signal.aborted) throw error;
  } finally {
    clearInterval(heart);
    await stamps()
      .updateOne(held, { $unset: { lock: true } })
      .catch(() => {});
  }
}
