import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "./files.ts";

/** The verified copy of a backup, before it takes the store's place. */
export function restoringPath(target: string): string {
  return `${target}.restoring`;
}

/** While it is there, the copy at `restoringPath` is whole and has to take the store's place. */
function journalPath(target: string): string {
  return `${target}.restore.json`;
}

/** Holds the store of before until the new one is in its place. */
function asidePath(target: string): string {
  return join(dirname(target), "before-restore");
}

/** Called behind each step that is on the disk; tests kill the process there. */
export type OnStep = (step: string) => void;

type Journal = { backup: string; at: string };

/** Records that the copy is whole: from here on a restore is finished, whatever happens. */
export function beginSwap(target: string, journal: Journal): void {
  const path = journalPath(target);
  writeFileSync(`${path}.new`, JSON.stringify(journal), { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  syncPath(dirname(target));
}

/**
 * Finishes a restore that was interrupted, or removes what it left behind. The caller holds the store's lock.
 * @returns what was done, for the operator; null when there was nothing to do
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

/** Puts the copy into the store's place. Each step may be the last before a crash: what is done is not done again. */
export function swap(target: string, onStep: OnStep): void {
  const copy = restoringPath(target);
  const aside = asidePath(target);
  if (existsSync(copy)) {
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    // The log first: without the database it is never played into another one. All of them are the store's of before,
    // since the copy is not in its place yet.
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

/** Returns whether a restore was interrupted that the next start finishes. */
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
    // The verified copy may be the only store, so it stays until the file tells.
    throw new Error(`${path} cannot be read, so an interrupted restore cannot be finished: ${String(error)}`, {
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as Journal;
  } catch {
    // It was renamed into its place whole, so this is damage; that it is there is what counts.
    return { backup: "a backup", at: "at an unknown time" };
  }
}
