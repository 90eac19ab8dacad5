import { isIP } from "node:net";

/**
 * Returns true when a server that listens on `host` (HOST, absent for every address) is reachable from its own machine
 * only. A name other than localhost counts as open, because it may resolve differently later.
 * Scripts run this file directly: use no syntax that type stripping does not support, and no "@/" imports.
 */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false;
  if (host.toLowerCase() === "localhost") return true;
  if (isIP(host) === 4) return host.startsWith("127.");
  return isIP(host) === 6 && toHostInUrl(host) === "[::1]";
}

/** Formats a host for a URL: an IPv6 address in brackets and in its shortest form. */
export function toHostInUrl(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname : host;
}

/** Wildcard addresses as `toHostInUrl` writes them. */
const WILDCARDS = new Set(["0.0.0.0", "[::]"]);

/** Returns true for an address that stands for all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return WILDCARDS.has(toHostInUrl(host));
}

export function toUrl(host: string, port: number): string {
  return `http://${toHostInUrl(host)}:${port}`;
}

/** Returns the URL at which local programs reach a server that listens on `host` (HOST, absent for every address). */
export function toLocalUrl(host: string | undefined, port: number): string {
  if (host === undefined || host === "0.0.0.0") return toUrl("127.0.0.1", port);
  return toUrl(isWildcard(host) ? "::1" : host, port);
}

export type Reach =
  /** Users of this machine only. */
  | { by: "machine" }
  /** Everyone who can reach one of the machine's addresses. */
  | { by: "network" }
  /** Everyone who can reach this address, from which a proxy forwards requests. */
  | { by: "address"; url: string };

/** Returns who can reach a server with these settings. If they do not tell, everyone can. */
export function toReach(settings: { HOST?: string | undefined; TRUST_PROXY: number; publicUrl: string }): Reach {
  const { hostname } = new URL(settings.publicUrl);
  if (!isLoopback(hostname.replace(/^\[|\]$/g, ""))) return { by: "address", url: settings.publicUrl };
  return isLoopback(settings.HOST) && settings.TRUST_PROXY === 0 ? { by: "machine" } : { by: "network" };
}
