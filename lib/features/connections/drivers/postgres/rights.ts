import type { DatabaseError } from "pg";
import { HARMLESS_ROLES } from "./functions";

/**
 * Selects the user's rights beyond tables (T42): superuser; membership of predefined roles, which for instance reach
 * server files or end other sessions; replication; creating roles, and granting them (before PostgreSQL 16) any right
 * except a superuser's. The second value tells whether a superuser's session can switch to a read-only role, the third
 * names the rights.
 */
export const RIGHTS_SQL = `
  select exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) session_user and r.rolsuper),
    exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) 'pg_read_all_data'),
    array(select r.rolname::pg_catalog.text from pg_catalog.pg_roles r
      where r.oid operator(pg_catalog.<) 16384 and r.rolname operator(pg_catalog.~) '^pg_' and not r.rolsuper
        and r.rolname operator(pg_catalog.<>) all ('{${HARMLESS_ROLES.join(",")}}'::pg_catalog.name[])
        and pg_catalog.pg_has_role(session_user, r.oid, 'member') order by 1)
    operator(pg_catalog.||) array(select w.name from pg_catalog.pg_roles r cross join lateral (values
        (r.rolreplication, 'REPLICATION'), (r.rolcreaterole, 'CREATEROLE')) w(has, name)
      where w.has and pg_catalog.pg_has_role(session_user, r.oid, 'member'))`;

/** Maximum number of rights that a warning names. */
const NAMED_MAX = 4;
const ADVICE = "Connect as a role that is not a superuser and has only the privileges that queries need.";
const SUPERUSER = `This user is a superuser. With writes allowed, it can access files and programs on the database server. ${ADVICE}`;
const UNKNOWN = `Couldn't check this user's privileges. ${ADVICE}`;
export const WITHOUT_READING_ROLE = `This user is a superuser. PostgreSQL 13 and earlier can't run read-only queries without superuser rights. ${ADVICE}`;

/** @param row of RIGHTS_SQL; null where the server could not answer it */
export function warningOf(row: readonly unknown[] | null): string | null {
  if (row === null) return UNKNOWN;
  const [isSuperuser, hasReadingRole, rights] = row;
  if (isSuperuser === true) return hasReadingRole === true ? SUPERUSER : WITHOUT_READING_ROLE;
  const beyond = [...new Set(Array.isArray(rights) ? rights.map(String) : [])];
  if (beyond.length === 0) return null;
  const more = beyond.length > NAMED_MAX ? ` and ${beyond.length - NAMED_MAX} more` : "";
  return `This user has privileges beyond tables (${beyond.slice(0, NAMED_MAX).join(", ")}${more}) and can reach the host, other sessions or other roles. ${ADVICE}`;
}

/** Returns whether the role for a superuser's session is missing: the server is older than PostgreSQL 14. */
export function isWithoutReadingRole({ code, message }: DatabaseError): boolean {
  return code === "22023" && message.includes("pg_read_all_data");
}

/**
 * Error classes of a server that lacks the functions that a read-only transaction starts with, or hides them from this
 * user (PostgreSQL's documentation, "PostgreSQL Error Codes").
 */
const NOT_UNDERSTOOD = ["0A", "22", "42"];
const WITHOUT_CATALOG = "The read-only check failed because the server's catalog could not be read:";
const WHAT_IT_TAKES =
  "It needs PostgreSQL 12 or later and access to pg_catalog. On PostgreSQL-compatible servers, use a read-only user and allow writes on this connection.";

/** @returns the reason why no statement can be checked here; null for other errors */
export function withoutCatalog({ code = "", message }: DatabaseError): string | null {
  if (!NOT_UNDERSTOOD.includes(code.slice(0, 2))) return null;
  return `${WITHOUT_CATALOG} ${message}. ${WHAT_IT_TAKES}`;
}
