import { isIP } from "node:net";

/**
 * True when a server that listens on `host` (HOST, absent for every address) is for its own machine alone. A name other
 * than localhost counts as open: what it stands for may change.
 * Scripts run this file as it is: no syntax that cannot be stripped, no "@/" names.
 */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false;
  if (host.toLowerCase() === "localhost") return true;
  if (isIP(host) === 4) return host.startsWith("127.");
  return isIP(host) === 6 && toHostInUrl(host) === "[::1]";
}

/** An address as it stands in a URL: an IPv6 one in brackets and in its shortest form. */
export function toHostInUrl(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host;
}

/** In every way of writing them. */
const WILDCARDS = new Set(["0.0.0.0", "[::]"]);

/** True for an address that stands for all of the machine's. */
export function isWildcard(host: string): boolean {
  return WILDCARDS.has(toHostInUrl(host));
}

export function toUrl(host: string, port: number): string {
  return `http://${toHostInUrl(host)}:${port}`;
}

/** Where a server that listens on `host` (HOST, absent for every address) answers programs of this machine. */
export function toLocalUrl(host: string | undefined, port: number): string {
  if (host === undefined || host === "0.0.0.0") return toUrl("127.0.0.1", port);
  return toUrl(isWildcard(host) ? "::1" : host, port);
}

export type Reach =
  /** Nobody but the machine's own users. */
  | { by: "machine" }
  /** Whoever reaches one of the machine's addresses. */
  | { by: "network" }
  /** Whoever reaches this address, at which something in front passes requests on. */
  | { by: "address"; url: string };

/** Who reaches a server with these settings. Where they do not tell, it is everybody. */
export function toReach(settings: { HOST?: string | undefined; TRUST_PROXY: number; publicUrl: string }): Reach {
  const { hostname } = new URL(settings.publicUrl);
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ""))) return { by: "address", url: settings.publicUrl };
  return isLoopback(settings.HOST) && settings.TRUST_PROXY === 0 ? { by: "machine" } : { by: "network" };
}
