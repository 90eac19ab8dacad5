import "server-only";
import { z } from "zod";
import type { ConfigField } from "@/lib/features/connections/schema";
import { AppError } from "@/lib/platform/http/errors";

const TEXT_CHARS_MAX = 1000;
/** Hosted databases give addresses with several servers and options; none is longer than this. */
const CONNECTION_STRING_CHARS_MAX = 4000;

const PORT = { min: 1, max: 65_535 };

export const SSL_MODES = ["disable", "require", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** Where a database is and how to sign in, whichever way the form said it. */
export type NetworkConfig = {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: SslMode;
  /** Options of the connection string that the driver asked for, by name. */
  options: Readonly<Record<string, string>>;
  /** The server may do without TLS, which `ssl` asks for. */
  mayBePlain?: true;
};

export type AddressRules = {
  /** Without the colon. */
  schemes: readonly string[];
  defaultPort: number;
  defaultUser: string;
  defaultDatabase: string;
  /** Reads one option of the connection string: what it says about TLS, or null when it is a plain option to keep. */
  option: (name: string, value: string) => OptionMeaning;
};
/** `preferred` tries TLS first and goes on without it where the server has none. Null refuses the option. */
export type OptionMeaning = { ssl: SslMode | "preferred" } | "keep" | "ignore" | null;

/** Options of pools, drivers and hosts that change nothing here, whatever their value. */
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
 * Reads the options that several kinds of servers share: those of TLS by the name that a library or a host gives them, and
 * those that mean nothing here.
 */
export function sharedOption(name: string, value: string): OptionMeaning {
  const key = name.toLowerCase();
  if (IGNORED_OPTIONS.has(key)) return "ignore";
  // Prisma's: strict checks the certificate.
  if (key === "sslaccept") {
    if (value === "strict") return { ssl: "verify-full" };
    return value === "accept_invalid_certs" ? { ssl: "require" } : null;
  }
  return null;
}

const text = (chars = TEXT_CHARS_MAX) => z.string().max(chars, "This is too long.");
const port = z.coerce
  .number("The port is a number.")
  .int("The port is a whole number.")
  .min(PORT.min, "The port is between 1 and 65535.")
  .max(PORT.max, "The port is between 1 and 65535.");

/** What the inputs hold, for schemas of `readConfig`. */
export const fieldValues = { text: text(), port, ssl: z.enum(SSL_MODES, "Choose disable, require or verify-full.") };

/** Strict: what a driver does not know it does not take, so that no option reaches a library unseen (T43). */
const networkFields = z.strictObject({
  connectionString: text(CONNECTION_STRING_CHARS_MAX).optional(),
  host: fieldValues.text.optional(),
  port: fieldValues.port.optional(),
  database: fieldValues.text.optional(),
  user: fieldValues.text.optional(),
  password: fieldValues.text.optional(),
  ssl: fieldValues.ssl.optional(),
});

/** Control characters of Unicode: in a protocol or a header they could end a value and begin another (T43). */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * The stored config of a connection through a schema; empty inputs of the form count as not given.
 * No text in it has control characters, whatever the schema says.
 * @throws AppError `invalid_request` with one detail a problem, their paths below `config`
 */
export function readConfig<T>(schema: z.ZodType<T>, config: Record<string, unknown>): T {
  const given = Object.entries(config).filter(([, value]) => value !== undefined && value !== null && value !== "");
  for (const [name, value] of given) refuseControlCharacters(name, value);
  const result = schema.safeParse(Object.fromEntries(given));
  if (result.success) return result.data;
  throw new AppError("invalid_request", "The connection's settings are not complete. Correct the marked ones.", {
    details: result.error.issues.flatMap((issue) => {
      if (issue.code === "unrecognized_keys") {
        const place = ["config", ...issue.path].join(".");
        return issue.keys.map((key) => ({ path: `${place}.${key}`, message: "This setting is not known here." }));
      }
      return [{ path: ["config", ...issue.path].join("."), message: issue.message }];
    }),
  });
}

function refuseControlCharacters(name: string, value: unknown): void {
  if (typeof value === "string" && CONTROL_CHARACTER.test(value)) {
    throw invalidField(name, "This has a line break, a tab or another control character in it. Leave it out.");
  }
}

/**
 * Reads `host, port, database, user, password, ssl` or `connectionString` (docs/develop/api.md, Connections).
 * @throws AppError `invalid_request`
 */
export function parseNetworkConfig(config: Record<string, unknown>, rules: AddressRules): NetworkConfig {
  const fields = readConfig(networkFields, config);
  if (fields.connectionString !== undefined) {
    for (const name of ["host", "port", "database", "user", "password"] as const) {
      if (fields[name] !== undefined) {
        throw invalidField(name, "Give either a connection string or the single fields, not both.");
      }
    }
    const address = parseConnectionString(fields.connectionString, rules);
    if (fields.ssl === undefined) return address;
    const { mayBePlain: _, ...decided } = address;
    return { ...decided, ssl: fields.ssl };
  }
  if (fields.host === undefined) throw invalidField("host", "Give the host, or a connection string.");
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

/** `scheme://user:password@host:port/database?name=value`, nothing else: no second host, no socket file (T37, T43). */
function parseConnectionString(address: string, rules: AddressRules): NetworkConfig {
  const parts =
    /^(?<scheme>[a-z][a-z0-9+]*):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^/]*))?@)?(?<host>\[[0-9a-f:.]+\]|[^:/?#@,]*)(?::(?<port>\d{1,5}))?(?:\/(?<database>[^?#/]*))?(?:\?(?<query>[^#]*))?$/i.exec(
      address.trim(),
    )?.groups;
  if (!parts || !rules.schemes.includes((parts.scheme ?? "").toLowerCase()) || !parts.host) {
    throw invalidField(
      "connectionString",
      `This is no address of the form ${rules.schemes[0]}://user:password@host:port/database with a single host.`,
    );
  }
  const parsedPort = port.safeParse(parts.port ?? rules.defaultPort);
  if (!parsedPort.success) throw invalidField("connectionString", "The port is between 1 and 65535.");
  const { options, ...tls } = readOptions(parts.query ?? "", rules);
  const decoded = {
    host: parts.host.replace(/^\[(.*)\]$/, "$1"),
    database: decode(parts.database) || rules.defaultDatabase,
    user: decode(parts.user) || rules.defaultUser,
    password: decode(parts.password),
  };
  // What was %00 in the text is a character of its own only now.
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
      throw invalidField("connectionString", `The option ${name.slice(0, 40)} with this value cannot be used here.`);
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
      "Write special characters of the user and the password as %40 and the like.",
    );
  }
}

export function invalidField(name: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path: `config.${name}`, message }] });
}

/** What a rule of its own says of the input, at its field. */
export function atField<T>(place: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof AppError && error.kind === "invalid_request" ? invalidField(place, error.message) : error;
  }
}

/** The inputs that forms of servers share. */
export const formFields = {
  host: {
    name: "host",
    label: "Host",
    kind: "text",
    required: false,
    secret: false,
    isTarget: true,
    help: "A name or an IP address.",
    maxLength: TEXT_CHARS_MAX,
  },
  /** @param help what it is when left out */
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
      { value: "require", label: "Require, any certificate" },
      { value: "verify-full", label: "Require, check certificate" },
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

/** What the fields below do not say by themselves. */
export const NETWORK_REFUSALS = {
  host: "No usable name or address",
  connectionString: "Another form than the type's, or an option that cannot be used here",
};

/** The form of a database on a server (docs/develop/api.md, Connections). */
export function networkFormFields(example: {
  port: number;
  user: string;
  connectionString: string;
  portHelp?: string;
}): ConfigField[] {
  return [
    formFields.host,
    formFields.port(example.portHelp ?? `${example.port} when left out.`),
    formFields.name("database", "Database"),
    formFields.user(`Best a user of its own that may only read, rather than ${example.user}.`),
    formFields.password,
    // No default: it would be stored beside a connection string, and outweigh what that one says.
    formFields.ssl("Off when left out, or what the connection string says."),
    {
      name: "connectionString",
      label: "Connection string",
      kind: "password",
      required: false,
      secret: true,
      isTarget: true,
      help: `Instead of the fields above: ${example.connectionString}`,
      maxLength: CONNECTION_STRING_CHARS_MAX,
    },
  ];
}
