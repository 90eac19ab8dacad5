import { createServer } from "node:net";
import type { networkInterfaces } from "node:os";
import { isLoopback, isWildcard, toHostInUrl, toLocalUrl, toUrl } from "../../lib/platform/net/exposure.ts";
import { ScriptError } from "./run.mjs";

type Interfaces = ReturnType<typeof networkInterfaces>;

export { toLocalUrl };

/** Returns the address in its usual form. */
export function toShownUrl(host: string | undefined, port: number): string {
  if (host === undefined || isWildcard(host)) return toUrl("localhost", port);
  return toUrl(["127.0.0.1", "[::1]"].includes(toHostInUrl(host)) ? "localhost" : host, port);
}

/** Returns a notice about which machines can reach the server, and how to change that. */
export function toReachNotice(host: string | undefined, port: number, interfaces: Interfaces): string {
  if (isLoopback(host)) return "Accessible from this machine only.";
  const urls = toReachableUrls(host, port, interfaces);
  const where = urls.length === 0 ? "" : ` at ${urls.join(" or ")}`;
  return `Anyone who can reach this machine${where} can register. To restrict access, use HOST=127.0.0.1 npm start.`;
}

function toReachableUrls(host: string | undefined, port: number, interfaces: Interfaces): string[] {
  if (host !== undefined && !isWildcard(host)) return [toUrl(host, port)];
  return (
    Object.values(interfaces)
      .flatMap((addresses) => addresses ?? [])
      .filter((address) => !address.internal)
      // Listening on all of IPv4 excludes IPv6; all of IPv6 includes IPv4.
      .filter((address) => address.family === "IPv4" || host !== "0.0.0.0")
      // A link-local address needs a zone, which a URL cannot express.
      .filter((address) => address.family === "IPv4" || address.scopeid === 0)
      .map(({ address }) => toUrl(address, port))
  );
}

/** Listens briefly on the server's port. @throws ScriptError with advice if that is not possible */
export function refuseBusyPort(port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const advice = toAdvice(error.code, port, host);
      reject(advice ? new ScriptError(advice) : error);
    });
    probe.listen({ port, host }, () => probe.close(() => resolve()));
  });
}

function toAdvice(code: string | undefined, port: number, host: string | undefined): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is in use. Use another: PORT=${port + 1} npm start`;
    case "EACCES":
      return `Port ${port} requires root. Use a port above 1023: PORT=3000 npm start`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return `HOST ${host} is not an address of this machine. Use 127.0.0.1, or unset HOST to listen on all.`;
    default:
      return undefined;
  }
}
