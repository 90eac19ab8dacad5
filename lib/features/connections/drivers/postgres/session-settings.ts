import "server-only";

/*
 * The start of every read-only transaction (T43, T50): settings of roles and databases change neither parsing nor name
 * resolution, and a superuser's session loses its rights.
 */

/**
 * Returns the start of the transaction. DEFERRABLE would make a serializable session wait; a role may default to both.
 */
export const beginReading = (isolation: string) => `BEGIN ISOLATION LEVEL ${isolation} READ ONLY, NOT DEFERRABLE`;
export const BEGIN_READING = beginReading("READ COMMITTED");

/** A role that reads every table and has no other right, since PostgreSQL 14. */
const READING_ROLE = "pg_read_all_data";

/** Settings that fix how texts are parsed and printed. A pooler may not know them, so they are not startup options. */
const READING_SETTINGS: Readonly<Record<string, string>> = {
  array_nulls: "on",
  backslash_quote: "safe_encoding",
  bytea_output: "hex",
  escape_string_warning: "off",
  extra_float_digits: "1",
  plan_cache_mode: "auto",
  quote_all_identifiers: "off",
  transform_null_equals: "off",
  xmlbinary: "base64",
  xmloption: "content",
};

/** Settings that fix how values are printed. A pooler may assign a server connection with other settings. */
const PRINTING_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: "ISO, MDY",
  intervalstyle: "iso_8601",
  standard_conforming_strings: "on",
  timezone: "UTC",
};

/** The role's schemas without entries that would hide pg_catalog, which comes first when it is not named. */
const OWN_PATH = `pg_catalog.concat_ws(', ',
  (select pg_catalog.string_agg(pg_catalog.quote_ident(s), ', ') from pg_catalog.unnest(pg_catalog.current_schemas(false)) s
    where s operator(pg_catalog.<>) 'pg_catalog'),
  'pg_temp')`;

const isOneOfSuperusers = (user: string) => `pg_catalog.bool_or(r.rolname operator(pg_catalog.=) ${user})`;
/**
 * Whether the session's role and its current role are superusers: read every time, in one query, which is most of the
 * cost.
 */
const SUPERUSERS = `(select ${isOneOfSuperusers("session_user")} as owns, ${isOneOfSuperusers("current_user")} as acts
  from pg_catalog.pg_roles r where r.rolsuper) superuser`;

/** Interval at which the server checks that the client is still connected. */
const GONE_AFTER = "5s";
/** Platforms where a server can check that while it works: others refuse the setting. */
const SEES_WHO_LEAVES = "pg_catalog.version() ~* 'linux|darwin|apple|bsd'";

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`;
/** Sets a setting where it exists. Servers without it, older or only compatible, parse texts as if it were unset. */
const setKnown = (name: string, value: string) =>
  `case when pg_catalog.current_setting('${name}', true) is not null then ${set(name, value)} end`;

/**
 * The session state for catalogue queries; `GIVE_BACK` ends it. Compiling (jit) costs more than it saves in small
 * queries.
 */
const CATALOG_LOOK = [
  set("millrace.user", "session_user"),
  set("millrace.schemas", "pg_catalog.current_schemas(false)::pg_catalog.text"),
  set("millrace.path", OWN_PATH),
  set("millrace.jit", "pg_catalog.current_setting('jit', true)"),
  set("search_path", "'pg_catalog, pg_temp'"),
  setKnown("jit", "'off'"),
];

/** Restores the user's state for the rest of the transaction: the role's schemas, and the server's jit setting. */
export const GIVE_BACK = [
  set("search_path", "pg_catalog.current_setting('millrace.path')"),
  setKnown("jit", "pg_catalog.current_setting('millrace.jit')"),
].join(", ");

/**
 * Returns one statement that fixes the session's settings until the transaction's end. All its names are qualified,
 * since the search path is not yet trusted. Leaves a superuser's role if the transaction is read-only; row-level
 * policies, which do not apply to superusers, then fail a query instead of silently filtering its rows.
 * @param timeoutMs the server's time limit for each statement; null: the parameter `$1`
 * @param path "own": the schemas of the role. "catalog": only pg_catalog, until GIVE_BACK
 */
export function pinned(timeoutMs: number | null, path: "own" | "catalog"): string {
  return `select ${[
    set("statement_timeout", timeoutMs === null ? "$1" : `'${Math.ceil(timeoutMs)}'`),
    ...Object.entries({ ...PRINTING_SETTINGS, ...READING_SETTINGS }).map(([name, value]) =>
      setKnown(name, `'${value}'`),
    ),
    ...(path === "own" ? [set("search_path", OWN_PATH)] : CATALOG_LOOK),
    set("row_security", "case when superuser.owns then 'off' else 'on' end"),
    `case when superuser.acts then ${set("role", "'none'")} end`,
    `case when superuser.owns then ${set("session_authorization", `'${READING_ROLE}'`)} end`,
  ].join(", ")} from ${SUPERUSERS}`;
}

/**
 * Returns one statement that limits the following ones where writing is allowed. A block may catch a cancellation or
 * its timeout as an error and continue: it ends with its connection, which is then cut.
 * @param timeoutMs the server's time limit for each statement
 * @param isLocal until the transaction's end, or for the session
 */
export function limited(timeoutMs: number, isLocal: boolean): string {
  const setting = (name: string, value: string | number) => `pg_catalog.set_config('${name}', '${value}', ${isLocal})`;
  const printing = Object.entries(PRINTING_SETTINGS).map(
    ([name, value]) =>
      `case when pg_catalog.current_setting('${name}', true) is not null then ${setting(name, value)} end`,
  );
  return `select ${[setting("statement_timeout", Math.ceil(timeoutMs)), ...printing].join(", ")},
    case when pg_catalog.current_setting('client_connection_check_interval', true) is not null and ${SEES_WHO_LEAVES}
      then ${setting("client_connection_check_interval", GONE_AFTER)} end`;
}

/**
 * Returns one statement that prepares a transaction started by `pinned` for the check of its next statement.
 * @param timeoutMs the server's time limit for each statement
 */
export function pinnedAgain(timeoutMs: number): string {
  const settings = [
    set("statement_timeout", `'${Math.ceil(timeoutMs)}'`),
    set("search_path", "'pg_catalog, pg_temp'"),
    setKnown("jit", "'off'"),
  ];
  return `select ${settings.join(", ")}`;
}

/**
 * Returns statements that fix the settings on which reading results depends, before a statement of a manual session.
 * SET takes no snapshot: the user can still choose the isolation level of the transaction.
 * @param timeoutMs the server's time limit for each statement
 */
export function fixedInSession(timeoutMs: number): string {
  const settings = Object.entries({ ...PRINTING_SETTINGS, statement_timeout: String(Math.ceil(timeoutMs)) });
  return settings.map(([name, value]) => `SET ${name} = '${value}'`).join("; ");
}
