import { DatabaseSync } from "node:sqlite";
import { Authorizer } from "./authorizer.ts";

/** A statement waits this long for another one that writes. */
const BUSY_TIMEOUT_MS = 5000;
/** VACUUM builds its copy as an attached database; nothing else may attach one. */
const ATTACHED_MAX = 1;

/** An open file with the judge that SQLite asks about everything that a statement would do. */
export type SqliteFile = { database: DatabaseSync; authorizer: Authorizer };

/**
 * Opens a file, locked down for statements of strangers.
 * @param readOnly the file is opened without the right to write
 * @throws Error with SQLite's reason
 */
export function openSqlite(file: string, readOnly: boolean): SqliteFile {
  const database = new DatabaseSync(file, {
    readOnly,
    timeout: BUSY_TIMEOUT_MS,
    allowExtension: false,
    defensive: true,
    enableDoubleQuotedStringLiterals: false,
    limits: { attach: ATTACHED_MAX },
  });
  // What the file's own views and triggers call is limited to harmless functions.
  database.exec("pragma trusted_schema = off");
  database.exec("pragma cell_size_check = on");
  if (readOnly) database.exec("pragma query_only = on");
  // The first look shows whether it is a database at all, and finishes what a killed writer has left.
  database.prepare("pragma schema_version").get();
  const authorizer = new Authorizer(readOnly);
  database.setAuthorizer(authorizer.decide);
  return { database, authorizer };
}

/**
 * Has SQLite notice which tables another process has changed since this one looked. A statement would notice it when it
 * runs, but some are refused before, by what was there: ALTER TABLE, and INSERT for its number of columns.
 */
export function seeChanges(database: DatabaseSync): void {
  database.prepare("select name from sqlite_schema limit 1").get();
}
