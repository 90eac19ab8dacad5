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
/** Same value as the framework's for these files: new content has a new name. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";

type Kept = { file: string; bytes: number; type: string };
export type Precompressed = ReadonlyMap<string, Kept>;

/**
 * Finds the files that a build has precompressed (`scripts/support/precompress.mjs`), by the address of the original.
 * @param folder a missing one counts as empty
 * @param prefix of their addresses, with a slash at its end
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
 * Answers with a precompressed file: a seventh smaller than compressing on the fly, and without its cost.
 * @returns false for all other requests (parts of files, clients without Brotli), which are left untouched
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
  // If the file or the client disappears, the answer is shorter than its length, which no client accepts as complete.
  else pipeline(createReadStream(kept.file), outgoing, () => {});
  return true;
}
