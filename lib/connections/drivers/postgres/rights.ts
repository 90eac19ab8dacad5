/**
 * Whether the user of the connection reaches files or programs of the server's machine (T42): a superuser, or a member
 * of the roles that PostgreSQL keeps for that. What is refused to read-only statements does not make such a user safe.
 */
export const REACHES_MACHINE_SQL = `
  select exists (
    select from pg_catalog.pg_roles r
    where (r.rolname = current_user and r.rolsuper)
      or (r.rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
        and pg_catalog.pg_has_role(current_user, r.oid, 'member')))`;

export const REACHES_MACHINE =
  "This user can reach files and programs of the database's machine. Connect with a role that is no superuser and has only the rights that queries need.";
