import Database from "better-sqlite3";

/** A statement waits this long for another one that writes. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens a file, locked down for statements of strangers.
 * @param readOnly the file is opened without the right to write
 * @throws Error with SQLite's reason
 */
export function openSqlite(file: string, readOnly: boolean): Database.Database {
  const database = new Database(file, { readonly: readOnly, timeout: BUSY_TIMEOUT_MS });
  // What the file's own views and triggers call is limited to harmless functions.
  database.pragma("trusted_schema = OFF");
  database.pragma("cell_size_check = ON");
  if (readOnly) database.pragma("query_only = ON");
  // The first look shows whether it is a database at all, and finishes what a killed writer has left.
  database.pragma("schema_version");
  return database;
}
