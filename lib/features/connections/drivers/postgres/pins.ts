import "server-only";

/*
 * What every reading begins with, on the server and in its own transaction (T43, T50): settings of roles and databases
 * change neither how a text is read nor what its names stand for, and a superuser's session has no rights of one.
 */

/** Deferrable would make a serializable session wait; both can be the default of a role. */
export const BEGIN_READING = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY, NOT DEFERRABLE";

/** Reads every table and has no other right. PostgreSQL has it since version 14. */
const READING_ROLE = "pg_read_all_data";

/** How texts are read and printed. A pooler in front of the server need not know these, so they are no start-up options. */
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

/** Settings that decide how values are printed. A pooler may have given the transaction a server connection with other settings. */
const PRINTING_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: "ISO, MDY",
  intervalstyle: "iso_8601",
  standard_conforming_strings: "on",
  timezone: "UTC",
};

/** The role's own schemas without the places that would hide pg_catalog, which comes first when it is not named. */
const OWN_PATH = `pg_catalog.concat_ws(', ',
  (select pg_catalog.string_agg(pg_catalog.quote_ident(s), ', ') from pg_catalog.unnest(pg_catalog.current_schemas(false)) s
    where s operator(pg_catalog.<>) 'pg_catalog'),
  'pg_temp')`;

const isOneOfSuperusers = (user: string) => `pg_catalog.bool_or(r.rolname operator(pg_catalog.=) ${user})`;
/** Who the session belongs to and whom it acts for: read anew each time, and in one look, which is most of the cost. */
const SUPERUSERS = `(select ${isOneOfSuperusers("session_user")} as owns, ${isOneOfSuperusers("current_user")} as acts
  from pg_catalog.pg_roles r where r.rolsuper) superuser`;

/** How soon the server sees that nobody is there any more. */
const GONE_AFTER = "5s";
/** Where a server can see that while it works: others refuse the setting. */
const SEES_WHO_LEAVES = "pg_catalog.version() ~* 'linux|darwin|apple|bsd'";

const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`;
/** A server that is older than a setting, or only speaks like PostgreSQL, reads texts as if it were not there. */
const setKnown = (name: string, value: string) =>
  `case when pg_catalog.current_setting('${name}', true) is not null then ${set(name, value)} end`;

/** What the catalogue is looked into with; `giveBack` ends it. Compiling (jit) costs more than it saves in small looks. */
const CATALOG_LOOK = [
  set("millrace.user", "session_user"),
  set("millrace.schemas", "pg_catalog.current_schemas(false)::pg_catalog.text"),
  set("millrace.path", OWN_PATH),
  set("millrace.jit", "pg_catalog.current_setting('jit', true)"),
  set("search_path", "'pg_catalog, pg_temp'"),
  setKnown("jit", "'off'"),
];

/** What follows in the transaction is the user's: the role's schemas, and the server's own choice of what to compile. */
export const GIVE_BACK = [
  set("search_path", "pg_catalog.current_setting('millrace.path')"),
  setKnown("jit", "pg_catalog.current_setting('millrace.jit')"),
].join(", ");

/**
 * One statement that pins the session until the transaction's end. All of it names its schema, since the path is not
 * yet known to be good. The role of a superuser is left for one that only reads; policies on rows, which do not bind a
 * superuser, then end a query instead of thinning out its rows without a word.
 * @param timeoutMs the server's own limit for each statement
 * @param path "own": the schemas of the role. "catalog": pg_catalog alone, until GIVE_BACK
 */
export function pinned(timeoutMs: number, path: "own" | "catalog"): string {
  return `select ${[
    set("statement_timeout", `'${Math.ceil(timeoutMs)}'`),
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
 * One statement that limits what follows where writing is allowed. A block may take a cancellation, and the end of its
 * time, for an error of its own and go on: it ends with its connection, which is cut then.
 * @param timeoutMs the server's own limit for each statement
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
