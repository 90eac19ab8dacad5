const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;
/** Private, shared and loopback ranges of IPv4 (RFC 1918, 6598, 1122). */
const PRIVATE_IPV4 =
  /^(?=(?:\d{1,3}\.){3}\d{1,3}$)(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
/** Loopback and unique local addresses of IPv6 (RFC 4291, 4193). */
const PRIVATE_IPV6 = /^(?:::1|f[cd][\da-f]{2}:[\da-f:]+)$/;

/**
 * Returns whether a host's text names a machine of the same network: a private address, or a name that no public name
 * server resolves.
 */
export function isPrivateHost(text: string): boolean {
  const host = text.trim().toLowerCase().replace(/\.$/, "");
  if (PRIVATE_IPV4.test(host) || PRIVATE_IPV6.test(host) || PRIVATE_NAME.test(host)) return true;
  return /^(?!\d+$)[a-z\d_-]+$/.test(host);
}
