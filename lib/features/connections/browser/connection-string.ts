/** The parts of a pasted connection string; null for a part that it omits. */
export type ConnectionParts = {
  host: string;
  port: number | null;
  database: string | null;
  user: string | null;
  password: string | null;
  ssl: "disable" | "require" | "verify-full" | null;
};

/** The engines' names for the three SSL modes of the form (docs/develop/api.md, Connections). */
const SSL_WORDS: Record<string, ConnectionParts["ssl"]> = {
  disable: "disable",
  disabled: "disable",
  false: "disable",
  allow: "disable",
  prefer: "require",
  preferred: "require",
  require: "require",
  required: "require",
  true: "require",
  "verify-ca": "verify-full",
  verify_ca: "verify-full",
  "verify-full": "verify-full",
  verify_identity: "verify-full",
};

/**
 * Parses a connection string, so that a form can be filled in from it.
 * @returns null when the text is not an address of one server, such as a list of hosts
 */
export function parseConnectionString(text: string): ConnectionParts | null {
  // The scheme is cut off: the URL parser has special rules for http, and none for database schemes.
  const match = /^[a-z][a-z0-9+.-]*:\/\/(.+)$/i.exec(text.trim());
  if (match?.[1] === undefined) return null;
  let url: URL;
  try {
    url = new URL(`millrace://${match[1]}`);
  } catch {
    return null;
  }
  if (url.hostname === "" || url.hostname.includes(",")) return null;
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  const query = url.searchParams;
  const word = (
    query.get("sslmode") ??
    query.get("ssl-mode") ??
    query.get("ssl") ??
    query.get("tls") ??
    ""
  ).toLowerCase();
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? null : Number(url.port),
    database: decode(url.pathname.slice(1)) || query.get("database"),
    user: decode(url.username) || query.get("user"),
    password: decode(url.password) || query.get("password"),
    ssl: SSL_WORDS[word] ?? null,
  };
}
