import { isLoopback } from "./reach";

/** A host with a port, as an address names it; anything else is no source for a policy. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Where this server is reached, for policies that have to write it out: as PUBLIC_URL says. As long as that names this machine
 * alone, nobody has said how others reach it, and it is as the request says.
 */
export function originsOf(headers: Headers, publicUrl: string): string[] {
  const { origin, protocol, hostname } = new URL(publicUrl);
  const host = headers.get("host") ?? "";
  const isOther = [hostname, host.replace(/:[0-9]+$/, "")].some((name) => isLoopback(name.replace(/^\[|\]$/g, "")));
  return [...new Set([origin, ...(isOther && HOST.test(host) ? [`${protocol}//${host}`] : [])])];
}
