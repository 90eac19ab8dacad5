import { DatabaseSync } from "node:sqlite";
import { Authorizer } from "./authorizer.ts";

/** Maximum time that a statement waits for another writer, in ms. */
const BUSY_TIMEOUT_MS = 5000;
/** VACUUM builds its copy as an attached database; nothing else may attach one. */
const ATTACHED_MAX = 1;

/** An open file with the authoriser that SQLite consults about each action of a statement. */
export type SqliteFile = { database: DatabaseSync; authorizer: Authorizer };

/**
 * Opens a file, locked down for untrusted statements.
 * @param readOnly opens the file without write permission
 * @param isManual statements may control transactions
 * @throws Error with SQLite's reason
 */
export function openSqlite(file: string, readOnly: boolean, isManual = false): SqliteFile {
  const database = new DatabaseSync(file, {
    readOnly,
    timeout: BUSY_TIMEOUT_MS,
    allowExtension: false,
    defensive: true,
    enableDoubleQuotedStringLiterals: false,
    limits: { attach: ATTACHED_MAX },
  });
  // Limits the file's own views and triggers to harmless functions.
  database.exec("pragma trusted_schema = off");
  database.exec("pragma cell_size_check = on");
  if (readOnly) database.exec("pragma query_only = on");
  // The first read shows whether the file is a database, and rolls back a killed writer's transaction.
  database.prepare("pragma schema_version").get();
  const authorizer = new Authorizer(readOnly, isManual);
  database.setAuthorizer(authorizer.decide);
  return { database, authorizer };
}

/**
 * Makes SQLite notice schema changes of other processes. A running statement notices them itself, but some statements
 * are rejected before, based on the old schema: ALTER TABLE, and INSERT because of its number of columns.
 */
export function seeChanges(database: DatabaseSync): void {
  database.prepare("select name from sqlite_schema limit 1").get();
}
