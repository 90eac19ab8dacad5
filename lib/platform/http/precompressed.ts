import { createReadStream, readdirSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { acceptsCoding } from "./accept-encoding.ts";

const ENDING = ".br";
const TYPES: Readonly<Record<string, string>> = {
  js: "application/javascript; charset=UTF-8",
  css: "text/css; charset=UTF-8",
  svg: "image/svg+xml",
};
/** What the framework says of the same files: another content has another name. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

type Kept = { file: string; bytes: number; type: string };
export type Precompressed = ReadonlyMap<string, Kept>;

/**
 * The files that a build has left compressed (`scripts/support/precompress.mjs`), by the address of what they are of.
 * @param folder none is as good as an empty one
 * @param prefix of the addresses of what is in it, with a slash at its end
 */
export function readPrecompressed(folder: string, prefix: string): Precompressed {
  const found = new Map<string, Kept>();
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return found;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(ENDING)) continue;
    const file = join(folder, name);
    const plain = name.slice(0, -ENDING.length).replaceAll("\\", "/");
    const type = TYPES[plain.split(".").at(-1) ?? ""];
    if (type !== undefined) found.set(prefix + plain, { file, bytes: statSync(file).size, type });
  }
  return found;
}

/**
 * Answers with what is compressed already: a seventh smaller than what is compressed while somebody waits, and for nothing.
 * @returns false for all else (parts of files, clients that read no Brotli): nothing has been done with it
 */
export function hasPrecompressedAnswer(
  files: Precompressed,
  { method, url, headers }: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  if ((method !== "GET" && method !== "HEAD") || headers.range !== undefined) return false;
  const kept = files.get(url?.split("?", 1)[0] ?? "");
  if (kept === undefined || !acceptsCoding(String(headers["accept-encoding"] ?? ""), "br")) return false;
  outgoing.writeHead(200, {
    "cache-control": CACHE_CONTROL,
    "content-encoding": "br",
    "content-length": kept.bytes,
    "content-type": kept.type,
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
  });
  if (method === "HEAD") outgoing.end();
  // A file that is gone, or a client, ends the answer short of its length, which nobody takes for the whole.
  else pipeline(createReadStream(kept.file), outgoing, () => {});
  return true;
}
