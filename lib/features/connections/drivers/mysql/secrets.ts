import { notAllowed, type Reference } from "./references.ts";

/*
 * Relations and SHOW statements that print hashes of passwords or passwords of other servers (T46). A read-only connection
 * refuses them, whatever rights its user has.
 */

/** Tables of the schema mysql without secrets; any other table of it is refused, those of later versions included. */
const OPEN_IN_MYSQL = new Set([
  ...["time_zone", "time_zone_leap_second", "time_zone_name", "time_zone_transition", "time_zone_transition_type"],
  ...["help_category", "help_keyword", "help_relation", "help_topic"],
  ...[
    "db",
    "tables_priv",
    "columns_priv",
    "procs_priv",
    "roles_mapping",
    "role_edges",
    "default_roles",
    "global_grants",
  ],
  ...["func", "plugin", "proc", "event", "innodb_table_stats", "innodb_index_stats", "table_stats", "index_stats"],
  ...["engine_cost", "server_cost", "gtid_executed", "gtid_slave_pos", "transaction_registry"],
]);

/** Tables of the server's other schemas with secrets: attributes of users, values in statistics, other servers' logins. */
const SECRET_ELSEWHERE: Readonly<Record<string, RegExp>> = {
  information_schema: /^(?:user_attributes|column_statistics)$/,
  performance_schema: /^(?:replication_.*|user_variables_by_thread)$/,
};

/** Objects whose definition SHOW CREATE may print: SHOW CREATE USER and SERVER, and those of later versions, print passwords. */
const SHOW_CREATE = new Set([
  ...["TABLE", "VIEW", "DATABASE", "SCHEMA", "EVENT", "FUNCTION", "PROCEDURE", "TRIGGER", "PACKAGE", "SEQUENCE"],
]);
const SHOWN_SECRETS = new Set(["GRANTS", "SLAVE", "SLAVES", "REPLICA", "REPLICAS", "ALL"]);

/**
 * @param schema the schema of a name without one
 * @throws AppError `not_allowed` for a table with secrets
 */
export function refuseSecretTable({ schema: named, name }: Reference, schema: string | null): void {
  const place = (named ?? schema ?? "").toLowerCase();
  const table = name.toLowerCase();
  const isSecret = place === "mysql" ? !OPEN_IN_MYSQL.has(table) : SECRET_ELSEWHERE[place]?.test(table) === true;
  if (!isSecret) return;
  throw notAllowed(`${place}.${table} cannot be read on a read-only connection. It may hold passwords of the server.`);
}

/**
 * @param shown the word behind SHOW and its modifiers
 * @param next the word behind that
 * @throws AppError `not_allowed` for what prints secrets
 */
export function refuseSecretShow(shown: string, next: string): void {
  if (shown === "CREATE" ? SHOW_CREATE.has(next) : !SHOWN_SECRETS.has(shown)) return;
  const what = shown === "CREATE" ? `SHOW CREATE ${next}` : `SHOW ${shown}`;
  throw notAllowed(`${what} cannot be used on a read-only connection. It may print passwords of the server.`);
}
