import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Only the owner may look up or connect to a socket. */
const OWNER_ONLY = 0o700;
/** Number of hex digits: enough to distinguish folders, and the path stays far below the 107 bytes of a socket's. */
const HASH_LENGTH = 12;

/**
 * Returns the socket of the service that owns a folder or file. It is in /tmp and not beside the data, whose path may
 * be too long for a socket, and in lower case, since the MongoDB driver compares hosts so.
 * @param ownedPath absolute path, from `absolutePath`
 */
export function socketPathFor(ownedPath: string): string {
  const hash = createHash("sha256").update(ownedPath).digest("hex").slice(0, HASH_LENGTH);
  return join(socketFolder(), `${hash}.sock`);
}

/**
 * Creates the folder of the sockets.
 * @throws Error if another user owns it: they could place a socket there
 */
export function ensureSocketFolder(folder: string = socketFolder()): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== userId()) {
    throw new Error(`${folder} belongs to another user. Remove it, or ask an administrator, then restart.`);
  }
  if ((found.mode & 0o777) !== OWNER_ONLY) chmodSync(folder, OWNER_ONLY);
}

/** Returns one name for one path: absolute, with symbolic links resolved as far as the path exists. */
export function absolutePath(path: string): string {
  const absolute = resolve(/* turbopackIgnore: true */ path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(/* turbopackIgnore: true */ absolutePath(parent), basename(absolute));
  }
}

function socketFolder(): string {
  return `/tmp/millrace-${userId()}`;
}

function userId(): number {
  if (!process.getuid) throw new Error("Millrace requires Linux or macOS. Use WSL on Windows.");
  return process.getuid();
}
