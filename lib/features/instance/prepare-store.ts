import "server-only";
import { database } from "@/lib/platform/db/client";
import { prepareDatabaseBy } from "@/lib/platform/db/ready";
import { migrateSchema } from "@/lib/platform/db/schema-migration";
import { declarations } from "./collections";
import { SCHEMA_MIGRATIONS } from "./schema-migrations";

/**
 * Migrates the documents and creates every index before the first query of this process. Call it once, at the start;
 * nothing is done yet then.
 */
export function prepareStore(): void {
  prepareDatabaseBy(async () => {
    await migrateSchema(SCHEMA_MIGRATIONS);
    for (const { collectionName, indexes } of declarations) {
      if (indexes.length === 0) continue;
      await database()
        .collection(collectionName)
        .createIndexes(indexes.map(({ serves: _, ...index }) => index));
    }
  });
}
