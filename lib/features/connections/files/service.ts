import "server-only";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { badCursor, type Page, type PageRequest } from "@/lib/platform/http/paging";
import { workspaceFolder } from "./folders";
import { fileName, type StoredFile } from "./schema";

/** Maximum bytes of a file (docs/develop/api.md, Connections). */
export const FILE_BYTES_MAX = 1024 ** 3;
const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;
const UPLOAD_ENDING = ".upload";
/** A use of a file, as a response names it. */
type Use = { kind: string; id: string; name: string };
/** Prefix of this list's cursors, which distinguishes them from other texts: most could be a file name. */
const CURSOR_MARK = "after:";

/**
 * Stores an uploaded file under its name, completely or not at all: an aborted upload leaves nothing.
 * @throws AppError `conflict` when there is a file of this name, `too_large`, `storage_full`, `invalid_request` when
 *   the upload broke off
 */
export async function storeFile(
  { workspaceId }: Caller,
  name: string,
  body: ReadableStream<Uint8Array> | null,
  announcedBytes: number | null,
): Promise<{ file: string; bytes: number }> {
  if (announcedBytes !== null && announcedBytes > FILE_BYTES_MAX) throw tooLarge();
  const folder = workspaceFolder(workspaceId);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const target = join(folder, name);
  if (await exists(target)) throw nameTaken(name);
  const temporary = join(folder, `${randomBytes(8).toString("hex")}${UPLOAD_ENDING}`);
  try {
    const counter = countingStream();
    const source = body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]);
    await pipeline(source, counter.stream, createWriteStream(temporary, { flags: "wx", mode: OWNER_ONLY_FILE }));
    if (announcedBytes !== null && counter.bytes() !== announcedBytes) throw uploadBrokenOff();
    // Unlike a rename, a link never replaces a file that was created under this name in between.
    await link(temporary, target);
    return { file: name, bytes: counter.bytes() };
  } catch (error) {
    throw toUploadError(error, name);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Returns the workspace's files by name; the cursor contains the last name.
 * @throws AppError `invalid_request` for a bad cursor
 */
export async function listFiles({ workspaceId }: Caller, page: PageRequest): Promise<Page<StoredFile>> {
  const after = page.cursor === undefined ? "" : readCursor(page.cursor);
  const folder = workspaceFolder(workspaceId);
  const names = await readdir(folder).catch(() => []);
  const rest = names.filter((name) => fileName.safeParse(name).success && name > after).sort();
  const shown = rest.slice(0, page.limit);
  const items = await Promise.all(
    shown.map(async (name) => {
      const { size, mtime } = await stat(join(folder, name));
      return { file: name, bytes: size, modifiedAt: mtime.toISOString() };
    }),
  );
  const last = rest.length > shown.length ? shown.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : toCursor(last) };
}

function toCursor(name: string): string {
  return Buffer.from(`${CURSOR_MARK}${name}`).toString("base64url");
}

/** Parses a cursor. @throws AppError `invalid_request` for anything that `toCursor` does not create */
function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, "base64url").toString("utf8").slice(CURSOR_MARK.length);
  if (!fileName.safeParse(name).success || toCursor(name) !== cursor) throw badCursor();
  return name;
}

/**
 * Deletes a file that no connection uses.
 * @param uses its uses, from the caller: the connection service depends on this one
 * @throws AppError `not_found`, `in_use` with the connections that read it
 */
export async function deleteFile({ workspaceId }: Caller, name: string, uses: Use[]): Promise<void> {
  if (uses.length > 0) {
    throw new AppError("in_use", "A connection uses this file. Delete the connection first.", { details: uses });
  }
  const path = join(workspaceFolder(workspaceId), name);
  if (!(await exists(path))) throw new AppError("not_found", "File not found.");
  await rm(path, { force: true });
  // Files that an engine kept beside it are useless without it.
  for (const companion of [".wal", "-wal", "-shm", "-journal"]) await rm(`${path}${companion}`, { force: true });
}

/** Counts the bytes that pass, up to a limit. */
export function countingStream(
  bytesMax = FILE_BYTES_MAX,
  refusal: () => AppError = tooLarge,
): { stream: Transform; bytes: () => number } {
  let total = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.byteLength;
      if (total > bytesMax) done(refusal());
      else done(null, chunk);
    },
  });
  return { stream, bytes: () => total };
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Returns the error of a failed upload for its caller. */
export function toUploadError(error: unknown, name: string): unknown {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EEXIST") return nameTaken(name);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new AppError("storage_full", "Not enough disk space. Delete files and try again.", {
      cause: error,
    });
  }
  return new AppError("invalid_request", uploadBrokenOff().message, { cause: error });
}

export function uploadBrokenOff(): AppError {
  return new AppError("invalid_request", "The upload was interrupted. Try again.");
}

function nameTaken(name: string): AppError {
  return new AppError("conflict", `File ${name} already exists. Delete it or use another name.`);
}

export function tooLarge(): AppError {
  return new AppError("too_large", "Files are limited to 1 GiB.");
}
