import type { Entity, WireValue } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX } from "@/lib/features/connections/schema";
import { columnsOf } from "../shared/columns-of";

const OWN_DATABASES = "('system', 'information_schema', 'INFORMATION_SCHEMA')";

/** All databases except the server's system databases, or those of the parameter `shown`. */
const shownOf = (isNamed: boolean) =>
  `database NOT IN ${OWN_DATABASES}${isNamed ? " AND has({shown:Array(String)}, database)" : ""}`;

/** @param isNamed only the databases of the parameter `shown` */
export const tablesSql = (isNamed: boolean) => `
  SELECT database, name, engine, total_rows, database = currentDatabase()
  FROM system.tables WHERE ${shownOf(isNamed)} AND NOT is_temporary ORDER BY database, name`;
export const columnsSql = (isNamed: boolean) => `
  SELECT database, table, name, type, is_in_primary_key
  FROM system.columns WHERE ${shownOf(isNamed)} ORDER BY database, table, position`;

/** Databases with the number of their tables and views that the user may see. */
export const SCHEMAS_SQL = `
  SELECT d.name, countIf(t.name != '') FROM system.databases d
  LEFT JOIN (SELECT database, name FROM system.tables WHERE NOT is_temporary) t ON t.database = d.name
  WHERE d.name NOT IN ${OWN_DATABASES} GROUP BY d.name ORDER BY d.name LIMIT ${SCHEMA_CHOICES_MAX}`;

/** The functions that statements can call, and their origin. */
export const FUNCTIONS_SQL = `
  SELECT name, toString(origin) FROM system.functions UNION ALL SELECT name, 'table' FROM system.table_functions`;

/** Returns the entities. The default database is omitted. */
export function toEntities(tables: readonly WireValue[][], columns: readonly WireValue[][]): Entity[] {
  const ofTable = columnsOf(columns, ([, , name, type, isKey]) => ({
    name: String(name),
    type: String(type),
    nullable: String(type).includes("Nullable("),
    primaryKey: isKey === 1,
  }));
  return tables.map(([database, name, engine, rows, isCurrent]) => ({
    name: String(name),
    ...(isCurrent !== 1 && { schema: String(database) }),
    kind: /View$/.test(String(engine)) ? ("view" as const) : ("table" as const),
    columns: ofTable(database, name),
    ...(rows !== null && rows !== undefined && { rowEstimate: Number(rows) }),
  }));
}
