import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs a file or a folder's entries to the disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
