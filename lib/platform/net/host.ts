import "server-only";
import { isIP } from "node:net";
import { AppError } from "@/lib/platform/http/errors";
import { canonicalAddress } from "./address";

/** Maximum length of a host name (RFC 1035), without the trailing dot. */
const NAME_LENGTH_MAX = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that some resolvers read as a number, and thus as an address: 127.1, 0x7f000001, 2130706433. */
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;

/** Ports of mail, remote shells and caches. No web service listens there, and a request could speak their protocols. */
const REFUSED_WEB_PORTS: ReadonlySet<number> = new Set([22, 25, 465, 587, 6379, 11_211]);
const DEFAULT_PORTS: Record<string, number> = { "http:": 80, "https:": 443 };
const PORT_MAX = 65_535;
/** Maximum length of an address that common servers accept. */
const URL_LENGTH_MAX = 8192;

/** A web address that can be checked. `port` is the scheme's default when the address has none. */
export type WebTarget = { url: URL; host: string; port: number; isTls: boolean };

/**
 * Normalises the host of a database or of any other address that is not a URL: a plain IP address, or a name of
 * letters, digits and hyphens. Refuses everything else that a resolver or driver might interpret differently (T31:
 * short and octal addresses, look-alike characters, socket paths, lists of hosts).
 * @returns lower case; IPv6 as in RFC 5952, without brackets
 * @throws AppError `invalid_request`
 */
export function normalizeHost(host: string): string {
  const lower = host.toLowerCase();
  if (isIP(lower)) {
    const address = canonicalAddress(lower);
    if (address) return address;
  } else if (isHostName(lower)) {
    return lower;
  }
  throw new AppError("invalid_request", "Invalid host. Use a name such as db.example.com, or an IP address.");
}

/** @throws AppError `invalid_request` */
export function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new AppError("invalid_request", `The port must be a whole number from 1 to ${PORT_MAX}.`);
}

/**
 * Parses a web address as a browser does, so that the checked address is the dialled one (T31, T36).
 * @throws AppError `invalid_request` that names the problem
 */
export function parseWebTarget(text: string): WebTarget {
  // The URL parser silently drops these characters.
  if (text.length > URL_LENGTH_MAX || hasControlCharacter(text) || !URL.canParse(text)) {
    throw new AppError("invalid_request", "Invalid URL. Use one such as https://example.com/hook.");
  }
  const url = new URL(text);
  const defaultPort = DEFAULT_PORTS[url.protocol];
  if (defaultPort === undefined) {
    throw new AppError("invalid_request", "The URL must start with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError("invalid_request", "The URL must not contain a user name or password.");
  }
  const port = url.port === "" ? defaultPort : checkPort(Number(url.port));
  if (REFUSED_WEB_PORTS.has(port)) {
    throw new AppError("invalid_request", `Port ${port} is blocked. Use another port.`);
  }
  return { url, host: normalizeHost(url.hostname.replace(/^\[(.*)\]$/, "$1")), port, isTls: url.protocol === "https:" };
}

function isHostName(host: string): boolean {
  if (host.length > NAME_LENGTH_MAX) return false;
  const labels = host.split(".");
  return labels.every((label) => LABEL.test(label)) && !NUMBER_LABEL.test(labels.at(-1) ?? "");
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
