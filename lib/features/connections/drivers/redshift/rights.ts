/** Whether the user is a superuser, and the first table that it may change. */
export const RIGHTS_SQL = `
  select (select u.usesuper from pg_catalog.pg_user u where u.usename = current_user),
    (select min(quote_ident(t.table_schema) || '.' || quote_ident(t.table_name)) from pg_catalog.svv_tables t
      where t.table_type = 'BASE TABLE' and left(t.table_schema, 3) <> 'pg_' and t.table_schema <> 'information_schema'
        and (has_table_privilege(current_user, quote_ident(t.table_schema) || '.' || quote_ident(t.table_name), 'insert')
          or has_table_privilege(current_user, quote_ident(t.table_schema) || '.' || quote_ident(t.table_name), 'update')
          or has_table_privilege(current_user, quote_ident(t.table_schema) || '.' || quote_ident(t.table_name), 'delete')))`;

const ADVICE = "Connect as a user that can only select: Redshift has no other certain read-only limit.";

/** Returns the warning about a user's rights; null for a user that only reads. @param row of RIGHTS_SQL, null if unknown */
export function warningOf(row: readonly unknown[] | null): string | null {
  if (row === null) return `Couldn't check this user's privileges. ${ADVICE}`;
  const [isSuperuser, table] = row;
  if (isSuperuser === true) return `This user is a superuser. ${ADVICE}`;
  return typeof table === "string" ? `This user can change ${table}. ${ADVICE}` : null;
}
