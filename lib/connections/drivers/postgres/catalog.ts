import type { Entity } from "@/lib/tabular/fields";

/** Tables, views and the like that the user may read, with their columns, in one reading. */
export const ENTITIES_SQL = `
  select n.nspname, c.relname, c.relkind,
    case when c.reltuples >= 0 and c.relkind in ('r', 'p', 'm') then c.reltuples::bigint end,
    n.nspname = (current_setting('millrace.schemas')::name[])[1],
    coalesce((
      select json_agg(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
        'primaryKey', exists (
          select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)))
        order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]')
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
    and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp\\_%'
    and not c.relispartition
    and has_schema_privilege(n.oid, 'USAGE')
    and (has_table_privilege(c.oid, 'SELECT') or has_any_column_privilege(c.oid, 'SELECT'))
  order by 1, 2`;

/** Rows of ENTITIES_SQL; the schema of unqualified names is left out. */
export function toEntities(rows: readonly unknown[][]): Entity[] {
  return rows.map(([schema, name, kind, estimate, isCurrent, columns]) => ({
    name: String(name),
    ...(isCurrent !== true && { schema: String(schema) }),
    kind: kind === "v" || kind === "m" ? ("view" as const) : ("table" as const),
    columns: columns as Entity["columns"],
    ...(estimate !== null && { rowEstimate: Number(estimate) }),
  }));
}
