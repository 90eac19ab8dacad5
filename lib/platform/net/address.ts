import "server-only";
import ipaddr from "ipaddr.js";

/**
 * What an outbound connection is for. `database`: queries and flows on a connection of a workspace; `http`: every web
 * address that a user gives (webhooks, chat, REST sources, repositories); `platform`: a web address from the settings
 * of the installation, such as the model provider's, which its operator vouches for.
 */
export type Purpose = "database" | "http" | "platform";

/** The setting ALLOW_PRIVATE_NETWORK (docs/develop/api.md, Settings). */
export type PrivateNetworkMode = "none" | "databases" | "all";

/** `forbidden` is never dialled: metadata, link-local, multicast, reserved, tunnels, and what is no plain address. */
export type AddressClass = "public" | "private" | "loopback" | "forbidden";

/** Services of hosting platforms that hand out credentials and lie in ranges which are otherwise public or private. */
const METADATA_RANGES = [
  "100.100.100.200/32", // Alibaba Cloud
  "168.63.129.16/32", // Azure, inside a public range
  "fd00:ec2::/32", // AWS: metadata, credentials of containers, name service
  "fd20:ce::/32", // Google Cloud
  "fd00:42::42/128", // Scaleway
].map((range) => ipaddr.parseCIDR(range));

/**
 * Names of such services. They lead to forbidden addresses where they work at all; refusing the name as well keeps a
 * resolver with an entry of its own from opening them.
 */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** All public IPv6 addresses lie in here; the rest of what the library calls unicast is not in use, or a relic. */
const IPV6_GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

const PRIVATE_RANGES: ReadonlySet<string> = new Set(["private", "carrierGradeNat", "uniqueLocal"]);

/**
 * Sorts an IP address in text form (T30, T32). IPv6 forms that carry an IPv4 address (mapped, translated, 6to4, Teredo)
 * are forbidden as a whole: whom they reach is decided by a gateway, not by the address.
 * @param address as a resolver gives it; a zone id or anything that is not canonical is forbidden
 */
export function classifyAddress(address: string): AddressClass {
  const parsed = parseAddress(address);
  if (!parsed) return "forbidden";
  if (METADATA_RANGES.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))) {
    return "forbidden";
  }
  const range = parsed.range();
  if (range === "loopback") return "loopback";
  if (PRIVATE_RANGES.has(range)) return "private";
  if (range !== "unicast") return "forbidden";
  if (parsed.kind() === "ipv6" && !parsed.match(...IPV6_GLOBAL_UNICAST)) return "forbidden";
  return "public";
}

/** Whether an address of this class may be dialled for this purpose (docs/develop/api.md, Settings). */
export function isClassAllowed(addressClass: AddressClass, purpose: Purpose, mode: PrivateNetworkMode): boolean {
  if (addressClass === "forbidden") return false;
  if (addressClass === "public" || purpose === "platform" || mode === "all") return true;
  return mode === "databases" && purpose === "database";
}

/** @param host lower case, as `normalizeHost` gives it */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host);
}

/**
 * One spelling for each address, or null when the text is not a plain address.
 * @returns dotted decimal, or the IPv6 form of RFC 5952
 */
export function canonicalAddress(address: string): string | null {
  return parseAddress(address)?.toString() ?? null;
}

function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (address.includes("%")) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : null;
}
