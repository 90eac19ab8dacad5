import type { Entity, EntityColumn } from "@/lib/tabular/fields";

const OWN_SCHEMAS = "('information_schema', 'performance_schema', 'mysql', 'sys')";

/** Tables and views of all databases that the user may see but the server's own. */
export const TABLES_SQL = `
  select table_schema, table_name, table_type, table_rows, table_schema = database()
  from information_schema.tables where table_schema not in ${OWN_SCHEMAS} order by table_schema, table_name`;
export const COLUMNS_SQL = `
  select table_schema, table_name, column_name, column_type, is_nullable, column_key
  from information_schema.columns where table_schema not in ${OWN_SCHEMAS}
  order by table_schema, table_name, ordinal_position`;

/** The database that names without one belong to is left out. */
export function toEntities(tables: readonly unknown[][], columns: readonly unknown[][]): Entity[] {
  const byTable = new Map<string, EntityColumn[]>();
  for (const [schema, table, name, type, nullable, key] of columns) {
    const id = JSON.stringify([schema, table]);
    const list = byTable.get(id) ?? [];
    list.push({ name: String(name), type: String(type), nullable: nullable === "YES", primaryKey: key === "PRI" });
    byTable.set(id, list);
  }
  return tables.map(([schema, name, kind, rows, isCurrent]) => ({
    name: String(name),
    ...(Number(isCurrent) !== 1 && { schema: String(schema) }),
    kind: /VIEW/.test(String(kind)) ? ("view" as const) : ("table" as const),
    columns: byTable.get(JSON.stringify([schema, name])) ?? [],
    ...(rows !== null && { rowEstimate: Number(rows) }),
  }));
}
