import { createHash, type Hash } from "node:crypto";
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { APPLICATION_ID, CHECKSUMS_SINCE_FORMAT, FORMAT } from "./sqlite.ts";

/**
 * A backup is the store's SQLite file followed by a footer:
 *
 *     member bytes, one after another | manifest (JSON) | SHA-256 of all before | length of the manifest | magic
 *
 * SQLite ignores bytes after its last page, so the file is also readable as a database. A file of format 2 or newer
 * without a footer was cut off.
 */
const MAGIC = Buffer.from("MILLBAK2");
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
const TAIL_BYTES = DIGEST_BYTES + LENGTH_BYTES + MAGIC.length;
/** Version of the footer. */
const BACKUP_FORMAT = 2;
/** Maximum size of a manifest. Real ones have a few hundred bytes, so a longer length means damage. */
const MANIFEST_BYTES_MAX = 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Offsets in SQLite's header that are read (https://sqlite.org/fileformat.html, 1.3). */
const HEADER = { bytes: 100, pageSize: 16, pages: 28, format: 60, application: 68, magic: "SQLite format 3\0" };

export const DATABASE_MEMBER = "store/millrace.db";

export type BackupMember = { name: string; bytes: number; sha256: string };
export type BackupManifest = {
  format: number;
  createdAt: string;
  /** Schema version of the documents, and the Millrace version that wrote it. */
  schema: { version: number; millrace: string };
  /** Format of the store's file. */
  storeFormat: number;
  members: BackupMember[];
};

/** A verified backup. */
export type VerifiedBackup = {
  /** Null for a backup from before checksums existed. */
  manifest: BackupManifest | null;
  /** Size of the database, which is the first part of the file. */
  databaseBytes: number;
};

/** Appends the footer to a file that contains only the database. */
export function sealBackup(file: string, facts: Pick<BackupManifest, "createdAt" | "schema">): void {
  const descriptor = openSync(file, "r+");
  try {
    const bytes = fstatSync(descriptor).size;
    const whole = createHash("sha256");
    const sha256 = digestRange(descriptor, 0, bytes, whole);
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      ...facts,
      storeFormat: FORMAT,
      members: [{ name: DATABASE_MEMBER, bytes, sha256 }],
    };
    const text = Buffer.from(JSON.stringify(manifest));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(text.length);
    const footer = Buffer.concat([text, whole.update(text).digest(), length, MAGIC]);
    let written = 0;
    while (written < footer.length) written += writeSync(descriptor, footer, written, undefined, bytes + written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks every byte of a backup against its checksums.
 * @throws Error that says what is wrong with the file
 */
export function verifyBackupFile(file: string): VerifiedBackup {
  if (!existsSync(file)) throw new Error(`File ${file} not found.`);
  const descriptor = openSync(file, "r");
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is not a file.`);
    const footer = readFooter(descriptor, stats.size, file);
    if (footer === null) return { manifest: null, databaseBytes: requireOldBackup(descriptor, stats.size, file) };
    const { manifest, membersEnd, digest } = footer;
    const whole = createHash("sha256");
    let at = 0;
    for (const { name, bytes, sha256 } of manifest.members) {
      if (at + bytes > membersEnd) throw damaged(file, `${name} is incomplete`);
      if (digestRange(descriptor, at, bytes, whole) !== sha256)
        throw damaged(file, `${name} does not match its checksum`);
      at += bytes;
    }
    if (at !== membersEnd) throw damaged(file, "it has unknown bytes between its parts");
    digestRange(descriptor, at, stats.size - TAIL_BYTES - at, whole);
    if (!whole.digest().equals(digest)) throw damaged(file, "it does not match its checksum");
    const database = manifest.members[0];
    if (database?.name !== DATABASE_MEMBER) throw damaged(file, `${DATABASE_MEMBER} is missing`);
    const header = readHeader(descriptor, file);
    if (header.size !== database.bytes) throw damaged(file, `${DATABASE_MEMBER} has a wrong length`);
    return { manifest, databaseBytes: database.bytes };
  } finally {
    closeSync(descriptor);
  }
}

type Footer = { manifest: BackupManifest; membersEnd: number; digest: Buffer };

function readFooter(descriptor: number, size: number, file: string): Footer | null {
  if (size < TAIL_BYTES) throw damaged(file, "it is too short");
  const tail = readRange(descriptor, size - TAIL_BYTES, TAIL_BYTES);
  if (!tail.subarray(-MAGIC.length).equals(MAGIC)) return null;
  const length = tail.readUInt32BE(DIGEST_BYTES);
  const membersEnd = size - TAIL_BYTES - length;
  if (length > MANIFEST_BYTES_MAX || membersEnd < 0) throw damaged(file, "the length of its manifest is wrong");
  const manifest = readManifest(readRange(descriptor, membersEnd, length));
  if (manifest === null) throw damaged(file, "its manifest is unreadable");
  if (manifest.format > BACKUP_FORMAT) {
    throw new Error(
      `${file} has the backup format ${manifest.format}; this version of Millrace supports up to ${BACKUP_FORMAT}. Restore it with the version that wrote it.`,
    );
  }
  return { manifest, membersEnd, digest: tail.subarray(0, DIGEST_BYTES) };
}

function readManifest(text: Buffer): BackupManifest | null {
  try {
    const read: unknown = JSON.parse(text.toString("utf8"));
    return isManifest(read) ? read : null;
  } catch {
    return null;
  }
}

function isManifest(value: unknown): value is BackupManifest {
  const manifest = value as Partial<BackupManifest> | null;
  return (
    typeof manifest === "object" &&
    manifest !== null &&
    Number.isInteger(manifest.format) &&
    Number.isInteger(manifest.storeFormat) &&
    Number.isInteger(manifest.schema?.version) &&
    Array.isArray(manifest.members) &&
    manifest.members.every(
      ({ name, bytes, sha256 }) =>
        typeof name === "string" && Number.isSafeInteger(bytes) && bytes >= 0 && typeof sha256 === "string",
    )
  );
}

/** Returns the size of a backup from before checksums existed. @throws Error if it is not one */
function requireOldBackup(descriptor: number, size: number, file: string): number {
  const header = readHeader(descriptor, file);
  if (header.format >= CHECKSUMS_SINCE_FORMAT) throw damaged(file, "its checksums are missing, so it is truncated");
  if (header.size !== size) throw damaged(file, `it has ${size} bytes and should have ${header.size}`);
  return size;
}

function readHeader(descriptor: number, file: string): { format: number; size: number } {
  const header = readRange(descriptor, 0, HEADER.bytes);
  const isStore =
    header.length === HEADER.bytes &&
    header.toString("latin1", 0, HEADER.magic.length) === HEADER.magic &&
    header.readUInt32BE(HEADER.application) === APPLICATION_ID;
  if (!isStore) throw new Error(`${file} is not a backup of Millrace, or its start is damaged.`);
  const pageSize = header.readUInt16BE(HEADER.pageSize);
  return {
    format: header.readUInt32BE(HEADER.format),
    // A page size of 65,536 does not fit in two bytes and is stored as 1.
    size: (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(HEADER.pages),
  };
}

/** Returns the SHA-256 of a range of a file in hex, and adds its bytes to `whole`. */
function digestRange(descriptor: number, start: number, bytes: number, whole: Hash): string {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = readRange(descriptor, start + at, Math.min(CHUNK_BYTES, bytes - at));
    hash.update(chunk);
    whole.update(chunk);
  }
  return hash.digest("hex");
}

function readRange(descriptor: number, start: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const got = readSync(descriptor, buffer, read, bytes - read, start + read);
    if (got === 0) break;
    read += got;
  }
  return buffer.subarray(0, read);
}

function damaged(file: string, reason: string): Error {
  return new Error(`${file} is damaged: ${reason}. Use another backup. Nothing was changed.`);
}
