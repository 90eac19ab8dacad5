/** Global privileges that are about data, or only show server state: an allow-list, since versions add privileges. */
const DATA_RIGHTS = new Set([
  ...["USAGE", "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REFERENCES", "INDEX", "ALTER", "EXECUTE"],
  ...["CREATE TEMPORARY TABLES", "LOCK TABLES", "CREATE VIEW", "SHOW VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "EVENT"],
  ...["TRIGGER", "DELETE HISTORY", "DELETE VERSIONING ROWS", "SHOW DATABASES", "SHOW_ROUTINE", "SHOW CREATE ROUTINE"],
  ...["PROCESS", "REPLICATION CLIENT", "BINLOG MONITOR", "SLAVE MONITOR", "REPLICA MONITOR"],
]);
/** Maximum number of privileges that a warning names. */
const NAMED_MAX = 4;

const GLOBAL_GRANT = /^GRANT (.+?) ON \*\.\* TO /i;
/**
 * `GRANT `r`@`%` TO `u`@`%``, of MySQL, lists grants of roles when they are named. MariaDB lists those of active ones.
 */
const ROLE_GRANT = /^GRANT ((?:`(?:[^`]|``)*`@`(?:[^`]|``)*`,?)+) TO /i;

/**
 * Returns a warning about the user's rights beyond data (T42): files of the server's machine, settings, other sessions.
 * A read-only transaction restricts none of them.
 * @param ask runs a driver query and returns its rows
 */
export async function warnOfRights(ask: (query: string) => Promise<unknown[][]>): Promise<string | null> {
  const grants = (await ask("SHOW GRANTS")).map(([line]) => String(line));
  const roles = grants.flatMap((line) => ROLE_GRANT.exec(line)?.[1] ?? []);
  if (roles.length > 0) {
    const ofRoles = await ask(`SHOW GRANTS FOR CURRENT_USER() USING ${roles.join(",")}`);
    grants.push(...ofRoles.map(([line]) => String(line)));
  }
  const rights = grants.flatMap((line) => GLOBAL_GRANT.exec(line)?.[1]?.split(/,\s*/) ?? []);
  const beyond = [...new Set(rights.map((right) => right.toUpperCase()))].filter((right) => !DATA_RIGHTS.has(right));
  if (beyond.length === 0) return null;
  const named = beyond.sort((one, other) => weight(other) - weight(one)).slice(0, NAMED_MAX);
  const more = beyond.length > named.length ? ` and ${beyond.length - named.length} more` : "";
  return `This user has administrative privileges (${named.join(", ")}${more}) that a read-only connection can't fully block. Connect as a read-only user.`;
}

/** Sorts the furthest-reaching right first. */
function weight(right: string): number {
  return ["SHUTDOWN", "CREATE USER", "SUPER", "FILE", "ALL PRIVILEGES"].indexOf(right);
}
