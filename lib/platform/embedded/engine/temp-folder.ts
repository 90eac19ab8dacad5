import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const SUFFIX = ".own-temp";
const OWNER_ONLY = 0o700;
/** Far longer than an engine without requests lives: a folder untouched for so long belongs to one that crashed. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000;

/** Makes a folder beside the file for what this process spills, and removes those of processes that crashed. */
export function takeTempFolder(file: string): string {
  const parent = dirname(file);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith(SUFFIX)) continue;
    const path = join(parent, name);
    const touchedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touchedAt > LEFTOVER_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
  const folder = join(parent, `${basename(file)}.${randomUUID()}${SUFFIX}`);
  mkdirSync(folder, { mode: OWNER_ONLY });
  return folder;
}
