import "server-only";
import type { ObjectId } from "mongodb";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { collections } from "../collections";
import { readBlob } from "../publish/blobs";
import type { BuiltFileDoc } from "../publish/model";
import { extensionOf, typeOf } from "./mime";

const ENTRY = "index.html";
/** A name that changes with the content, as builders give them: `main-DfK3x9_b.js`. */
const HASHED = /[.-][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** What an app's pages name their own folder by, when one is asked for deeper than it lies. */
const HEAD = /<head(?:\s[^>]*)?>/i;

/** What is served of an app. */
export type Served = { workspaceId: ObjectId; appId: ObjectId; buildId: ObjectId };

/**
 * The file of a deployment that an address names, found by its name in the list of the deployment's files: no path is ever
 * joined (T87). A page without an ending, which the app's own script draws, is the app's first page.
 * @param base the path that the app lives below
 * @throws AppError not_found
 */
export async function serveFile(request: Request, served: Served, base: string, headers: Headers): Promise<Response> {
  const path = pathOf(request, base);
  const wanted = path === "" ? ENTRY : path;
  const exact = await findFile(served, wanted);
  const isDeep = !exact && extensionOf(wanted) === "";
  const file = exact ?? (isDeep ? await findFile(served, ENTRY) : null);
  if (!file) throw noFile();
  // Without its last slash the address of the app itself leads its pages astray, too.
  if (isDeep || !new URL(request.url).pathname.startsWith(base)) return withBase(served, file, base, headers);

  const etag = `"${file.hash}"`;
  const isHashed = HASHED.test(file.path.slice(file.path.lastIndexOf("/") + 1)) && extensionOf(file.path) !== "html";
  headers.set("ETag", etag);
  // The address holds a token: what keeps it for others would outlive that.
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
    // A part that is compressed on the way is none that was asked for.
    headers.append("Cache-Control", "no-transform");
  }
  const parts = readBlob({ _id: served.appId, workspaceId: served.workspaceId }, file, { first, last });
  return new Response(toStream(parts), { status: range ? 206 : 200, headers });
}

/** A failure below an app's address, as a text: a page that asks for a script must not get another page. */
export function toText(kind: ErrorKind, message: string, status: number, headers: Headers): Response {
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("Cache-Control", "no-store");
  headers.set("X-Error-Code", kind);
  return new Response(`${message}\n`, { status, headers });
}

/**
 * What an address names below the app's own, as a file's path.
 * @throws AppError not_found for what is no path that a deployment could have
 */
export function pathOf(request: Request, base: string): string {
  const { pathname } = new URL(request.url);
  const raw = pathname.startsWith(base) ? pathname.slice(base.length) : "";
  try {
    const segments = raw.split("/").map(decodeURIComponent);
    // What is one name in the address is one in the app.
    if (segments.some((name) => /[/\\\0]/.test(name) || name === "." || name === "..")) throw noFile();
    return segments.join("/").normalize("NFC");
  } catch {
    throw noFile();
  }
}

async function findFile({ workspaceId, buildId }: Served, path: string): Promise<BuiltFileDoc | null> {
  return collections.appBuiltFiles().findOne({ workspaceId, buildId, path });
}

/** The first page at a deeper address, where its own relative addresses would lead astray. */
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

/** One range of bytes; several at once are answered with the whole, as anybody may (RFC 9110, 14.2). */
function rangeOf(request: Request, bytes: number, etag: string): { first: number; last: number } | "bad" | null {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
  const condition = request.headers.get("if-range");
  if ((from === "" && to === "") || (condition !== null && condition !== etag)) return null;
  const first = from === "" ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return first > last || (from === "" && Number(to) === 0) ? "bad" : { first, last };
}

export function noFile(): AppError {
  return new AppError("not_found", "There is no such file in this app.");
}
