import "server-only";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ObjectId } from "mongodb";
import { z } from "zod";
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
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { requireProcess } from "@/lib/platform/http/require-process";
import { workspaceFolder } from "../files/folders";
import { countingStream, exists, FILE_BYTES_MAX, tooLarge, toUploadError, uploadBrokenOff } from "../files/service";
import { ensureFilesConnection, FILES_FILE, filesConnectionId, forgetEntities } from "../service";
import { readUpload } from "./read-upload";
import {
  IMPORT_LINES,
  type ImportBody,
  type ImportedTable,
  type ImportLine,
  type ImportPreview,
  type ImportSettings,
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

const metaSchema = z.object({ file: z.string(), bytes: z.int(), userId: z.string(), uploadedAt: z.number() });
/** The part of the last preview that an import needs. */
const keptPreview = z.object({
  asked: importSettings,
  result: importPreview.pick({ columns: true, rows: true, rejectedRows: true }),
});

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
  if ((await usedBytes(workspaceId)) + (announcedBytes ?? 0) > SPACE_BYTES_MAX) throw spaceFull();
  const id = new ObjectId();
  const folder = uploadFolder(workspaceId, id);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  try {
    const counter = countingStream();
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
  }
}

/** Returns an upload of the caller. @throws AppError `not_found`, the same for another user's */
export async function getImport(caller: Caller, id: ObjectId): Promise<UploadedImport> {
  return toUploaded(id, await metaOrThrow(caller, id));
}

/** Deletes an upload of the caller. @throws AppError `not_found` */
export async function deleteImport(caller: Caller, id: ObjectId): Promise<void> {
  await withUpload(caller, id, (_meta, folder) => rm(folder, { recursive: true, force: true }));
}

/**
 * Reads an upload with the given settings and detects the others. Aborting ends the reading.
 * @throws AppError `not_found`, `invalid_request` with what to change
 */
export async function previewImport(
  caller: Caller,
  id: ObjectId,
  settings: ImportSettings,
  options: { signal: AbortSignal; report: Report },
): Promise<ImportPreview> {
  return withUpload(caller, id, (meta, folder) => preview(caller, folder, meta.file, settings, options));
}

async function preview(
  { workspaceId }: Caller,
  folder: string,
  name: string,
  settings: ImportSettings,
  { signal, report }: { signal: AbortSignal; report: Report },
): Promise<ImportPreview> {
  signal.throwIfAborted();
  report({ progress: { stage: "queued", bytes: 0, rows: 0 } });
  await rm(join(folder, PREVIEW_FILE), { force: true });
  const result = await readUpload(
    folder,
    { name, settings: settings as never, stagedBytesMax: await stagedBytesMax(workspaceId, folder) },
    {
      signal,
      onProgress: ({ stage, bytes, rows }) => report({ progress: { stage, bytes, rows } }),
    },
  );
  await writeWhole(join(folder, PREVIEW_FILE), keptPreview.parse({ asked: settings, result }));
  return result;
}

/**
 * Writes the rows of an upload into a table of the workspace's connection for files, all or none, and deletes the
 * upload. The first import creates the connection.
 * @throws AppError `not_found`, `conflict` if the table exists, `invalid_request`, `storage_full`
 */
export async function importTable(
  caller: Caller,
  id: ObjectId,
  { table, mode, rejected, settings }: ImportBody,
  { signal, report }: { signal: AbortSignal; report: Report },
): Promise<ImportedTable> {
  const { workspaceId } = caller;
  return withUpload(caller, id, async (meta, folder) => {
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
    if ((await usedBytes(workspaceId)) > SPACE_BYTES_MAX) throw spaceFull();
    report({ progress: { stage: "write", bytes: 0, rows: staged.rows } });
    const isKept = rejected === "quarantine" && staged.rejectedRows > 0;
    const rejectedTable = isKept ? `${table}_rejected` : null;
    const done = await withFiles(workspaceId, (client) =>
      client.ask(
        {
          type: "import",
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
    const connectionId = await ensureFilesConnection(caller);
    forgetEntities(connectionId);
    await rm(folder, { recursive: true, force: true });
    return {
      connectionId: connectionId.toHexString(),
      table,
      rows: done.rows,
      rejectedRows: staged.rejectedRows,
      rejectedTable,
    };
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
  if (!request.headers.get("accept")?.includes(IMPORT_LINES)) return work({ signal, report: () => {} });
  const left = new AbortController();
  const encoder = new TextEncoder();
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const say = (line: ImportLine<T>) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      void work({ signal: AbortSignal.any([signal, left.signal]), report: say })
        .then(
          (data) => say({ data }),
          (error: unknown) =>
            say({
              error:
                error instanceof AppError
                  ? { code: error.kind, message: error.message }
                  : { code: "internal", message: "Couldn't import the file. Try again." },
            }),
        )
        .finally(() => {
          if (isOpen) controller.close();
          isOpen = false;
        });
    },
    cancel: () => {
      isOpen = false;
      left.abort(new AppError("cancelled", "The import was cancelled."));
    },
  });
  // Compression would buffer lines.
  return new Response(body, { headers: { "content-type": IMPORT_LINES, "cache-control": "no-store, no-transform" } });
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

async function metaOrThrow({ workspaceId, user }: Caller, id: ObjectId): Promise<z.infer<typeof metaSchema>> {
  requireProcess("File imports");
  const meta = await readJson(join(uploadFolder(workspaceId, id), META_FILE), metaSchema);
  const isOwn = meta?.userId === user._id.toHexString();
  if (meta && isOwn && Date.now() - meta.uploadedAt < UPLOAD_LIFETIME_MS) return meta;
  throw new AppError("not_found", "Upload not found. Upload the file again.");
}

/**
 * Runs work on an upload of the caller, after all earlier work on it. An import that came first has deleted it.
 * @throws AppError `not_found`
 */
async function withUpload<T>(
  caller: Caller,
  id: ObjectId,
  work: (meta: z.infer<typeof metaSchema>, folder: string) => Promise<T>,
): Promise<T> {
  const folder = uploadFolder(caller.workspaceId, id);
  // Only its owner waits for it.
  await metaOrThrow(caller, id);
  return withKeyedLock(folder, async () => work(await metaOrThrow(caller, id), folder));
}

function toUploaded(id: ObjectId, { file, bytes, uploadedAt }: z.infer<typeof metaSchema>): UploadedImport {
  return { id: id.toHexString(), file, bytes, expiresAt: new Date(uploadedAt + UPLOAD_LIFETIME_MS).toISOString() };
}

/** Deletes uploads that are too old, and those that a killed server has left. */
async function removeExpired(workspaceId: ObjectId): Promise<void> {
  const folder = join(workspaceFolder(workspaceId), FOLDER);
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const changedAt = (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();
    if (Date.now() - changedAt > UPLOAD_LIFETIME_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Returns the bytes of the workspace's uploads and imported tables. */
async function usedBytes(workspaceId: ObjectId): Promise<number> {
  const folder = workspaceFolder(workspaceId);
  const uploads = await readdir(join(folder, FOLDER), { recursive: true }).catch(() => []);
  const paths = [join(folder, FILES_FILE), ...uploads.map((name) => join(folder, FOLDER, name))];
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => null))?.size ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Returns the bytes that each file of a reader may have.
 * @throws AppError `storage_full` if the workspace's space is used up, or the disk is nearly full
 */
async function stagedBytesMax(workspaceId: ObjectId, folder: string): Promise<number> {
  const left = SPACE_BYTES_MAX - (await usedBytes(workspaceId));
  if (left <= 0) throw spaceFull();
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize - FREE_BYTES_MIN;
  if (free <= 0) throw new AppError("storage_full", "Not enough disk space. Delete files and try again.");
  return Math.floor(Math.min(STAGED_BYTES_MAX, left, free / READER_FILES));
}

function spaceFull(): AppError {
  const limit = `${SPACE_BYTES_MAX / 1024 ** 3} GiB`;
  return new AppError("storage_full", `Limit of ${limit} for files of this workspace reached. Delete tables first.`);
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.part`, JSON.stringify(value), { mode: OWNER_ONLY_FILE });
  await rename(`${path}.part`, path);
}

async function readJson<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T> | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  const parsed = text === null ? null : schema.safeParse(JSON.parse(text));
  return parsed?.success ? parsed.data : null;
}
