import "server-only";
import { lookup } from "node:dns/promises";

/** Returns all addresses of a name, IPv4 and IPv6. Rejects as `dns.lookup` does. */
export type Resolver = (host: string) => Promise<string[]>;

/** Resolves names with the system's resolver, not DNS alone: names from the hosts file and of containers work too. */
export async function resolveBySystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "verbatim" });
  return found.map((entry) => entry.address);
}
