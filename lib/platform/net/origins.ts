import { isLoopback } from "./exposure";

/** A host with an optional port, as in an address. Anything else is not a source of a policy. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Returns the origins of this server, for policies that have to list them: the origin of PUBLIC_URL. While PUBLIC_URL
 * or the request names this machine only, the request's host is added.
 */
export function originsOf(headers: Headers, publicUrl: string): string[] {
  const { origin, protocol, hostname } = new URL(publicUrl);
  const host = headers.get("host") ?? "";
  const isOther = [hostname, host.replace(/:[0-9]+$/, "")].some((name) => isLoopback(name.replace(/^\[|\]$/g, "")));
  return [...new Set([origin, ...(isOther && HOST.test(host) ? [`${protocol}//${host}`] : [])])];
}
