import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder, independent of the working folder. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export function inRoot(...parts) {
  return join(ROOT, ...parts);
}

/**
 * Returns the path of a lock between processes that work on this folder; outside of it, since it outlives node_modules
 * and .next.
 */
export function lockPath(purpose) {
  const place = createHash("sha256").update(ROOT).digest("hex").slice(0, 12);
  return join(tmpdir(), `millrace-${place}-${purpose}.lock`);
}
