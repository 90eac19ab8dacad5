import { createHash } from "node:crypto";
import { EJSON } from "bson";
import type { Db, Document, Filter } from "mongodb";
import { publishDeliveriesNow } from "@/lib/features/notifications/events";
import { writeNow as writeHistory } from "@/lib/features/query/history-writer";
import { database } from "@/lib/platform/db/client";
import { writeNow as writeEvents } from "@/lib/platform/events/publish";
import { TICK } from "@/lib/platform/jobs/progress";

/** Returns the whole database as one text, to search for secrets. */
export async function dumpDatabase(db: Db = database()): Promise<string> {
  const parts: string[] = [];
  for (const [name, documents] of await readAll(db)) {
    for (const document of documents) parts.push(`${name} ${EJSON.stringify(document)}`);
  }
  return parts.join("\n");
}

/** Documents that the clock writes each minute, with or without requests: the next ticks, and the runs they start. */
const WRITTEN_BY_CLOCK: Record<string, Filter<Document>> = {
  job_tasks: { kind: "cron" },
  job_runs: { eventName: TICK },
};

/**
 * Returns a digest of each collection with documents, without those that the clock writes.
 * @param leaveOut collections that are not the users' data
 */
export async function digestDatabase(leaveOut: string[] = [], db: Db = database()): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  const filterOf = (name: string) => (WRITTEN_BY_CLOCK[name] ? { $nor: [WRITTEN_BY_CLOCK[name]] } : {});
  for (const [name, documents] of await readAll(db, filterOf)) {
    if (leaveOut.includes(name) || documents.length === 0) continue;
    digests[name] = createHash("sha256").update(EJSON.stringify(documents)).digest("hex");
  }
  return digests;
}

async function readAll(db: Db, filterOf: (name: string) => Filter<Document> = () => ({})) {
  // Flushes grouped writes: earlier ones are included, and none follows later.
  await publishDeliveriesNow();
  await Promise.all([writeEvents(), writeHistory()]);
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  return Promise.all(
    names.map(
      async (name) => [name, await db.collection(name).find(filterOf(name)).sort({ _id: 1 }).toArray()] as const,
    ),
  );
}
