import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { serverMember } from "../process/server-context.ts";
import { acceptsCoding } from "./accept-encoding.ts";

/** A route's handler; never throws. */
type Answer = (request: Request, params: Record<string, string>) => Promise<Response>;
export type DirectRoute = { method: string; pattern: RegExp; answer: Answer };

/** Pattern of an id: a malformed one goes through the framework, and the same route rejects it. */
const ID = "[0-9a-f]{24}";
/** Maximum size of an answer that is sent in one piece with its head. */
const WHOLE_BYTES_MAX = 64 * 1024;
/** Placeholder: only path and query of the address are used. */
const BASE = "http://localhost";

/**
 * Answers a route without the framework's overhead per request, which is larger than that of a small query. Requests in
 * another form (a trailing slash, another verb, another form of an id) go through the framework, with the same result.
 * @param path as the framework names it, its parameters in brackets; all of them ids
 */
export function answerDirectly(method: string, path: string, answer: Answer): void {
  const pattern = new RegExp(`^${path.replace(/\[(\w+)\]/g, (_, name) => `(?<${name}>${ID})`)}(?:\\?|$)`);
  directRoutes().push({ method, pattern, answer });
}

/**
 * Answers a request whose route is registered for direct answers.
 * @returns false for all others, which are left untouched
 */
export function hasDirectAnswer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  for (const { method, pattern, answer } of directRoutes()) {
    const params = incoming.method === method ? pattern.exec(incoming.url ?? "")?.groups : undefined;
    if (!params) continue;
    // A broken response is cut off: a partial body must not look complete.
    respond(answer, params, incoming, outgoing).catch(() => outgoing.destroy());
    return true;
  }
  return false;
}

const directRoutes = serverMember("directRoutes", () => []);

async function respond(
  answer: Answer,
  params: Record<string, string>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  const request = new Request(`${BASE}${incoming.url}`, {
    method: incoming.method,
    headers: headersOf(incoming),
    body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
    duplex: "half",
    signal: left.signal,
  } as RequestInit);
  const response = await answer(request, params);
  const { body, headers, status } = response;
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (!body || length <= WHOLE_BYTES_MAX) {
    const whole = Buffer.from(await response.arrayBuffer());
    writeHead(outgoing, status, headers);
    outgoing.end(whole);
    return;
  }
  const stream = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  if (isToBeCompressed(incoming, headers)) {
    headers.delete("content-length");
    headers.set("content-encoding", "gzip");
    writeHead(outgoing, status, headers);
    await pipeline(stream, createGzip(), outgoing);
  } else {
    writeHead(outgoing, status, headers);
    await pipeline(stream, outgoing);
  }
}

function headersOf({ headers }: IncomingMessage): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") all.set(name, value);
    else for (const each of value ?? []) all.append(name, each);
  }
  return all;
}

function writeHead(outgoing: ServerResponse, status: number, headers: Headers): void {
  const entries: [string, string][] = [...headers].filter(([name]) => name !== "set-cookie");
  for (const cookie of headers.getSetCookie()) entries.push(["set-cookie", cookie]);
  outgoing.writeHead(status, entries.flat());
}

/**
 * Returns whether to compress, as the framework does: if proxies may change the answer, and the client asked for it.
 */
function isToBeCompressed(incoming: IncomingMessage, headers: Headers): boolean {
  if (headers.get("cache-control")?.includes("no-transform") || headers.has("content-encoding")) return false;
  headers.append("vary", "Accept-Encoding");
  return acceptsCoding(String(incoming.headers["accept-encoding"] ?? ""), "gzip");
}
