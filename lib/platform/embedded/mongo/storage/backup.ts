import { chmodSync, closeSync, copyFileSync, existsSync, openSync, rmSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { decodeDocument } from "../bson/codec.ts";
import { type BackupManifest, sealBackup, type VerifiedBackup, verifyBackupFile } from "./backup-file.ts";
import { syncPath } from "./files.ts";
import { beginSwap, isRestoreUnfinished, type OnStep, recoverRestore, restoringPath, swap } from "./restore.ts";
import { checkStamp, lockStoreFile } from "./sqlite.ts";

/** Collection and document with the schema version (lib/platform/db/collections.ts). */
const STAMP = { collection: "installation", id: "schema" };
/** Schema of a store that no server has stamped yet. */
const UNSTAMPED: BackupManifest["schema"] = { version: 0, millrace: "unknown" };

function storeFile(dataDir: string): string {
  return join(dataDir, "store", "millrace.db");
}

/**
 * Writes a backup of the store of a data directory. It holds everything that was acknowledged when the backup started,
 * and no partial writes. The store may run and take writes during the backup, in this process or another; no lock slows
 * it down.
 * @param file the backup's file, which must not exist yet
 * @throws Error when there is no store, or the file exists
 */
export function backupStore(dataDir: string, file: string): void {
  const source = storeFile(dataDir);
  if (isRestoreUnfinished(source)) {
    throw new Error(`A restore of the store in ${dataDir} was interrupted. Start Millrace once to finish it.`);
  }
  if (!existsSync(source)) throw new Error(`No store found in ${dataDir}.`);
  if (existsSync(file)) throw new Error(`${file} already exists. Choose another file.`);
  const db = new Database(source, { readonly: true, fileMustExist: true });
  // Created with its final permissions, because it will contain the store's data. SQLite fills an empty file.
  closeSync(openSync(file, "wx", 0o600));
  try {
    checkStamp(db, source);
    // One read transaction, so it is a snapshot, and compacted.
    db.prepare("VACUUM INTO ?").run(file);
    sealBackup(file, { createdAt: new Date().toISOString(), schema: schemaOf(file) });
    syncPath(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

/** Returns the schema version of the documents in a database file. */
function schemaOf(file: string): BackupManifest["schema"] {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const ids = db.prepare("SELECT id FROM collections WHERE name = ?").pluck().all(STAMP.collection) as number[];
    const stamps = ids.flatMap((id) =>
      (db.prepare(`SELECT d FROM "d_${id}"`).pluck().all() as Buffer[]).map((bytes) => decodeDocument(bytes)),
    );
    const stamp = stamps.find((each) => each.get("_id") === STAMP.id);
    if (stamp === undefined) return UNSTAMPED;
    return { version: Number(stamp.get("version")), millrace: String(stamp.get("millrace")) };
  } finally {
    db.close();
  }
}

/**
 * Checks a backup: every byte by its checksums, the formats of its file and database, and the database itself.
 * @param refuseSchema throws for a schema version that this Millrace does not know
 * @throws Error that says what is wrong
 */
export function verifyBackup(file: string, refuseSchema: (schema: BackupManifest["schema"]) => void): VerifiedBackup {
  const verified = verifyBackupFile(file);
  if (verified.manifest) refuseSchema(verified.manifest.schema);
  // A file with a footer is checked later, as a copy without it, because the footer is not part of the database.
  if (verified.manifest === null) checkDatabase(file, true);
  return verified;
}

export type RestoreOptions = {
  /** Overwrites an existing store. When false, an existing store is an error. */
  overwrite?: boolean;
  refuseSchema?: (schema: BackupManifest["schema"]) => void;
  onStep?: OnStep;
};

/**
 * Replaces a data directory's store with a backup. The backup is verified first. The previous store is kept aside until
 * the new one is in place; the next start finishes or undoes an interrupted restore.
 * @returns the verified backup, and the outcome of a restore that was interrupted earlier
 * @throws Error when the store is in use, or the file is not a backup, damaged, or of a newer format; then nothing
 *   changes
 */
export function restoreStore(
  dataDir: string,
  file: string,
  { overwrite = false, refuseSchema = () => {}, onStep = () => {} }: RestoreOptions = {},
): VerifiedBackup & { recovered: string | null } {
  const target = storeFile(dataDir);
  const verified = verifyBackup(file, refuseSchema);
  onStep("verified");
  const release = lockStoreFile(target);
  try {
    const recovered = recoverRestore(target);
    if (existsSync(target) && !overwrite) {
      throw new Error(`${dataDir} already has a store. Add --overwrite, or restore into an empty directory.`);
    }
    const copy = restoringPath(target);
    try {
      copyFileSync(file, copy);
      chmodSync(copy, 0o600);
      onStep("copied");
      // The copy may differ from the verified file: a disk error, or someone changed the file in between.
      const again = verifyBackupFile(copy);
      truncateSync(copy, again.databaseBytes);
      checkDatabase(copy, false);
      syncPath(copy);
      syncPath(dirname(target));
    } catch (error) {
      rmSync(copy, { force: true });
      throw error;
    }
    onStep("checked");
    beginSwap(target, { backup: file, at: new Date().toISOString() });
    onStep("decided");
    swap(target, onStep);
    return { ...verified, recovered };
  } finally {
    release();
  }
}

/** @throws Error if SQLite finds the database damaged */
function checkDatabase(file: string, isThorough: boolean): void {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    checkStamp(db, file);
    const verdict = db.pragma(isThorough ? "integrity_check" : "quick_check", { simple: true });
    if (verdict !== "ok") throw new Error(`${file} is damaged: ${String(verdict)}`);
  } finally {
    db.close();
  }
}
