import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { StoreError } from "../errors.ts";

export type Statement = Database.Statement<unknown[], unknown>;

/** Stamp in the file's header that marks a Millrace store ("MILL"). */
export const APPLICATION_ID = 0x4d494c4c;
/** Version of the tables below. A step to the next version is added to MIGRATIONS. */
export const FORMAT = 2;
/** First format whose backups have checksums. */
export const CHECKSUMS_SINCE_FORMAT = 2;

const PAGE_CACHE_KIB = 32 * 1024;

/** A connection with a cache of prepared statements. */
export class Sqlite {
  readonly db: Database.Database;
  private readonly statements = new Map<string, Statement>();

  constructor(db: Database.Database) {
    this.db = db;
  }

  /** Returns a prepared statement whose rows are arrays. */
  rows(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare<unknown[], unknown>(sql);
      if (statement.reader) statement.raw(true);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  run(sql: string, ...values: unknown[]): number {
    return this.rows(sql).run(...values).changes;
  }

  get<Row extends unknown[]>(sql: string, ...values: unknown[]): Row | undefined {
    return this.rows(sql).get(...values) as Row | undefined;
  }

  all<Row extends unknown[]>(sql: string, ...values: unknown[]): Row[] {
    return this.rows(sql).all(...values) as Row[];
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** Removes the cached statements of a dropped table. */
  forget(table: string): void {
    for (const sql of this.statements.keys()) if (sql.includes(`"${table}"`)) this.statements.delete(sql);
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }
}

type Migration = (db: Database.Database) => void;

/** MIGRATIONS[n] migrates a file from format n to n + 1. */
const MIGRATIONS: Migration[] = [
  (db) => {
    db.exec(`
      CREATE TABLE collections(
        id INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, options BLOB NOT NULL,
        UNIQUE(db, name));
      CREATE TABLE indexes(
        id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, spec BLOB NOT NULL,
        multikey INTEGER NOT NULL DEFAULT 0, ready INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE retries(lsid BLOB PRIMARY KEY, txn INTEGER NOT NULL, body BLOB NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
    `);
  },
  // The tables do not change. Versions that know only format 1 ignore the documents' schema version; the new format
  // number makes them refuse the file. Backups of format 2 have checksums.
  () => {},
];

export type Durability = "normal" | "full";

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/**
 * Creates the file if missing, for SQLite to fill, and restricts it and its folder to the owner, regardless of the
 * umask and of permissions that an earlier version set.
 */
export function reserveFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  chmodSync(folder, OWNER_FOLDER);
  closeSync(openSync(path, "a", OWNER_FILE));
  chmodSync(path, OWNER_FILE);
}

/**
 * Opens the store's file, which is created if missing and migrated to the current format.
 * @param maxBytes the file's maximum size; writes beyond it fail with OutOfDiskSpace. Undefined: limited by the disk
 *   only
 * @throws Error when the file is of a newer format or not a store
 */
export function openStoreFile(path: string, durability: Durability, maxBytes: number | undefined): Sqlite {
  reserveFile(path);
  // An existing log keeps its permissions; a new one gets the file's.
  for (const log of [`${path}-wal`, `${path}-shm`]) if (existsSync(log)) chmodSync(log, OWNER_FILE);
  const db = new Database(path);
  try {
    db.pragma("journal_mode = WAL");
    db.pragma(`synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    db.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
    db.pragma("temp_store = FILE");
    migrate(db, path);
    if (maxBytes !== undefined) {
      const pageSize = Number(db.pragma("page_size", { simple: true }));
      db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
    }
    return new Sqlite(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a second connection to the store's file, for reading a snapshot. */
export function openReader(path: string): Sqlite {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  db.pragma(`cache_size = -${PAGE_CACHE_KIB / 4}`);
  return new Sqlite(db);
}

function migrate(db: Database.Database, path: string): void {
  const format = Number(db.pragma("user_version", { simple: true }));
  if (format > 0 || countTables(db) > 0) checkStamp(db, path);
  if (format === FORMAT) return;
  db.transaction(() => {
    for (let from = format; from < FORMAT; from++) MIGRATIONS[from]?.(db);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${FORMAT}`);
  }).immediate();
}

/** @throws Error unless the file is a Millrace store in a format that this version supports */
export function checkStamp(db: Database.Database, path: string): void {
  const application = Number(db.pragma("application_id", { simple: true }));
  const format = Number(db.pragma("user_version", { simple: true }));
  if (application !== APPLICATION_ID) {
    throw new Error(`${path} is not a store of Millrace. Move it away, or name another data directory.`);
  }
  if (format > FORMAT) {
    throw new Error(
      `${path} has the format ${format}, this version of Millrace knows formats up to ${FORMAT}. Start a newer version, or restore a backup that this version made.`,
    );
  }
}

function countTables(db: Database.Database): number {
  return Number(db.prepare("SELECT COUNT(*) FROM sqlite_master").pluck().get());
}

/**
 * Takes the lock of the store's owner. It is a kernel lock on a separate file, so it ends with the process, even after
 * a crash. The store's file itself stays open to snapshot readers of this process.
 * @returns the function that releases the lock
 * @throws Error "… is in use by another process"
 */
export function lockStoreFile(path: string): () => void {
  reserveFile(`${path}.lock`);
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (isSqliteError(cause) && cause.code.startsWith("SQLITE_BUSY")) {
      throw new Error(`The store ${path} is in use by another process. Stop that one, or connect to it.`, { cause });
    }
    throw cause;
  }
  return () => lock.close();
}

export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === "SqliteError" && "code" in error && typeof error.code === "string";
}

/** Translates an SQLite error into the error that the client gets. */
export function toStoreError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === "SQLITE_FULL" || error.code === "SQLITE_IOERR_WRITE" || error.code === "SQLITE_IOERR_FSYNC") {
    return new StoreError(
      "OutOfDiskSpace",
      "The disk that holds the store is full. Nothing was written; free space and try again.",
      {
        cause: error,
      },
    );
  }
  if (error.code === "SQLITE_TOOBIG") {
    return new StoreError("BSONObjectTooLarge", "The document is larger than the store takes.", { cause: error });
  }
  if (error.code === "SQLITE_ERROR" && error.message.startsWith("no such table")) {
    return new StoreError(175, "The collection or index was dropped while the query ran.", { cause: error });
  }
  return new StoreError("InternalError", `The store's file could not be read or written (${error.code}).`, {
    cause: error,
  });
}
