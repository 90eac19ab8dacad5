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
  // Compiling costs more than it saves in the many small looks into the catalogue.
  jit: "off",
  quote_all_identifiers: "off",
  transform_null_equals: "off",
  xmlbinary: "base64",
  xmloption: "content",
};

/** The role's own schemas without the places that would hide pg_catalog, which comes first when it is not named. */
const OWN_PATH = `pg_catalog.concat_ws(', ',
  (select pg_catalog.string_agg(pg_catalog.quote_ident(s), ', ') from pg_catalog.unnest(pg_catalog.current_schemas(false)) s
    where s operator(pg_catalog.<>) 'pg_catalog'),
  'pg_temp')`;

const isSuperuser = (user: string) =>
  `exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) ${user} and r.rolsuper)`;

/**
 * One statement that pins the session until the transaction's end. All of it names its schema, since the path is not
 * yet known to be good. The role of a superuser is left for one that only reads; policies on rows, which do not bind a
 * superuser, then end a query instead of thinning out its rows without a word.
 * @param timeoutMs the server's own limit for each statement
 * @param path "own": the schemas of the role. "catalog": pg_catalog alone, the role's being kept in `millrace.path`
 */
export function pinned(timeoutMs: number, path: "own" | "catalog"): string {
  const set = (name: string, value: string) => `pg_catalog.set_config('${name}', ${value}, true)`;
  const names = [
    set("millrace.user", "session_user"),
    set("millrace.schemas", "pg_catalog.current_schemas(false)::pg_catalog.text"),
    set("millrace.path", OWN_PATH),
    set("search_path", "'pg_catalog, pg_temp'"),
  ];
  return `select ${[
    set("statement_timeout", `'${Math.ceil(timeoutMs)}'`),
    ...Object.entries(READING_SETTINGS).map(([name, value]) => set(name, `'${value}'`)),
    ...(path === "own" ? [set("search_path", OWN_PATH)] : names),
    set("row_security", `case when ${isSuperuser("session_user")} then 'off' else 'on' end`),
    `case when ${isSuperuser("current_user")} then ${set("role", "'none'")} end`,
    `case when ${isSuperuser("session_user")} then ${set("session_authorization", `'${READING_ROLE}'`)} end`,
  ].join(", ")}`;
}
