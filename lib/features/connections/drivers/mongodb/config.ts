import "server-only";
import { z } from "zod";
import { invalidField, readConfig } from "../shared/config";

export type MongoConfig = {
  /** Rebuilt from its parts: no unchecked part reaches the library. */
  uri: string;
  /** The servers in the address; empty for a name that resolves to others (mongodb+srv). */
  hosts: readonly { host: string; port: number }[];
  database: string;
  secrets: readonly string[];
};

export const CHARS_MAX = 4000;
/** MongoDB's limit of a database name. */
export const DATABASE_CHARS_MAX = 64;
const MONGODB_PORT = 27_017;
const fields = z.strictObject({
  connectionString: z.string().max(CHARS_MAX, "This is too long."),
  database: z.string().max(DATABASE_CHARS_MAX, "This is too long.").optional(),
});

/** Options about sign-in and servers. Options that read files or open other ways are excluded (T43). */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  authSource: /^[^/\\. "$\0]{1,63}$|^\$external$/,
  authMechanism: /^(?:SCRAM-SHA-1|SCRAM-SHA-256|PLAIN)$/,
  replicaSet: /^[\w.-]{1,100}$/,
  directConnection: /^(?:true|false)$/,
  loadBalanced: /^(?:true|false)$/,
  tls: /^(?:true|false)$/,
  ssl: /^(?:true|false)$/,
  tlsAllowInvalidCertificates: /^(?:true|false)$/,
  tlsAllowInvalidHostnames: /^(?:true|false)$/,
  retryReads: /^(?:true|false)$/,
  retryWrites: /^(?:true|false)$/,
  w: /^(?:majority|\d{1,2})$/,
  readPreference: /^(?:primary|primaryPreferred|secondary|secondaryPreferred|nearest)$/,
  readConcernLevel: /^(?:local|available|majority|linearizable|snapshot)$/,
  appName: /^[\w .-]{1,100}$/,
};
const NAMES = new Map(Object.keys(OPTIONS).map((name) => [name.toLowerCase(), name]));

/** Parses the config. @throws AppError `invalid_request` */
export function parseMongoConfig(config: Record<string, unknown>): MongoConfig {
  const { connectionString, database } = readConfig(fields, config);
  const parts =
    /^(?<scheme>mongodb(?:\+srv)?):\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/.exec(
      connectionString.trim(),
    )?.groups;
  if (!parts?.hosts) {
    throw invalidField("connectionString", "Must be mongodb://user:password@host:port/database.");
  }
  // Unix sockets are written as %2Ftmp%2F...sock.
  if (!/^[\w.,:[\]-]+$/.test(parts.hosts)) {
    throw invalidField(
      "connectionString",
      "Hosts must be names or IP addresses, each with an optional port (default 27017).",
    );
  }
  const named = database ?? decode(parts.database ?? "");
  if (named === "") throw invalidField("database", "Enter a database, here or in the connection string.");
  if (/[/\\. "$]|\p{Cc}/u.test(named)) throw invalidField("database", "Invalid database name.");
  const query = new URLSearchParams(readOptions(parts.query ?? ""));
  // The address names the database of the sign-in, whichever database is queried.
  if (!query.has("authSource") && parts.database && parts.user) query.set("authSource", decode(parts.database));
  const signIn =
    parts.user === undefined
      ? ""
      : `${encode(parts.user)}${parts.password === undefined ? "" : `:${encode(parts.password)}`}@`;
  return {
    uri: `${parts.scheme}://${signIn}${parts.hosts}/?${query}`,
    hosts: parts.scheme === "mongodb" ? parts.hosts.split(",").map(toHost) : [],
    database: named,
    secrets: parts.password ? [decode(parts.password)] : [],
  };
}

function toHost(text: string): { host: string; port: number } {
  const [, address, name, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = address ?? name;
  if (!host) throw invalidField("connectionString", "Hosts must be comma-separated names or IP addresses.");
  return { host, port: port === undefined ? MONGODB_PORT : Number(port) };
}

function readOptions(query: string): [string, string][] {
  return [...new URLSearchParams(query)].map(([given, value]) => {
    const name = NAMES.get(given.toLowerCase());
    if (name === undefined || !OPTIONS[name]?.test(value)) {
      throw invalidField("connectionString", `The option ${given.slice(0, 40)} with this value is not supported.`);
    }
    return [name, value];
  });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidField(
      "connectionString",
      "Percent-encode special characters in user and password, such as %40 for @.",
    );
  }
}

function encode(part: string): string {
  return encodeURIComponent(decode(part));
}
