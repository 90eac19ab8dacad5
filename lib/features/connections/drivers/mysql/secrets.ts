import { holdsSecret, redactDefinition } from "../shared/definition-secrets.ts";
import { notAllowed, type Reference } from "./references.ts";

/*
 * Relations and SHOW statements that print password hashes or passwords of other servers (T46). A read-only connection
 * refuses them, regardless of its user's rights.
 */

/** Tables of the schema mysql without secrets; any other table of it is refused, including those of later versions. */
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

/**
 * Tables with secrets in other system schemas: user and table attributes, statistics with values, logins to other
 * servers.
 */
const SECRET_ELSEWHERE: Readonly<Record<string, RegExp>> = {
  information_schema: /^(?:user_attributes|column_statistics|tables_extensions|tablespaces_extensions)$/,
  performance_schema: /^(?:replication_.*|user_variables_by_thread)$/,
};

/** Objects that SHOW CREATE may print. SHOW CREATE USER and SERVER print passwords, as may those of later versions. */
const SHOW_CREATE = new Set([
  ...["TABLE", "VIEW", "DATABASE", "SCHEMA", "EVENT", "FUNCTION", "PROCEDURE", "TRIGGER", "PACKAGE", "SEQUENCE"],
]);
const SHOWN_SECRETS = new Set(["GRANTS", "SLAVE", "SLAVES", "REPLICA", "REPLICAS", "ALL"]);

/**
 * @param schema the default schema
 * @throws AppError `not_allowed` for a table with secrets
 */
export function refuseSecretTable({ schema: named, name }: Reference, schema: string | null): void {
  const place = (named ?? schema ?? "").toLowerCase();
  const table = name.toLowerCase();
  const isSecret = place === "mysql" ? !OPEN_IN_MYSQL.has(table) : SECRET_ELSEWHERE[place]?.test(table) === true;
  if (!isSecret) return;
  throw notAllowed(
    `${place}.${table} can't be read on a read-only connection because it can contain server passwords.`,
  );
}

/**
 * @param shown the word after SHOW and its modifiers
 * @param next the word after that
 * @throws AppError `not_allowed` for statements that print secrets
 */
export function refuseSecretShow(shown: string, next: string): void {
  if (shown === "CREATE" ? SHOW_CREATE.has(next) : !SHOWN_SECRETS.has(shown)) return;
  const what = shown === "CREATE" ? `SHOW CREATE ${next}` : `SHOW ${shown}`;
  throw notAllowed(`${what} is not allowed on a read-only connection because it can expose server passwords.`);
}

/** The tables whose options a statement prints: the one that it names, or any. */
export type ShownOptions = "definition" | "tables";

/**
 * Engines of tables on the server itself. Tables of other engines may have a login to another server in their options.
 */
const OWN_ENGINES = [
  ...[
    "innodb",
    "myisam",
    "mrg_myisam",
    "memory",
    "csv",
    "archive",
    "blackhole",
    "aria",
    "sequence",
    "performance_schema",
  ],
  ...["rocksdb", "tokudb", "columnstore", "mroonga", "oqgraph", "ndbcluster", "ndbinfo", "wsrep"],
];
const OF_OTHER_ENGINES = `lower(engine) not in (${OWN_ENGINES.map((name) => `'${name}'`).join(", ")})`;
const OPTION_TABLES = /^(?:tables|partitions)$/;

/** Returns whether rows of the relation contain options and comments of tables. */
export function hasTableOptions({ schema: named, name }: Reference, schema: string | null): boolean {
  return (named ?? schema ?? "").toLowerCase() === "information_schema" && OPTION_TABLES.test(name.toLowerCase());
}

/**
 * Refuses a statement that would print the login to another server, or could extract it bit by bit through conditions.
 * @param ask runs a query in the session of the statement
 * @throws AppError `not_allowed`
 */
export async function refuseShownOptions(
  ask: (query: string) => Promise<unknown[][]>,
  shows: ShownOptions,
  text: string,
): Promise<void> {
  if (shows === "definition") {
    const [row = []] = await ask(text);
    if (row.every((cell) => typeof cell !== "string" || redactDefinition(cell, "backslash") === cell)) return;
    throw notAllowed(
      "The definition of this table contains a password and can't be shown on a read-only connection. Open the table's structure, which hides it.",
    );
  }
  // A server rarely has such engines. Without them its tables are not read, which may be many.
  const engines = await ask(
    `SELECT engine FROM information_schema.engines WHERE support IN ('YES', 'DEFAULT') AND ${OF_OTHER_ENGINES}`,
  );
  if (engines.length === 0) return;
  const found = await ask(
    `SELECT t.create_options, t.table_comment, p.partition_comment FROM information_schema.tables t
     LEFT JOIN information_schema.partitions p ON p.table_schema = t.table_schema AND p.table_name = t.table_name
     WHERE ${OF_OTHER_ENGINES}`,
  );
  const isSecret = (cell: unknown) =>
    typeof cell === "string" && (holdsSecret(cell) || redactDefinition(cell, "backslash") !== cell);
  if (!found.flat().some(isSecret)) return;
  throw notAllowed(
    "Table options can contain passwords of other servers and can't be read on a read-only connection. Use SHOW TABLES or information_schema.columns.",
  );
}
