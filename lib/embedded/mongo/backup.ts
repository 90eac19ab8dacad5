import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { checkStamp, lockStoreFile } from "./sqlite.ts";

function storeFile(dataDir: string): string {
  return join(dataDir, "store", "millrace.db");
}

/**
 * Writes a backup of the store of a data directory: everything that was acknowledged when it began, nothing half
 * done. The store may run and be written to meanwhile, in this process or another; it is not slowed down by a lock.
 * @param file the backup's file, which must not exist yet
 * @throws Error when there is no store, or the file exists
 */
export function backupStore(dataDir: string, file: string): void {
  const source = storeFile(dataDir);
  if (!existsSync(source)) throw new Error(`There is no store in ${dataDir}.`);
  if (existsSync(file)) throw new Error(`${file} exists. Name a new file for the backup.`);
  const db = new Database(source, { readonly: true, fileMustExist: true });
  // It holds what the store holds: SQLite fills an empty file, which has the rights from the beginning.
  closeSync(openSync(file, "wx", 0o600));
  try {
    checkStamp(db, source);
    // One read transaction: a snapshot, and compact.
    db.prepare("VACUUM INTO ?").run(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    db.close();
  }
  syncFile(file);
}

/**
 * Puts a backup in the place of a data directory's store.
 * @param overwrite false refuses when a store is there already
 * @throws Error when the store is in use, the file is no backup, is damaged, or of a newer format; then nothing changes
 */
export function restoreStore(dataDir: string, file: string, overwrite = false): void {
  const target = storeFile(dataDir);
  checkBackup(file);
  const release = lockStoreFile(target);
  try {
    if (existsSync(target) && !overwrite) {
      throw new Error(
        `There is a store in ${dataDir} already. Say that it may be overwritten, or restore into an empty directory.`,
      );
    }
    const copy = `${target}.restoring`;
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    syncFile(copy);
    // The old log belongs to the old file and would be played into the new one.
    rmSync(`${target}-wal`, { force: true });
    rmSync(`${target}-shm`, { force: true });
    renameSync(copy, target);
    syncFile(dirname(target));
  } finally {
    release();
  }
}

function checkBackup(file: string): void {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    checkStamp(db, file);
    const verdict = db.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Error(`${file} is damaged: ${String(verdict)}`);
  } finally {
    db.close();
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
