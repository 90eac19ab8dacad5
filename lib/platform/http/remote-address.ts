import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { serverMember } from "@/lib/platform/process/server-context";

/** Set by the server from the socket: a client's value is overwritten. */
const HEADER = "x-millrace-remote-address";
/** Set by the server: "no" if the request named no proxy. Next adds forwarding headers to every request. */
const PROXIED_HEADER = "x-millrace-proxied";
/** Headers of a request that came through a proxy, whose address says nothing about the client's. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];
/** Path for an address that cannot be decoded: it gets the same answer as any unknown one. */
const MALFORMED_ADDRESS = "/api/malformed-address";
const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Method that is rejected everywhere, with the methods that the address accepts. */
const REFUSED_METHOD = "OPTIONS";
/** Headers with which a page's script requests a part of a page. */
const NAVIGATION_HEADERS = ["rsc", "next-router-state-tree", "next-router-prefetch", "next-router-segment-prefetch"];

const preparation = serverMember("requestPreparation", () => ({ isDone: false }));

/**
 * Prepares every request before Next sees it. Stores the socket's address, since Next would accept a client's
 * X-Forwarded-For in its place (T109), and whether a proxy sent the request, since Next adds that header itself. Routes addresses with broken percent-encoding to a 404, and methods that Next
 * does not know, such as TRACE, to a 405, where Next would answer 500.
 */
export function prepareRequests(): void {
  const state = preparation();
  if (state.isDone) return;
  state.isDone = true;
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    // One client is one address, also for an IPv4-mapped IPv6 socket.
    request.headers[HEADER] = (request.socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
    request.headers[PROXIED_HEADER] = FORWARDING_HEADERS.some((name) => name in request.headers) ? "yes" : "no";
    request.url = plainAddress(request.url ?? "/");
    if (request.url.startsWith("/api/")) {
      // Next interprets these headers before any route.
      for (const name of NAVIGATION_HEADERS) delete request.headers[name];
      // Next answers a verb that it does not know with 500; routes answer this one with 405.
      if (request.method === "TRACE") request.method = "OPTIONS";
    }
    if (!KNOWN_METHODS.has(request.method ?? "")) request.method = REFUSED_METHOD;
  });
}

/**
 * Returns path and query for any form of the request line: an absolute address must not lead to a redirect to its host.
 */
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
 * Returns the client's address: the socket's, or with `trustedProxies` > 0 the one that many hops from the right in
 * X-Forwarded-For. Null if it is unknown.
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

/** Returns whether a request came through a proxy, or may have. */
export function isProxied(headers: Headers): boolean {
  return headers.get(PROXIED_HEADER) !== "no";
}
