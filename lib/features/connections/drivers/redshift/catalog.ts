import { toSqlText } from "@/lib/base/sql/names";
import { type Entity, FOREIGN_KEYS_MAX } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX } from "@/lib/features/connections/schema";
import { columnsOf } from "../shared/columns-of";

/*
 * The catalogue of Redshift. `svv_tables` and `svv_columns` show tables and views, late-binding views and the external
 * tables of Redshift Spectrum, as far as the user may see them. Keys come from PostgreSQL's catalogues: Redshift
 * declares them, and does not enforce them.
 */

/** Maximum tables and columns of a tree; an external schema may represent a lake of any size. */
const TABLES_MAX = 10_000;
const COLUMNS_MAX = 200_000;
/** Schemas of the system. Users cannot create one whose name begins with `pg_`. */
const isOfUsers = (schema: string) =>
  `left(${schema}, 3) <> 'pg_' and ${schema} not in ('information_schema', 'catalog_history')`;
const isShown = (schema: string, schemas: readonly string[] | null) =>
  schemas === null
    ? isOfUsers(schema)
    : `${isOfUsers(schema)} and ${schema} in (${schemas.map((name) => toSqlText(name, "redshift")).join(", ")})`;

export const CURRENT_SCHEMA_SQL = "select current_schema()";

export function tablesSql(schemas: readonly string[] | null): string {
  return `select table_schema, table_name, table_type from pg_catalog.svv_tables
    where ${isShown("table_schema", schemas)} and table_name not like 'mv!_tbl!_!_%' escape '!'
    order by 1, 2 limit ${TABLES_MAX}`;
}

export function columnsSql(schemas: readonly string[] | null): string {
  return `select table_schema, table_name, column_name, data_type, is_nullable,
      character_maximum_length, numeric_precision, numeric_scale
    from pg_catalog.svv_columns where ${isShown("table_schema", schemas)}
    order by 1, 2, ordinal_position limit ${COLUMNS_MAX}`;
}

/** Primary and foreign keys, whose columns are numbers. */
export const KEYS_SQL = `
  select k.contype, n.nspname, c.relname, array_to_string(k.conkey, ','), fn.nspname, f.relname,
    array_to_string(k.confkey, ',')
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_class f on f.oid = k.confrelid left join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where k.contype in ('p', 'f') order by 2, 3, k.conname limit ${TABLES_MAX}`;

/** The names behind the numbers of KEYS_SQL. */
export const KEY_COLUMNS_SQL = `
  select n.nspname, c.relname, a.attnum, a.attname
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where a.attnum > 0 and not a.attisdropped and (
    c.oid in (select conrelid from pg_catalog.pg_constraint where contype in ('p', 'f'))
    or c.oid in (select confrelid from pg_catalog.pg_constraint where contype = 'f'))
  limit ${COLUMNS_MAX}`;

export const SCHEMAS_SQL = `
  select s.nspname, (select count(*) from pg_catalog.svv_tables t where t.table_schema = s.nspname)
  from pg_catalog.pg_namespace s where ${isOfUsers("s.nspname")} order by 1 limit ${SCHEMA_CHOICES_MAX}`;

type Rows = readonly unknown[][];

/** Builds the entities. The current schema is omitted. */
export function toEntities(
  current: unknown,
  { tables, columns, keys, keyColumns }: { tables: Rows; columns: Rows; keys: Rows; keyColumns: Rows },
): Entity[] {
  const nameOf = new Map(
    keyColumns.map(([schema, table, number, name]) => [idOf(schema, table, number), String(name)]),
  );
  const primary = new Set<string>();
  const foreign = new Map<string, NonNullable<Entity["foreignKeys"]>>();
  for (const [kind, schema, table, numbers, toSchema, toTable, toNumbers] of keys) {
    const names = namesAt(nameOf, schema, table, numbers);
    if (kind === "p") for (const name of names) primary.add(idOf(schema, table, name));
    else {
      const list = foreign.get(idOf(schema, table)) ?? [];
      foreign.set(idOf(schema, table), list);
      const references = {
        ...(toSchema !== current && { schema: String(toSchema) }),
        name: String(toTable),
        columns: namesAt(nameOf, toSchema, toTable, toNumbers),
      };
      if (list.length < FOREIGN_KEYS_MAX) list.push({ columns: names, references });
    }
  }
  const ofTable = columnsOf(columns, ([schema, table, name, type, nullable, length, precision, scale]) => ({
    name: String(name),
    type: typeName(String(type), { length, precision, scale }),
    nullable: nullable !== "NO",
    primaryKey: primary.has(idOf(schema, table, name)),
  }));
  return tables.map(([schema, name, kind]) => {
    const foreignKeys = foreign.get(idOf(schema, name));
    return {
      name: String(name),
      ...(schema !== current && { schema: String(schema) }),
      kind: /VIEW/i.test(String(kind)) ? ("view" as const) : ("table" as const),
      columns: ofTable(schema, name),
      ...(foreignKeys && { foreignKeys }),
    };
  });
}

function idOf(...parts: unknown[]): string {
  return JSON.stringify(parts.map(String));
}

function namesAt(nameOf: ReadonlyMap<string, string>, schema: unknown, table: unknown, numbers: unknown): string[] {
  return String(numbers)
    .split(",")
    .flatMap((number) => nameOf.get(idOf(schema, table, number)) ?? []);
}

/** Returns a type with its length or precision, in the syntax of CREATE TABLE. */
function typeName(type: string, size: { length: unknown; precision: unknown; scale: unknown }): string {
  const isText = /^(?:character|character varying|binary varying)$/i.test(type);
  if (isText && Number(size.length) > 0) return `${type}(${size.length})`;
  const isSized = /^(?:numeric|decimal)$/i.test(type) && size.precision !== null && size.precision !== undefined;
  return isSized ? `${type}(${size.precision},${size.scale ?? 0})` : type;
}
