import { setTimeout as sleep } from "node:timers/promises";
import { closeDatabase, database } from "@/lib/platform/db/client";
import { migrateSchema, type SchemaMigration } from "@/lib/platform/db/schema-migration";

/** Migrates 30 numbers in steps, as a server of its own that can be killed. */
export type MigrateTask = { leaseMs: number; stepMs: number };

const { leaseMs, stepMs } = JSON.parse(process.argv[2] ?? "{}") as MigrateTask;
const STEPS = 10;

const migrations: SchemaMigration[] = [1, 2, 3].map((version) => ({
  name: `numbers of version ${version}`,
  run: async (signal) => {
    const numbers = database().collection<{ _id: string; by: number[] }>("numbers");
    for (let n = 0; n < STEPS; n++) {
      signal.throwIfAborted();
      await numbers.updateOne({ _id: `${version}-${n}` }, { $addToSet: { by: process.pid } }, { upsert: true });
      process.send?.({ version, n });
      await sleep(stepMs);
    }
  },
}));

await migrateSchema(migrations, { leaseMs, pollMs: 20 });
process.send?.("migrated");
await closeDatabase();
process.disconnect?.();
