import { subscribe } from "node:diagnostics_channel";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { paceRequests } from "./admission.ts";
import { lingerAfter } from "./linger.ts";
import type { Precompressed } from "./precompressed.ts";

/** Maximum time from the first byte, or from the connection if there is none, to the end of the headers, in ms. */
const HEADERS_TIMEOUT_MS = 8000;
const LOOK_EVERY_MS = 1000;
/**
 * Window in which a body must transfer a minimum, in ms. Its total time is unlimited, such as for an upload of a
 * gigabyte over a slow connection. The minimum is a tenth of what the slowest connections in use carry.
 */
const WINDOW_MS = 10_000;
const WINDOW_BYTES_MIN = 10 * 1024;
const TIMEOUT_ANSWER = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

type Coming = { request: IncomingMessage; response: ServerResponse; since: number; bytes: number };

/**
 * Sets the deadlines of every HTTP server of this process (T72, T104): of headers, and of bodies that stop or drip.
 * Answers that come before the end of a body are not lost to a client that is still sending.
 * Also sets the rate at which they start requests (F15). Loaded before the framework, which creates its server
 * internally and has no settings for these.
 * @param files that these servers answer without the framework
 */
export function limitServers(files: Precompressed): void {
  subscribe("tracing:net.server.listen:asyncStart", (message) => {
    const { server } = message as { server: unknown };
    if (!(server instanceof Server)) return;
    limitHeaders(server);
    paceRequests(server, files);
  });
  watchBodies();
}

/**
 * Sets the limits of headers. Call it before the server listens: only then does Node read the interval of its checks.
 */
function limitHeaders(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  (server as Server & { connectionsCheckingInterval: number }).connectionsCheckingInterval = LOOK_EVERY_MS;
  // Limit of the whole request: it would cut every large upload over a slow connection.
  server.requestTimeout = 0;
}

function watchBodies(): void {
  const coming = new Set<Coming>();
  let timer: NodeJS.Timeout | null = null;
  const look = () => {
    const now = performance.now();
    for (const each of coming) {
      if (each.request.complete || each.request.socket.destroyed) coming.delete(each);
      else if (isTooSlow(each, now)) {
        coming.delete(each);
        cut(each);
      }
    }
    if (coming.size > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (encoding === undefined && !(Number(length) > 0)) return;
    lingerAfter(request, response);
    coming.add({ request, response, since: performance.now(), bytes: request.socket.bytesRead });
    timer ??= setInterval(look, LOOK_EVERY_MS).unref();
  });
}

function isTooSlow(each: Coming, now: number): boolean {
  if (now - each.since < WINDOW_MS) return false;
  const { bytesRead } = each.request.socket;
  // Unread bytes here mean that the server is slow, not the client.
  const isOurs = each.request.readableLength > 0;
  const isSlow = !isOurs && bytesRead - each.bytes < WINDOW_BYTES_MIN;
  each.since = now;
  each.bytes = bytesRead;
  return isSlow;
}

function cut({ request, response }: Coming): void {
  const { socket } = request;
  if (!response.headersSent && socket.writable) socket.write(TIMEOUT_ANSWER);
  socket.destroySoon();
}
