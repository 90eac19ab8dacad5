const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Schemes that a browser runs or opens itself, instead of a client. */
const NEVER = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "file:",
  "blob:",
  "about:",
  "view-source:",
  "ftp:",
  "ws:",
  "wss:",
]);

/** The longest name in DNS. A longer host or scheme would push the question off the consent page. */
const HOST_CHARS_MAX = 253;

/**
 * Returns whether a client may receive codes at this address: https, http on the client's own machine, or a scheme of
 * its own (RFC 8252).
 */
export function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username || password || hash || text.includes("#") || hostOf(text).length > HOST_CHARS_MAX) return false;
  if (protocol === "https:") return true;
  if (protocol === "http:") return LOOPBACK.has(hostname);
  return !NEVER.has(protocol) && text.slice(protocol.length).startsWith("//");
}

/** Compares exactly, except for the port on the client's own machine, which differs between sign-ins. */
export function isSameRedirectUri(registered: string, given: string): boolean {
  if (registered === given) return true;
  if (!isRedirectUri(given)) return false;
  const [one, other] = [new URL(registered), new URL(given)];
  if (one.protocol !== "http:" || !LOOPBACK.has(one.hostname)) return false;
  other.port = one.port;
  return one.href === other.href;
}

/** Returns the part of the address that people recognise: its host, or its scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}
