import { type Entity, type EntityForeignKey, FOREIGN_KEYS_MAX } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX } from "@/lib/features/connections/schema";
import { columnsOf } from "../shared/columns-of";
import { MARIADB_JSON } from "./column-values";

const OWN_SCHEMAS = "('information_schema', 'performance_schema', 'mysql', 'sys')";

/** All databases except the server's system databases, or as many as are named and bound. */
const shownOf = (names: number) =>
  `table_schema not in ${OWN_SCHEMAS}${names === 0 ? "" : ` and table_schema in (${Array(names).fill("?").join(", ")})`}`;

/** Tables and views that the user may see. @param names number of database names, which are bound; 0 for all */
export const tablesSql = (names: number) => `
  select table_schema, table_name, table_type, table_rows, table_schema = database()
  from information_schema.tables where ${shownOf(names)} order by table_schema, table_name`;
export const columnsSql = (names: number) => `
  select table_schema, table_name, column_name, column_type, is_nullable, column_key
  from information_schema.columns where ${shownOf(names)}
  order by table_schema, table_name, ordinal_position`;

/**
 * MariaDB's JSON columns, which are texts with this check constraint. The constraint has the column's name.
 * @param names number of database names, which are bound; 0 for all
 */
export const jsonColumnsSql = (names: number) => `
  select constraint_schema, table_name, constraint_name from information_schema.check_constraints
  where check_clause = concat('json_valid(\`', constraint_name, '\`)') and ${shownOf(names).replaceAll("table_schema", "constraint_schema")}`;

/** Databases with the number of their tables and views that the user may see. */
export const SCHEMAS_SQL = `
  select s.schema_name, count(t.table_name) from information_schema.schemata s
  left join information_schema.tables t on t.table_schema = s.schema_name
  where s.schema_name not in ${OWN_SCHEMAS} group by s.schema_name order by s.schema_name limit ${SCHEMA_CHOICES_MAX}`;

/** Maximum foreign key columns over all databases: the tables of a large product have some thousands. */
const KEY_COLUMNS_MAX = 20_000;
/** A key of several columns has a row for each. */
export const foreignKeysSql = (names: number) => `
  select table_schema, table_name, constraint_name, column_name,
    referenced_table_schema, referenced_table_name, referenced_column_name, referenced_table_schema = database()
  from information_schema.key_column_usage
  where referenced_table_name is not null and ${shownOf(names)}
  order by table_schema, table_name, constraint_name, ordinal_position limit ${KEY_COLUMNS_MAX}`;

/** Returns the entities. The default database is omitted. */
export function toEntities(
  tables: readonly unknown[][],
  columns: readonly unknown[][],
  keys: readonly unknown[][],
  jsonColumns: readonly unknown[][],
): Entity[] {
  const isJson = new Set(jsonColumns.map((names) => JSON.stringify(names)));
  const foreignKeys = keysByTable(keys);
  const ofTable = columnsOf(columns, ([schema, table, name, type, nullable, key]) => {
    const fullType = isJson.has(JSON.stringify([schema, table, name])) ? `${type} ${MARIADB_JSON}` : String(type);
    return { name: String(name), type: fullType, nullable: nullable === "YES", primaryKey: key === "PRI" };
  });
  return tables.map(([schema, name, kind, rows, isCurrent]) => {
    const own = foreignKeys.get(JSON.stringify([schema, name]));
    return {
      name: String(name),
      ...(Number(isCurrent) !== 1 && { schema: String(schema) }),
      kind: /VIEW/.test(String(kind)) ? ("view" as const) : ("table" as const),
      columns: ofTable(schema, name),
      ...(rows !== null && { rowEstimate: Number(rows) }),
      ...(own && { foreignKeys: [...own.values()].slice(0, FOREIGN_KEYS_MAX) }),
    };
  });
}

/** Groups foreign keys by table, then by name. */
function keysByTable(rows: readonly unknown[][]): Map<string, Map<string, EntityForeignKey>> {
  const byTable = new Map<string, Map<string, EntityForeignKey>>();
  for (const [schema, table, constraint, column, targetSchema, target, targetColumn, isCurrent] of rows) {
    const id = JSON.stringify([schema, table]);
    const keys = byTable.get(id) ?? new Map<string, EntityForeignKey>();
    const references = {
      ...(Number(isCurrent) !== 1 && { schema: String(targetSchema) }),
      name: String(target),
      columns: [],
    };
    const key = keys.get(String(constraint)) ?? { columns: [], references };
    key.columns.push(String(column));
    key.references.columns.push(String(targetColumn));
    keys.set(String(constraint), key);
    byTable.set(id, keys);
  }
  return byTable;
}
