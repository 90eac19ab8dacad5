import "server-only";
import type { ObjectId } from "mongodb";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { collections } from "../collections";
import { readBlob } from "../publish/blobs";
import type { BuiltFileDoc } from "../publish/model";
import { extensionOf, typeOf } from "./mime";

const ENTRY = "index.html";
/** A name that changes with the content, as builders generate it: `main-DfK3x9_b.js`. */
const HASHED = /[.-][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** Position of the base element, by which pages find the app's folder from a deeper address. */
const HEAD = /<head(?:\s[^>]*)?>/i;

/** Build to serve, with its app. */
export type Served = { workspaceId: ObjectId; appId: ObjectId; buildId: ObjectId };

/**
 * Serves the file of a deployment at an address. It is looked up by name in the deployment's file list: no path is ever
 * joined (T87). A path without an extension, which the app's router handles, gets the app's first page.
 * @param base path of the app
 * @throws AppError not_found
 */
export async function serveFile(request: Request, served: Served, base: string, headers: Headers): Promise<Response> {
  const path = pathOf(request, base);
  const wanted = path === "" ? ENTRY : path;
  const exact = await findFile(served, wanted);
  const isDeep = !exact && extensionOf(wanted) === "";
  const file = exact ?? (isDeep ? await findFile(served, ENTRY) : null);
  if (!file) throw noFile();
  // Without the trailing slash, relative links of the app's first page would be wrong too.
  if (isDeep || !new URL(request.url).pathname.startsWith(base)) return withBase(served, file, base, headers);

  const etag = `"${file.hash}"`;
  const isHashed = HASHED.test(file.path.slice(file.path.lastIndexOf("/") + 1)) && extensionOf(file.path) !== "html";
  headers.set("ETag", etag);
  // The address holds a token, and a shared cache would outlive it.
  headers.set("Cache-Control", isHashed ? `private, max-age=${YEAR_SECONDS}, immutable` : "private, no-cache");
  if (matches(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  headers.set("Content-Type", typeOf(file.path));
  headers.set("Accept-Ranges", "bytes");
  const range = rangeOf(request, file.bytes, etag);
  if (range === "bad") {
    headers.set("Content-Range", `bytes */${file.bytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  headers.set("Content-Length", String(last - first + 1));
  if (range) {
    headers.set("Content-Range", `bytes ${first}-${last}/${file.bytes}`);
    // A proxy that compresses a range would break it.
    headers.append("Cache-Control", "no-transform");
  }
  const parts = readBlob({ _id: served.appId, workspaceId: served.workspaceId }, file, { first, last });
  return new Response(toStream(parts), { status: range ? 206 : 200, headers });
}

/** Returns a failure below an app's address as text: a script request must not get an HTML page. */
export function toText(kind: ErrorKind, message: string, status: number, headers: Headers): Response {
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  headers.set("X-Error-Code", kind);
  return new Response(`${message}\n`, { status, headers });
}

/**
 * Returns the file path that an address names below the app's base.
 * @throws AppError not_found for a path that no deployment can have
 */
export function pathOf(request: Request, base: string): string {
  const { pathname } = new URL(request.url);
  const raw = pathname.startsWith(base) ? pathname.slice(base.length) : "";
  try {
    const segments = raw.split("/").map(decodeURIComponent);
    // A segment of the address must be one name in the app.
    if (segments.some((name) => /[/\\\0]/.test(name) || name === "." || name === "..")) throw noFile();
    return segments.join("/").normalize("NFC");
  } catch {
    throw noFile();
  }
}

async function findFile({ workspaceId, buildId }: Served, path: string): Promise<BuiltFileDoc | null> {
  return collections.appBuiltFiles().findOne({ workspaceId, buildId, path });
}

/** Serves the first page at a deeper address, where its relative links would be wrong without a base. */
async function withBase(served: Served, file: BuiltFileDoc, base: string, headers: Headers): Promise<Response> {
  const parts: Uint8Array[] = [];
  for await (const part of readBlob({ _id: served.appId, workspaceId: served.workspaceId }, file)) parts.push(part);
  const page = Buffer.concat(parts).toString("utf8");
  const tag = `<base href="${base}">`;
  const head = HEAD.exec(page);
  const at = head ? head.index + head[0].length : 0;
  headers.set("Content-Type", typeOf(ENTRY));
  headers.set("Cache-Control", "no-store");
  return new Response(page.slice(0, at) + tag + page.slice(at), { headers });
}

function toStream(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

function matches(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === etag || each.trim() === "*");
}

/** Parses a single byte range; multiple ranges get the whole file, which is allowed (RFC 9110, 14.2). */
function rangeOf(request: Request, bytes: number, etag: string): { first: number; last: number } | "bad" | null {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
  const condition = request.headers.get("if-range");
  if ((from === "" && to === "") || (condition !== null && condition !== etag)) return null;
  const first = from === "" ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return first > last || (from === "" && Number(to) === 0) ? "bad" : { first, last };
}

export function noFile(): AppError {
  return new AppError("not_found", "File not found in this app.");
}
