import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Only the owner may look up or connect to a socket. */
const OWNER_ONLY = 0o700;
/** Twelve hex digits tell folders apart and keep the path far below the 107 bytes that a socket's may have. */
const HASH_LENGTH = 12;

/**
 * The socket of the service that owns a folder or file. It is in /tmp and not beside the data, whose path may be too
 * long for a socket, and in lower case, because the MongoDB driver compares hosts so.
 * @param ownedPath absolute path, as `absolutePath` gives it
 */
export function socketPathFor(ownedPath: string): string {
  const hash = createHash("sha256").update(ownedPath).digest("hex").slice(0, HASH_LENGTH);
  return join(socketFolder(), `${hash}.sock`);
}

/**
 * Makes the folder of the sockets.
 * @throws Error when somebody else owns it: they could put a socket of their own there
 */
export function ensureSocketFolder(folder: string = socketFolder()): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== userId()) {
    throw new Error(`${folder} belongs to somebody else. Remove it, or ask an administrator to, and start again.`);
  }
  if ((found.mode & 0o777) !== OWNER_ONLY) chmodSync(folder, OWNER_ONLY);
}

/** One name for one place: absolute, with symbolic links resolved as far as the path exists already. */
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
  if (!process.getuid) throw new Error("Millrace needs Linux or macOS: use WSL on Windows.");
  return process.getuid();
}
