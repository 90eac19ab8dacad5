import "server-only";
import type { SchemaMigration } from "@/lib/platform/db/schema-migration";
import { collections } from "./collections";
import { moveJournalsToMain } from "./journal-migration";
import { writeSearchKeys, writeTextKeys } from "./search-keys-migration";
import { makeDurable, moveWorkIntoOneField } from "./work-migration";

/**
 * Steps from one schema version to the next: the first leads from 0, a store without a stamp, to 1. Their number is
 * SCHEMA_VERSION. Never change or remove one that was released.
 */
export const SCHEMA_MIGRATIONS: readonly SchemaMigration[] = [
  {
    // From version 1 on, a key without a known access is read-only. Keys from before the choice existed have full
    // access.
    name: "write the access of full API keys",
    run: async () => {
      await collections.apiKeys().updateMany({ access: { $exists: false } }, { $set: { access: "full" } });
    },
  },
  { name: "move the state of unfinished work into one field", run: moveWorkIntoOneField },
  { name: "make removals, bindings and answers durable work", run: makeDurable },
  { name: "move the numbers of changes to the main branches", run: moveJournalsToMain },
  // An older server would write consoles that no search by name finds.
  { name: "write the search keys of consoles and dashboards", run: writeSearchKeys },
  // The same for searches of texts.
  { name: "write the text keys of consoles", run: writeTextKeys },
];
