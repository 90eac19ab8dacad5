import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const SUFFIX = ".own-temp";
const OWNER_ONLY = 0o700;
/** Age at which a folder is considered left over from a crash, in ms. It is far longer than an idle engine lives. */
const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000;

/** Creates a folder beside the file for this process's temporary files, and removes those of crashed processes. */
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
