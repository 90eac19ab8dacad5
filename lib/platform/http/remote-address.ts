import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/** Set by us alone, from the socket: what a client sends under this name is overwritten. */
const HEADER = "x-millrace-remote-address";
/** Where an address leads that nobody can decode: to the same answer as any other that leads nowhere. */
const MALFORMED_ADDRESS = "/api/malformed-address";
const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Refused everywhere, with what the address takes. */
const REFUSED_METHOD = "OPTIONS";
/** With these a page's own script asks for a part of a page. */
const NAVIGATION_HEADERS = ["rsc", "next-router-state-tree", "next-router-prefetch", "next-router-segment-prefetch"];
const KEY = Symbol.for("millrace.remote-address");

/**
 * Looks at every request before Next sees it. Notes the socket's address, since Next itself would let a client's own
 * X-Forwarded-For stand for it (T109); leads addresses with broken percent-encoding to a 404 and methods that Next does
 * not know, such as TRACE, to a 405, where Next would answer 500.
 */
export function prepareRequests(): void {
  const shared = globalThis as { [KEY]?: true };
  if (shared[KEY]) return;
  shared[KEY] = true;
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    // One client is one address, also where the socket speaks IPv6 and carries IPv4 in it.
    request.headers[HEADER] = (request.socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
    request.url = plainAddress(request.url ?? "/");
    if (request.url.startsWith("/api/")) {
      // Next gives these a meaning of their own, before any route is asked.
      for (const name of NAVIGATION_HEADERS) delete request.headers[name];
      // A verb that Next has no name for would be a 500; routes answer this one with 405.
      if (request.method === "TRACE") request.method = "OPTIONS";
    }
    if (!KNOWN_METHODS.has(request.method ?? "")) request.method = REFUSED_METHOD;
  });
}

/** Path and query, whatever form the request line has: an absolute address must not lead to a redirect to its host. */
function plainAddress(url: string): string {
  const address = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url;
  if (!address.startsWith("/")) return MALFORMED_ADDRESS;
  try {
    decodeURIComponent(address.split("?", 1)[0] ?? "");
    return address;
  } catch {
    return MALFORMED_ADDRESS;
  }
}

/**
 * The address of the client: the socket's, or with `trustedProxies` > 0 the one that many hops from the right
 * in X-Forwarded-For. Null when it is not known.
 */
export function remoteAddress(headers: Headers, trustedProxies: number): string | null {
  const socket = headers.get(HEADER) || null;
  if (trustedProxies <= 0) return socket;
  const hops = (headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return hops[hops.length - trustedProxies] ?? socket;
}
