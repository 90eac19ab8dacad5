import { ENUM_VALUES_MAX, type Entity, type EntityColumn, FOREIGN_KEYS_MAX } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX } from "@/lib/features/connections/schema";

/** Types below are PostgreSQL's own, of which none is an enum. */
const FIRST_USER_OID = 16384;

/** Columns of a key, by their numbers and in its order. */
const namesOf = (table: string, numbers: string) => `(
  select json_agg(a.attname order by n.place) from unnest(${numbers}) with ordinality n(number, place)
  join pg_catalog.pg_attribute a on a.attrelid = ${table} and a.attnum = n.number)`;

/**
 * Tables, views and similar relations that the user may read, with their columns, in one query; $1: their schemas, null
 * for all.
 */
export const ENTITIES_SQL = `
  select n.nspname, c.relname, c.relkind,
    case when c.reltuples >= 0 and c.relkind in ('r', 'p', 'm') then c.reltuples::bigint end,
    n.nspname = (current_setting('millrace.schemas')::name[])[1],
    coalesce((
      select json_agg(json_strip_nulls(json_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
        'primaryKey', exists (
          select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)),
        'values', case when a.atttypid >= ${FIRST_USER_OID} then (
          select json_agg(e.enumlabel order by e.enumsortorder) from (
            select * from pg_catalog.pg_enum where enumtypid = a.atttypid order by enumsortorder limit ${ENUM_VALUES_MAX}
          ) e) end))
        order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]'),
    (
      select json_agg(json_build_object('columns', k.columns, 'references', json_strip_nulls(json_build_object(
        'schema', nullif(k.nspname, (current_setting('millrace.schemas')::name[])[1]),
        'name', k.relname, 'columns', k.target_columns))) order by k.conname)
      from (
        select k.conname, t.relname, tn.nspname, ${namesOf("k.conrelid", "k.conkey")} as columns,
          ${namesOf("k.confrelid", "k.confkey")} as target_columns
        from pg_catalog.pg_constraint k join pg_catalog.pg_class t on t.oid = k.confrelid
          join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
        where k.conrelid = c.oid and k.contype = 'f' and not t.relispartition
          and has_schema_privilege(tn.oid, 'USAGE')
          and (has_table_privilege(t.oid, 'SELECT') or has_any_column_privilege(t.oid, 'SELECT'))
        order by k.conname limit ${FOREIGN_KEYS_MAX}) k)
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
    and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp\\_%'
    and not c.relispartition and ($1::name[] is null or n.nspname = any($1::name[]))
    and has_schema_privilege(n.oid, 'USAGE')
    and (has_table_privilege(c.oid, 'SELECT') or has_any_column_privilege(c.oid, 'SELECT'))
  order by 1, 2`;

/** Schemas with the number of relations that the user may read; null for schemas that they may not use. */
export const SCHEMAS_SQL = `
  select n.nspname, case when has_schema_privilege(n.oid, 'USAGE') then (
    select count(*)::int from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and (has_table_privilege(c.oid, 'SELECT') or has_any_column_privilege(c.oid, 'SELECT'))) end
  from pg_catalog.pg_namespace n
  where n.nspname not in ('pg_catalog', 'information_schema')
    and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp\\_%'
  order by 1 limit ${SCHEMA_CHOICES_MAX}`;

/** The schema that `toEntities` omits. */
export const DEFAULT_SCHEMA_SQL = "select (current_setting('millrace.schemas')::name[])[1]::text";

/** Partitions number their rows independently. */
const ROW_ID: EntityColumn[] = [
  { name: "tableoid", type: "oid", nullable: false, primaryKey: false },
  { name: "ctid", type: "tid", nullable: false, primaryKey: false },
];

/** Returns the entities from rows of ENTITIES_SQL. The default schema is omitted. */
export function toEntities(rows: readonly unknown[][]): Entity[] {
  const hasKey = (columns: unknown) => (columns as EntityColumn[]).some(({ primaryKey }) => primaryKey);
  return rows.map(([schema, name, kind, estimate, isCurrent, columns, foreignKeys]) => ({
    name: String(name),
    ...(isCurrent !== true && { schema: String(schema) }),
    kind: kind === "v" || kind === "m" ? ("view" as const) : ("table" as const),
    columns: columns as Entity["columns"],
    ...((kind === "r" || kind === "p" || kind === "m") && !hasKey(columns) && { rowId: ROW_ID }),
    ...(estimate !== null && { rowEstimate: Number(estimate) }),
    ...(foreignKeys !== null && { foreignKeys: foreignKeys as NonNullable<Entity["foreignKeys"]> }),
  }));
}
