import "server-only";
import { z } from "zod";
import type { ConfigField } from "@/lib/features/connections/schema";
import { AppError, toInputProblems } from "@/lib/platform/http/errors";

const TEXT_CHARS_MAX = 1000;
/** Maximum characters of a connection string: those of hosted databases list several servers and options. */
const CONNECTION_STRING_CHARS_MAX = 4000;

const PORT = { min: 1, max: 65_535 };

export const SSL_MODES = ["disable", "require", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** The address of a database and the sign-in, in either notation of the form. */
export type NetworkConfig = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: SslMode;
  /** Options of the connection string that the driver keeps, by name. */
  options: Readonly<Record<string, string>>;
  /** The connection may fall back to plain text, although `ssl` requires TLS. */
  mayBePlain?: true;
};

export type AddressRules = {
  /** Without the colon. */
  schemes: readonly string[];
  defaultPort: number;
  defaultUser: string;
  defaultDatabase: string;
  /** Interprets one option of the connection string: its TLS mode, or how to treat a plain option. */
  option: (name: string, value: string) => OptionMeaning;
};
/** `preferred` tries TLS first and continues without it where the server has none. Null refuses the option. */
export type OptionMeaning = { ssl: SslMode | "preferred" } | "keep" | "ignore" | null;

/** Options of pools, drivers and hosts that have no effect here, regardless of their value. */
const IGNORED_OPTIONS = new Set([
  ...[
    "application_name",
    "fallback_application_name",
    "connect_timeout",
    "connecttimeout",
    "pool_timeout",
    "socket_timeout",
  ],
  ...["connection_limit", "max_connections", "pool_size", "max_idle_connection_lifetime", "single_use_connections"],
  ...["pgbouncer", "statement_cache_size", "prepared_statement_cache_size", "schema", "supa", "workaround"],
  ...["target_session_attrs", "load_balance_hosts", "uselibpqcompat", "gssencmode", "sslnegotiation", "sslsni"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"],
  ...["charset", "collation", "characterencoding", "useunicode", "parsetime", "loc", "timezone", "servertimezone"],
  ...["autoreconnect", "allowpublickeyretrieval", "timeout", "readtimeout", "writetimeout"],
]);

/**
 * Interprets options that several kinds of servers share: TLS options by their names in libraries and hosts, and
 * options without an effect here.
 */
export function sharedOption(name: string, value: string): OptionMeaning {
  const key = name.toLowerCase();
  if (IGNORED_OPTIONS.has(key)) return "ignore";
  // Prisma's option: strict checks the certificate.
  if (key === "sslaccept") {
    if (value === "strict") return { ssl: "verify-full" };
    return value === "accept_invalid_certs" ? { ssl: "require" } : null;
  }
  return null;
}

const text = (chars = TEXT_CHARS_MAX) => z.string().max(chars, "Too long.");
const port = z.coerce
  .number("Port must be a number.")
  .int("Port must be a whole number.")
  .min(PORT.min, "Port must be between 1 and 65535.")
  .max(PORT.max, "Port must be between 1 and 65535.");

/** Schemas of the inputs, for `readConfig`. */
export const fieldValues = {
  text: text(),
  port,
  ssl: z.enum(SSL_MODES, "TLS must be disable, require or verify-full."),
};

/** Strict: unknown fields are refused, so that no unchecked option reaches a library (T43). */
const networkFields = z.strictObject({
  connectionString: text(CONNECTION_STRING_CHARS_MAX).optional(),
  host: fieldValues.text.optional(),
  port: fieldValues.port.optional(),
  database: fieldValues.text.optional(),
  user: fieldValues.text.optional(),
  password: fieldValues.text.optional(),
  ssl: fieldValues.ssl.optional(),
});

/** Unicode control characters: in a protocol or a header they could end a value and start another (T43). */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Parses the stored config of a connection with a schema; empty inputs of the form count as absent. Control characters
 * are always refused.
 * @throws AppError `invalid_request` with one detail per problem, their paths below `config`
 */
export function readConfig<T>(schema: z.ZodType<T>, config: Record<string, unknown>): T {
  const given = Object.entries(config).filter(([, value]) => value !== undefined && value !== null && value !== "");
  for (const [name, value] of given) refuseControlCharacters(name, value);
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  throw new AppError("invalid_request", "Some settings are missing or invalid. Fix the marked fields.", {
    details: toInputProblems(
      result.error.issues.flatMap((issue) => {
        if (issue.code !== "unrecognized_keys") return [issue];
        return issue.keys.map((key) => ({ path: [...issue.path, key], message: "Unknown setting." }));
      }),
      ["config"],
    ),
  });
}

function refuseControlCharacters(name: string, value: unknown): void {
  if (typeof value === "string" && CONTROL_CHARACTER.test(value)) {
    throw invalidField(name, "Remove line breaks, tabs and other control characters.");
  }
}

/**
 * Parses `host, port, database, user, password, ssl` or `connectionString` (docs/develop/api.md, Connections).
 * @throws AppError `invalid_request`
 */
export function parseNetworkConfig(config: Record<string, unknown>, rules: AddressRules): NetworkConfig {
  const fields = readConfig(networkFields, config);
  if (fields.connectionString !== undefined) {
    for (const name of ["host", "port", "database", "user", "password"] as const) {
      if (fields[name] !== undefined) {
        throw invalidField(name, "Use either a connection string or the fields, not both.");
      }
    }
    const address = parseConnectionString(fields.connectionString, rules);
    if (fields.ssl === undefined) return address;
    const { mayBePlain: _, ...decided } = address;
    return { ...decided, ssl: fields.ssl };
  }
  if (fields.host === undefined) throw invalidField("host", "Enter a host or a connection string.");
  return {
    host: fields.host,
    port: fields.port ?? rules.defaultPort,
    database: fields.database ?? rules.defaultDatabase,
    user: fields.user ?? rules.defaultUser,
    password: fields.password ?? "",
    ssl: fields.ssl ?? "disable",
    options: {},
  };
}

/** Parses `scheme://user:password@host:port/database?name=value` only: no second host, no Unix socket (T37, T43). */
function parseConnectionString(address: string, rules: AddressRules): NetworkConfig {
  const parts =
    /^(?<scheme>[a-z][a-z0-9+]*):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^/]*))?@)?(?<host>\[[0-9a-f:.]+\]|[^:/?#@,]*)(?::(?<port>\d{1,5}))?(?:\/(?<database>[^?#/]*))?(?:\?(?<query>[^#]*))?$/i.exec(
      address.trim(),
    )?.groups;
  if (!parts || !rules.schemes.includes((parts.scheme ?? "").toLowerCase()) || !parts.host) {
    throw invalidField(
      "connectionString",
      `Must be ${rules.schemes[0]}://user:password@host:port/database with one host.`,
    );
  }
  const parsedPort = port.safeParse(parts.port ?? rules.defaultPort);
  if (!parsedPort.success) throw invalidField("connectionString", "Port must be between 1 and 65535.");
  const { options, ...tls } = readOptions(parts.query ?? "", rules);
  const decoded = {
    host: parts.host.replace(/^\[(.*)\]$/, "$1"),
    database: decode(parts.database) || rules.defaultDatabase,
    user: decode(parts.user) || rules.defaultUser,
    password: decode(parts.password),
  };
  // %00 becomes a control character only by decoding.
  for (const value of [...Object.values(decoded), ...Object.values(options)]) {
    refuseControlCharacters("connectionString", value);
  }
  return { ...decoded, port: parsedPort.data, ...tls, options };
}

type ReadOptions = Pick<NetworkConfig, "ssl" | "mayBePlain"> & { options: Record<string, string> };

function readOptions(query: string, rules: AddressRules): ReadOptions {
  let ssl: SslMode | "preferred" = "disable";
  const options: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const meaning = rules.option(name, value);
    if (meaning === null) {
      throw invalidField("connectionString", `The option ${name.slice(0, 40)} with this value is not supported.`);
    }
    if (meaning === "keep") options[name] = value;
    else if (meaning !== "ignore") ssl = meaning.ssl;
  }
  return ssl === "preferred" ? { ssl: "require", mayBePlain: true, options } : { ssl, options };
}

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    throw invalidField(
      "connectionString",
      "Percent-encode special characters in user and password, such as %40 for @.",
    );
  }
}

export function invalidField(name: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path: `config.${name}`, message }] });
}

/** Runs a rule and assigns its error to a field. */
export function atField<T>(place: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof AppError && error.kind === "invalid_request" ? invalidField(place, error.message) : error;
  }
}

/** Inputs that forms of servers share. */
export const formFields = {
  host: {
    name: "host",
    label: "Host",
    kind: "text",
    required: false,
    secret: false,
    isTarget: true,
    help: "Host name or IP address.",
    maxLength: TEXT_CHARS_MAX,
  },
  /** @param help the default */
  port: (help: string) => ({
    name: "port",
    label: "Port",
    kind: "number",
    required: false,
    secret: false,
    isTarget: true,
    help,
    integer: PORT,
  }),
  user: (help: string) => ({
    name: "user",
    label: "User",
    kind: "text",
    required: false,
    secret: false,
    isTarget: true,
    help,
    maxLength: TEXT_CHARS_MAX,
  }),
  password: {
    name: "password",
    label: "Password",
    kind: "password",
    required: false,
    secret: true,
    maxLength: TEXT_CHARS_MAX,
  },
  ssl: (help: string) => ({
    name: "ssl",
    label: "TLS",
    kind: "select",
    required: false,
    secret: false,
    isSafety: true,
    help,
    suggested: "verify-full",
    options: [
      { value: "disable", label: "Off" },
      { value: "require", label: "Required" },
      { value: "verify-full", label: "Required, verify certificate" },
    ],
  }),
  /** A plain name, such as that of a database. */
  name: (name: string, label: string, help?: string) => ({
    name,
    label,
    kind: "text",
    required: false,
    secret: false,
    ...(help !== undefined && { help }),
    maxLength: TEXT_CHARS_MAX,
  }),
} as const satisfies Record<string, ConfigField | ((...words: never[]) => ConfigField)>;

/** Further reasons to reject a field's value. */
export const NETWORK_REFUSALS = {
  host: "Invalid host",
  connectionString: "Invalid format, or an unsupported option",
};

/** Returns the form of a database on a server (docs/develop/api.md, Connections). */
export function networkFormFields(example: {
  port: number;
  user: string;
  connectionString: string;
  portHelp?: string;
  tlsHelp?: string;
}): ConfigField[] {
  return [
    formFields.host,
    formFields.port(example.portHelp ?? `Default: ${example.port}.`),
    formFields.name("database", "Database"),
    formFields.user(`Use a read-only user rather than ${example.user}.`),
    formFields.password,
    // No default: it would be stored beside a connection string, and override its value.
    formFields.ssl(example.tlsHelp ?? "Defaults to the connection string, or off."),
    {
      name: "connectionString",
      label: "Connection string",
      kind: "password",
      required: false,
      secret: true,
      isTarget: true,
      help: `Replaces the fields above: ${example.connectionString}`,
      maxLength: CONNECTION_STRING_CHARS_MAX,
    },
  ];
}
