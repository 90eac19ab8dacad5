import { randomBytes } from "node:crypto";
import { mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";

/**
 * Free space below which the data folder counts as full, in bytes: a group of the store's writes with its log, and a
 * checkpoint of the log, may need some at any moment.
 */
export const DISK_FREE_MIN_BYTES = 16 * 1024 * 1024;
/** Time between two trial writes, in ms. Checks in between return the last result. */
export const DISK_CHECK_EVERY_MS = 5_000;
/** Size of a trial write: enough to need a new block, which a quota or a full disk rejects. */
const TRIAL_BYTES = 4096;

/** Thrown if the data folder cannot be written to. The message has the reason, for the log. */
export class DataFolderFailing extends Error {}

/**
 * Returns a check of the folder: it resolves while the folder is writable and has room, and throws otherwise. It writes
 * at most once every `everyMs`, however often it is called. Creates the folder if it is missing at the start; a folder
 * that is removed later is a failure, since its files are lost.
 * @throws DataFolderFailing from the returned function
 */
export function dataFolderCheck(
  folder: string,
  { everyMs = DISK_CHECK_EVERY_MS, freeMinBytes = DISK_FREE_MIN_BYTES } = {},
): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  let exists = false;
  const check = async () => {
    if (!exists) await createFolder(folder);
    exists = true;
    await tryWriting(folder, freeMinBytes);
  };
  return () => {
    if (performance.now() - checkedAt >= everyMs) {
      checkedAt = performance.now();
      last = check();
      // Callers get the failure; without a caller it must not be an unhandled rejection.
      last.catch(() => {});
    }
    return last;
  };
}

/** Creates the folder: without an embedded store nothing else has before the first check. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(/* turbopackIgnore: true */ folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failing(folder, error);
  }
}

async function tryWriting(folder: string, freeMinBytes: number): Promise<void> {
  const trial = join(/* turbopackIgnore: true */ folder, `.trial-${randomBytes(6).toString("hex")}`);
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free < freeMinBytes) throw new Error(`${free} bytes are free`);
    const file = await open(trial, "wx", 0o600);
    try {
      await file.write(Buffer.alloc(TRIAL_BYTES, 1));
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failing(folder, error);
  } finally {
    await rm(trial, { force: true }).catch(() => {});
  }
}

function failing(folder: string, cause: unknown): DataFolderFailing {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DataFolderFailing(`The data folder ${folder} is not writable: ${reason}.`, { cause });
}
