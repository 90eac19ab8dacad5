import "server-only";
import ipaddr from "ipaddr.js";

/**
 * Purpose of an outbound connection. `database`: queries and flows on a workspace's connection. `http`: every web
 * address that a user gives (webhooks, chat, REST sources, repositories). `platform`: a web address from the
 * installation's settings, such as the model provider's, which the operator trusts.
 */
export type Purpose = "database" | "http" | "platform";

/** The setting ALLOW_PRIVATE_NETWORK (docs/develop/api.md, Settings). */
export type PrivateNetworkMode = "none" | "databases" | "all";

/**
 * `forbidden` addresses are never dialled: metadata, link-local, multicast, reserved, tunnels, and anything but a plain
 * address.
 */
export type AddressClass = "public" | "private" | "loopback" | "forbidden";

/** Services of hosting platforms that hand out credentials, in ranges that are otherwise public or private. */
const METADATA_RANGES = [
  "100.100.100.200/32", // Alibaba Cloud
  "168.63.129.16/32", // Azure, inside a public range
  "fd00:ec2::/32", // AWS: metadata, credentials of containers, name service
  "fd20:ce::/32", // Google Cloud
  "fd00:42::42/128", // Scaleway
].map((range) => ipaddr.parseCIDR(range));

/**
 * Names of metadata services. Where they resolve, they resolve to forbidden addresses. Refusing the names too covers a
 * resolver with a custom entry for one of them.
 */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Range of all public IPv6 addresses. Everything else that the library calls unicast is unused or obsolete. */
const IPV6_GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

const PRIVATE_RANGES: ReadonlySet<string> = new Set(["private", "carrierGradeNat", "uniqueLocal"]);

/**
 * Classifies an IP address in text form (T30, T32). IPv6 forms that embed an IPv4 address (mapped, translated, 6to4,
 * Teredo) are all forbidden, because a gateway and not the address decides which host they reach.
 * @param address as a resolver returns it; a zone id or a non-canonical form is forbidden
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

/** Returns whether an address of this class may be dialled for this purpose (docs/develop/api.md, Settings). */
export function isClassAllowed(addressClass: AddressClass, purpose: Purpose, mode: PrivateNetworkMode): boolean {
  if (addressClass === "forbidden") return false;
  if (addressClass === "public" || purpose === "platform" || mode === "all") return true;
  return mode === "databases" && purpose === "database";
}

/** @param host lower case, as `normalizeHost` returns it */
export function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host);
}

/**
 * Returns the canonical spelling of an address.
 * @returns dotted decimal, or the IPv6 form of RFC 5952; null when the text is not a plain address
 */
export function canonicalAddress(address: string): string | null {
  return parseAddress(address)?.toString() ?? null;
}

function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (address.includes("%")) return null;
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : null;
}
