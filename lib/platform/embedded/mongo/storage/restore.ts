import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "./files.ts";

/** Returns the path of a backup's verified copy, before it replaces the store. */
export function restoringPath(target: string): string {
  return `${target}.restoring`;
}

/**
 * Returns the path of the journal. While it exists, the copy at `restoringPath` is complete and has to replace the
 * store.
 */
function journalPath(target: string): string {
  return `${target}.restore.json`;
}

/** Returns the path of the folder that holds the previous store until the new one is in place. */
function asidePath(target: string): string {
  return join(dirname(target), "before-restore");
}

/** Called after each step that is on the disk; tests kill the process there. */
export type OnStep = (step: string) => void;

type Journal = { backup: string; at: string };

/** Records that the copy is complete: from here on the restore will be finished, even after a crash. */
export function beginSwap(target: string, journal: Journal): void {
  const path = journalPath(target);
  writeFileSync(`${path}.new`, JSON.stringify(journal), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncPath(dirname(target));
}

/**
 * Finishes an interrupted restore, or removes its leftovers. The caller holds the store's lock.
 * @returns a message for the operator; null when there was nothing to do
 * @throws Error when it is unknown whether a restore was interrupted
 */
export function recoverRestore(target: string, onStep: OnStep = () => {}): string | null {
  const copy = restoringPath(target);
  rmSync(`${journalPath(target)}.new`, { force: true });
  const journal = readJournal(journalPath(target));
  if (journal === null) {
    if (!existsSync(copy)) return null;
    for (const leftover of [copy, `${copy}-wal`, `${copy}-shm`]) rmSync(leftover, { force: true });
    return "A restore was interrupted before it changed the store. Its copy was removed; the store is as it was.";
  }
  swap(target, onStep);
  return `A restore of ${journal.backup}, begun ${journal.at}, was interrupted. It is finished: the store is that of the backup.`;
}

/** Replaces the store with the copy. A crash may follow any step: completed steps are not repeated. */
export function swap(target: string, onStep: OnStep): void {
  const copy = restoringPath(target);
  const aside = asidePath(target);
  if (existsSync(copy)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    // The log is moved first, so that it is never applied to another database. All files belong to the previous store,
    // because the copy is not in place yet.
    for (const path of [`${target}-shm`, `${target}-wal`, target]) {
      if (!existsSync(path)) continue;
      renameSync(path, join(aside, basename(path)));
      syncPath(aside);
      syncPath(dirname(target));
      onStep(`moved ${basename(path)}`);
    }
    renameSync(copy, target);
    syncPath(dirname(target));
    onStep("placed");
  }
  rmSync(aside, { recursive: true, force: true });
  onStep("removed the old store");
  rmSync(journalPath(target), { force: true });
  syncPath(dirname(target));
  onStep("done");
}

/** Returns whether an interrupted restore exists, which the next start finishes. */
export function isRestoreUnfinished(target: string): boolean {
  return existsSync(journalPath(target));
}

/** @throws Error when the journal exists but cannot be read */
function readJournal(path: string): Journal | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    // The verified copy may be the only store, so it is kept until the journal can be read.
    throw new Error(`${path} cannot be read, so an interrupted restore cannot be finished: ${String(error)}`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as Journal;
  } catch {
    // The journal was renamed into place complete, so this is damage. Its existence is what matters.
    return { backup: "a backup", at: "at an unknown time" };
  }
}
