import type { DatabaseError } from "pg";

/**
 * What the user of the connection may do beyond tables: everything, as a superuser; reach files and programs of the
 * server's machine, by the roles that PostgreSQL keeps for that (T42). The last value tells whether a session of a
 * superuser can be given away to a role that only reads.
 */
export const RIGHTS_SQL = `
  select exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) session_user and r.rolsuper),
    exists (select from pg_catalog.pg_roles r
      where r.rolname operator(pg_catalog.=) any (array['pg_execute_server_program', 'pg_read_server_files',
        'pg_write_server_files']::pg_catalog.name[])
        and pg_catalog.pg_has_role(session_user, r.oid, 'member')),
    exists (select from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) 'pg_read_all_data')`;

const ADVICE = "Connect with a role that is no superuser and has only the rights that queries need.";
const SUPERUSER = `This user is a superuser. Read-only queries run without its rights, but on a connection that may write it reaches files and programs of the database's machine. ${ADVICE}`;
const REACHES_MACHINE = `This user can reach files and programs of the database's machine. ${ADVICE}`;
export const WITHOUT_READING_ROLE = `This user is a superuser, and a database before PostgreSQL 14 has no role to run read-only queries without its rights. ${ADVICE}`;

/** @param row of RIGHTS_SQL */
export function warningOf(row: readonly unknown[] | undefined): string | null {
  const [isSuperuser, isMember, hasReadingRole] = row ?? [];
  if (isSuperuser === true) return hasReadingRole === true ? SUPERUSER : WITHOUT_READING_ROLE;
  return isMember === true ? REACHES_MACHINE : null;
}

/** The role that a superuser's session is given to is not there: the server is older than PostgreSQL 14. */
export function isWithoutReadingRole({ code, message }: DatabaseError): boolean {
  return code === "22023" && message.includes("pg_read_all_data");
}
