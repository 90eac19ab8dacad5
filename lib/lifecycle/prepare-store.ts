import "server-only";
import { database } from "@/lib/db/client";
import { prepareDatabaseBy } from "@/lib/db/ready";
import { declarations } from "./collections";

/** Makes every index before the first query of this process. Call it once, at the start; nothing is done yet then. */
export function prepareStore(): void {
  prepareDatabaseBy(async () => {
    for (const { collectionName, indexes } of declarations) {
      if (indexes.length === 0) continue;
      await database()
        .collection(collectionName)
        .createIndexes(indexes.map(({ serves: _, ...index }) => index));
    }
  });
}
