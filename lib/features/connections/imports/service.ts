import "server-only";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { REJECTED_SUFFIX } from "@/lib/base/values/names";
import type { Caller } from "@/lib/platform/access/caller";
import { STAGED_BYTES_MAX } from "@/lib/platform/embedded/import/limits";
import {
  ACCEPTED_VIEW,
  REJECTED_FILE,
  REJECTED_TABLE,
  SOURCE_FILE,
  STAGED_FILE,
} from "@/lib/platform/embedded/import/messages";
import { EngineClient } from "@/lib/platform/engines/client";
import { leaseEngine } from "@/lib/platform/engines/service";
import { logFailure } from "@/lib/platform/http/envelope";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { acceptsLines, streamLines } from "@/lib/platform/http/lines";
import { requireProcess } from "@/lib/platform/http/require-process";
import { serverMember } from "@/lib/platform/process/server-context";
import { FILES_FILE } from "../browser/imported-file";
import { filesFolder, workspaceFolder } from "../files/folders";
import { countingStream, exists, FILE_BYTES_MAX, tooLarge, toUploadError, uploadBrokenOff } from "../files/service";
import { ensureFilesConnection, filesConnectionId, forgetEntities } from "../service";
import { readUpload } from "./read-upload";
import {
  type ImportBody,
  type ImportedTable,
  type ImportLine,
  type ImportPreview,
  type ImportSettings,
  importBody,
  importedTable,
  importPreview,
  importSettings,
  type UploadedImport,
} from "./schema";

/** Folder of the uploads in a workspace's folder. No database file may have a leading dot. */
const FOLDER = ".imports";
const META_FILE = "upload.json";
const PREVIEW_FILE = "preview.json";
/** Time after which an upload is deleted, in ms: a person looks at it at once or the next morning. */
const UPLOAD_LIFETIME_MS = 24 * 60 * 60_000;
/** Interval of deletions, in ms: they look at a folder of each workspace. */
const SWEEP_EVERY_MS = 60 * 60_000;
/** Space of a workspace's uploads and imported tables: ten of the largest files. */
const SPACE_BYTES_MAX = 10 * FILE_BYTES_MAX;
/** Space that a reader leaves on the disk, for the store and the other workspaces. */
const FREE_BYTES_MIN = 1024 ** 3;
/** Large files of a reader at one time: records, staged rows and temporary files. */
const READER_FILES = 3;
/** Maximum time of writing a table, in ms. */
const WRITE_TIMEOUT_MS = 15 * 60_000;
const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

const metaSchema = z.object({
  file: z.string(),
  bytes: z.int(),
  userId: z.string(),
  uploadedAt: z.number(),
  /** The import that used the upload up: a client that missed its answer may ask again. */
  done: z.object({ asked: importBody, result: importedTable }).optional(),
});
/** The part of an import that its table's file keeps: a server may end before it writes the upload's own file. */
const committedNote = z.object({ asked: z.string(), result: importedTable.omit({ rows: true }) });
/** The part of the last preview that an import needs. */
const keptPreview = z.object({
  asked: importSettings,
  result: importPreview.pick({ columns: true, rows: true, rejectedRows: true }),
});

/** Uploads that are arriving, by folder, with the bytes that they may have. */
const arriving = serverMember("importUploads", () => new Map<string, number>());
/** Work on uploads, which ends when the upload is deleted. */
const ongoing = serverMember("importWork", () => new Set<{ folder: string; stop: AbortController }>());
const lastSweep = serverMember("importSweep", () => ({ at: 0 }));

type Report = (line: ImportLine<never>) => void;

/**
 * Stores an upload completely or not at all.
 * @throws AppError `too_large`, `storage_full`, `invalid_request` when the upload broke off
 */
export async function uploadImport(
  { workspaceId, user }: Caller,
  file: string,
  body: ReadableStream<Uint8Array> | null,
  announcedBytes: number | null,
): Promise<UploadedImport> {
  requireProcess("File imports");
  if (announcedBytes !== null && announcedBytes > FILE_BYTES_MAX) throw tooLarge();
  await removeExpired(workspaceId);
  const id = new ObjectId();
  const folder = uploadFolder(workspaceId, id);
  try {
    const bytesMax = await reserve(workspaceId, folder, announcedBytes);
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    const counter = countingStream(bytesMax, bytesMax < FILE_BYTES_MAX ? spaceFull : tooLarge);
    const source = body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]);
    const target = createWriteStream(join(folder, SOURCE_FILE), { flags: "wx", mode: OWNER_ONLY_FILE });
    await pipeline(source, counter.stream, target);
    const bytes = counter.bytes();
    if (announcedBytes !== null && bytes !== announcedBytes) throw uploadBrokenOff();
    const meta = { file, bytes, userId: user._id.toHexString(), uploadedAt: Date.now() };
    // An upload exists once this file does.
    await writeWhole(join(folder, META_FILE), meta);
    return toUploaded(id, meta);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw toUploadError(error, file);
  } finally {
    arriving().delete(folder);
  }
}

/** Reserves space for an upload. @returns the bytes that it may have @throws AppError `storage_full` */
async function reserve(workspaceId: ObjectId, folder: string, announcedBytes: number | null): Promise<number> {
  return withKeyedLock(workspaceFolder(workspaceId), async () => {
    const left = await leftBytes(workspaceId, announcedBytes ?? 1);
    if (left < (announcedBytes ?? 1)) throw spaceFull();
    const bytesMax = announcedBytes ?? Math.min(left, FILE_BYTES_MAX);
    arriving().set(folder, bytesMax);
    return bytesMax;
  });
}

/** Returns an upload of the caller. @throws AppError `not_found`, the same for another user's */
export async function getImport(caller: Caller, id: ObjectId): Promise<UploadedImport> {
  return toUploaded(id, await metaOrThrow(caller, id));
}

/** Deletes an upload of the caller and ends work on it. @throws AppError `not_found` */
export async function deleteImport(caller: Caller, id: ObjectId): Promise<void> {
  await metaOrThrow(caller, id);
  const folder = uploadFolder(caller.workspaceId, id);
  for (const work of ongoing()) if (work.folder === folder) work.stop.abort(noUpload());
  await withKeyedLock(folder, async () => {
    await metaOrThrow(caller, id);
    await rm(folder, { recursive: true, force: true });
  });
}

/**
 * Reads an upload with the given settings and detects the others. Aborting ends the reading.
 * @throws AppError `not_found`, `invalid_request` with what to change
 */
export async function previewImport(
  caller: Caller,
  id: ObjectId,
  settings: ImportSettings,
  { signal, report }: { signal: AbortSignal; report: Report },
): Promise<ImportPreview> {
  return withUpload(caller, id, signal, async (meta, folder, ends) => {
    if (meta.done) throw noUpload();
    return preview(caller, folder, meta.file, settings, { signal: ends, report });
  });
}

async function preview(
  { workspaceId }: Caller,
  folder: string,
  name: string,
  settings: ImportSettings,
  { signal, report }: { signal: AbortSignal; report: Report },
): Promise<ImportPreview> {
  report({ progress: { stage: "queued", bytes: 0, rows: 0 } });
  await rm(join(folder, PREVIEW_FILE), { force: true });
  const read = async () =>
    readUpload(
      folder,
      { name, settings: settings as never, stagedBytesMax: await stagedBytesMax(workspaceId, folder) },
      { signal, onProgress: ({ stage, bytes, rows }) => report({ progress: { stage, bytes, rows } }) },
    );
  let result: ImportPreview;
  try {
    // One file of a workspace is read at a time, so that others get their turn.
    result = await withKeyedLock(join(workspaceFolder(workspaceId), FOLDER), read, signal);
  } catch (error) {
    await removeAllBut([SOURCE_FILE, META_FILE], folder);
    throw error;
  }
  await writeWhole(join(folder, PREVIEW_FILE), keptPreview.parse({ asked: settings, result }));
  return result;
}

/**
 * Writes the rows of an upload into a table of the workspace's connection for files, all or none, and deletes the
 * upload. The first import creates the connection. The same import again, after it was committed, returns its result.
 * @throws AppError `not_found`, `conflict` if the table exists, `invalid_request`, `storage_full`
 */
export async function importTable(
  caller: Caller,
  id: ObjectId,
  asked: ImportBody,
  options: { signal: AbortSignal; report: Report },
): Promise<ImportedTable> {
  const { workspaceId } = caller;
  const { table, mode, rejected, settings } = asked;
  const { report } = options;
  return withUpload(caller, id, options.signal, async (meta, folder, signal) => {
    if (meta.done) {
      if (JSON.stringify(meta.done.asked) === JSON.stringify(asked)) return meta.done.result;
      throw noUpload();
    }
    const kept = await readJson(join(folder, PREVIEW_FILE), keptPreview);
    const isCurrent = kept && (settings === undefined || JSON.stringify(settings) === JSON.stringify(kept.asked));
    const staged = isCurrent
      ? kept.result
      : await preview(caller, folder, meta.file, settings ?? {}, { signal, report });
    if (rejected === "stop" && staged.rejectedRows > 0) {
      throw invalidInput(
        "rejected",
        `${staged.rejectedRows} rows don't fit. Correct the settings, or quarantine them.`,
      );
    }
    const { columns } = staged;
    refuseTwice(columns);
    if ((await leftBytes(workspaceId, 1)) <= 0) throw spaceFull();
    await freeBytes(folder);
    report({ progress: { stage: "write", bytes: 0, rows: staged.rows } });
    const isKept = rejected === "quarantine" && staged.rejectedRows > 0;
    const rejectedTable = isKept ? `${table}${REJECTED_SUFFIX}` : null;
    // A table without its connection could not be seen, nor its name be used again.
    const connectionId = await ensureFilesConnection(caller);
    const note: z.infer<typeof committedNote> = {
      asked: digestOf(asked),
      result: {
        connectionId: connectionId.toHexString(),
        table,
        rejectedRows: staged.rejectedRows,
        rejectedTable,
      },
    };
    const done = await withFiles(workspaceId, (client) =>
      client.ask(
        {
          type: "import",
          id: id.toHexString(),
          note: JSON.stringify(note),
          staged: join(FOLDER, id.toHexString(), STAGED_FILE),
          table,
          mode,
          columns: columns.map(({ name, dbType }) => ({ name, dbType })),
          rows: `select * from ${ACCEPTED_VIEW}`,
          rejected: rejectedTable === null ? null : { table: rejectedTable, rows: `select * from ${REJECTED_TABLE}` },
          timeoutMs: WRITE_TIMEOUT_MS,
        },
        signal,
      ),
    );
    forgetEntities(connectionId);
    const committed = readNote(done.note);
    // The upload was used up by another import, which ended before it wrote its result.
    if (committed?.asked !== note.asked) throw noUpload();
    const result = { ...committed.result, rows: done.rows };
    await writeWhole(join(folder, META_FILE), { ...meta, done: { asked, result } });
    await removeAllBut([META_FILE], folder);
    return result;
  });
}

/** Returns the rejected rows of the last preview as CSV. @throws AppError `not_found` */
export async function downloadRejected(caller: Caller, id: ObjectId): Promise<Response> {
  const { file } = await metaOrThrow(caller, id);
  const path = join(uploadFolder(caller.workspaceId, id), REJECTED_FILE);
  if (!(await exists(path))) throw new AppError("not_found", "This file has no rejected rows.");
  const name = encodeURIComponent(`${file.replace(/\.[^.]*$/, "")}-rejected.csv`);
  return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename*=UTF-8''${name}`,
    },
  });
}

/** Deletes an imported table. @throws AppError `not_found` */
export async function deleteImportedTable({ workspaceId }: Caller, table: string): Promise<void> {
  requireProcess("File imports");
  if (!(await exists(join(workspaceFolder(workspaceId), FILES_FILE)))) throw noTable();
  const signal = AbortSignal.timeout(WRITE_TIMEOUT_MS);
  await withFiles(workspaceId, (client) => client.ask({ type: "drop", table, timeoutMs: WRITE_TIMEOUT_MS }, signal));
  forgetEntities(filesConnectionId(workspaceId));
}

/**
 * Answers with lines of JSON to a client that accepts them: progress, then the data or the error. Others get the data
 * alone. A client that disconnects ends the work.
 */
export async function withProgress<T>(
  request: Request,
  signal: AbortSignal,
  work: (options: { signal: AbortSignal; report: Report }) => Promise<T>,
): Promise<T | Response> {
  if (!acceptsLines(request)) return work({ signal, report: () => {} });
  return streamLines<ImportLine<T>>(signal, (write, left) =>
    work({ signal: left, report: write }).then(
      (data) => write({ data }),
      (thrown: unknown) => {
        if (left.aborted) return;
        const { kind, message } = logFailure(thrown, { route: new URL(request.url).pathname });
        write({ error: { code: kind, message } });
      },
    ),
  );
}

async function withFiles<T>(workspaceId: ObjectId, work: (client: EngineClient) => Promise<T>): Promise<T> {
  const path = join(workspaceFolder(workspaceId), FILES_FILE);
  const lease = await leaseEngine({ path, readOnlyFile: false, trusted: false });
  const client = new EngineClient(lease.socket);
  try {
    return await work(client);
  } catch (error) {
    throw toImportError(error);
  } finally {
    await client.close();
    await lease.release();
  }
}

function toImportError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== "query_failed") return error;
  const refusal = error.details && "refusal" in error.details ? error.details.refusal : null;
  if (refusal === "exists") return new AppError("conflict", `${error.message} Choose another name, replace or append.`);
  if (refusal === "missing") return noTable();
  if (refusal === "columns") return invalidInput("settings.columns", error.message);
  return error;
}

function noTable(): AppError {
  return new AppError("not_found", "Table not found.");
}

function refuseTwice(columns: readonly { name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name.toLowerCase()))
      throw invalidInput("settings.columns", `Column ${name} occurs twice. Rename one.`);
    names.add(name.toLowerCase());
  }
}

function uploadFolder(workspaceId: ObjectId, id: ObjectId): string {
  return join(workspaceFolder(workspaceId), FOLDER, id.toHexString());
}

function noUpload(): AppError {
  return new AppError("not_found", "Upload not found. Upload the file again.");
}

type Meta = z.infer<typeof metaSchema>;

/** Returns an upload of the caller, also after its import. @throws AppError `not_found` */
async function anyMetaOrThrow({ workspaceId, user }: Caller, id: ObjectId): Promise<Meta> {
  requireProcess("File imports");
  const meta = await readJson(join(uploadFolder(workspaceId, id), META_FILE), metaSchema);
  const isOwn = meta?.userId === user._id.toHexString();
  if (meta && isOwn && Date.now() - meta.uploadedAt < UPLOAD_LIFETIME_MS) return meta;
  throw noUpload();
}

/** Returns an upload of the caller that was not imported. @throws AppError `not_found` */
async function metaOrThrow(caller: Caller, id: ObjectId): Promise<Meta> {
  const meta = await anyMetaOrThrow(caller, id);
  if (meta.done) throw noUpload();
  return meta;
}

/**
 * Runs work on an upload of the caller, after all earlier work on it. Deleting the upload ends it.
 * @throws AppError `not_found`, also when the upload is deleted during the work; the signal's reason
 */
async function withUpload<T>(
  caller: Caller,
  id: ObjectId,
  signal: AbortSignal,
  work: (meta: Meta, folder: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const folder = uploadFolder(caller.workspaceId, id);
  // Only its owner waits for it.
  await anyMetaOrThrow(caller, id);
  const entry = { folder, stop: new AbortController() };
  const ends = AbortSignal.any([signal, entry.stop.signal]);
  ongoing().add(entry);
  try {
    return await withKeyedLock(folder, async () => work(await anyMetaOrThrow(caller, id), folder, ends), ends);
  } finally {
    ongoing().delete(entry);
  }
}

/** Returns the note of a committed import; null for a text that is none: who may write in the file can change it. */
function readNote(text: string): z.infer<typeof committedNote> | null {
  try {
    return committedNote.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Returns a short text that differs for each import that can be asked for: its settings may have a megabyte. */
function digestOf(asked: ImportBody): string {
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

function toUploaded(id: ObjectId, { file, bytes, uploadedAt }: Meta): UploadedImport {
  return { id: id.toHexString(), file, bytes, expiresAt: new Date(uploadedAt + UPLOAD_LIFETIME_MS).toISOString() };
}

/** Deletes the uploads of all workspaces that are too old, now and then. */
export async function sweepImports(now = Date.now()): Promise<void> {
  if (now - lastSweep().at < SWEEP_EVERY_MS) return;
  lastSweep().at = now;
  for (const name of await readdir(filesFolder()).catch(() => [])) {
    if (ObjectId.isValid(name)) await removeExpired(new ObjectId(name), now);
  }
}

/** Deletes uploads that are too old, and those that a killed server has left. */
async function removeExpired(workspaceId: ObjectId, now = Date.now()): Promise<void> {
  const folder = join(workspaceFolder(workspaceId), FOLDER);
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const changedAt = (await stat(path).catch(() => null))?.mtimeMs ?? now;
    if (now - changedAt > UPLOAD_LIFETIME_MS) await rm(path, { recursive: true, force: true });
  }
}

async function removeAllBut(kept: readonly string[], folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => !kept.includes(name));
  await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/**
 * Returns the bytes that a workspace's uploads and imported tables may still take.
 * @param needed with less than these, blocks of the tables' file that deleted tables have left are counted as well
 */
async function leftBytes(workspaceId: ObjectId, needed: number): Promise<number> {
  const left = SPACE_BYTES_MAX - (await usedBytes(workspaceId));
  if (left >= needed || !(await exists(join(workspaceFolder(workspaceId), FILES_FILE)))) return left;
  const signal = AbortSignal.timeout(WRITE_TIMEOUT_MS);
  return left + (await withFiles(workspaceId, (client) => client.ask({ type: "space" }, signal))).freeBytes;
}

/** Returns the bytes of the workspace's uploads, also those that are arriving, and of its imported tables. */
async function usedBytes(workspaceId: ObjectId): Promise<number> {
  const folder = workspaceFolder(workspaceId);
  const uploads = join(folder, FOLDER);
  const names = await readdir(uploads).catch(() => []);
  const kept = names.map((name) => join(uploads, name)).filter((path) => !arriving().has(path));
  const paths = await Promise.all(
    kept.map(async (path) => (await readdir(path).catch(() => [])).map((name) => join(path, name))),
  );
  const all = [join(folder, FILES_FILE), join(folder, `${FILES_FILE}.wal`), ...paths.flat()];
  const sizes = await Promise.all(all.map(async (path) => (await stat(path).catch(() => null))?.size ?? 0));
  const reserved = [...arriving()].flatMap(([path, bytes]) => (path.startsWith(`${uploads}/`) ? [bytes] : []));
  return [...sizes, ...reserved].reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the bytes that each file of a reader may have.
 * @throws AppError `storage_full` if the workspace's space is used up, or the disk is nearly full
 */
async function stagedBytesMax(workspaceId: ObjectId, folder: string): Promise<number> {
  const left = await leftBytes(workspaceId, 1);
  if (left <= 0) throw spaceFull();
  return Math.floor(Math.min(STAGED_BYTES_MAX, left, (await freeBytes(folder)) / READER_FILES));
}

/** Returns the free bytes of the disk beyond its reserve. @throws AppError `storage_full` if there are none */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize - FREE_BYTES_MIN;
  if (free <= 0) throw new AppError("storage_full", "Not enough disk space. Delete files and try again.");
  return free;
}

function spaceFull(): AppError {
  const limit = `${SPACE_BYTES_MAX / 1024 ** 3} GiB`;
  return new AppError("storage_full", `Limit of ${limit} for files of this workspace reached. Delete tables first.`);
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(value), { mode: OWNER_ONLY_FILE });
  await rename(`${path}.part`, path);
}

/** Returns a file's content; null for a missing, torn or old one. */
async function readJson<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T> | null> {
  const parsed = schema.safeParse(
    await readFile(path, "utf8")
      .then(JSON.parse)
      .catch(() => null),
  );
  return parsed.success ? parsed.data : null;
}
