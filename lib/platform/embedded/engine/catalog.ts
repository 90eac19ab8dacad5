import {
  type Entity,
  type EntityColumn,
  type EntityForeignKey,
  FOREIGN_KEYS_MAX,
} from "../../../base/values/fields.ts";
import type { EngineDatabase } from "./database.ts";
import { OWN_SCHEMA } from "./own-schema.ts";

const COLUMNS = `
  select c.schema_name, c.table_name, c.column_name, c.data_type, c.is_nullable
  from duckdb_columns() c
  where not c.internal and c.database_name = current_database() and c.schema_name <> '${OWN_SCHEMA}'
  order by c.schema_name, c.table_name, c.column_index`;
const PRIMARY_KEYS = `
  select schema_name, table_name, unnest(constraint_column_names)
  from duckdb_constraints()
  where database_name = current_database() and constraint_type = 'PRIMARY KEY'`;
/** A foreign key and its target are in the same schema. */
const FOREIGN_KEYS = `
  select schema_name, table_name, to_json(constraint_column_names), referenced_table, to_json(referenced_column_names)
  from duckdb_constraints()
  where database_name = current_database() and constraint_type = 'FOREIGN KEY'
  order by schema_name, table_name, constraint_index`;
const TABLES = `
  select schema_name, table_name, 'table', estimated_size
  from duckdb_tables()
  where not internal and database_name = current_database() and schema_name <> '${OWN_SCHEMA}'
  union all
  select schema_name, view_name, 'view', null
  from duckdb_views()
  where not internal and database_name = current_database() and schema_name <> '${OWN_SCHEMA}'
  order by 1, 2`;
/** The default schema, whose name is omitted. */
const DEFAULT_SCHEMA = "main";

/** Returns tables and views with their columns; `schema` is absent for the default one. */
export async function readEntities(database: EngineDatabase): Promise<Entity[]> {
  const connection = await database.connect();
  try {
    // One transaction, so that the three queries see the same state.
    await connection.run("BEGIN TRANSACTION READ ONLY");
    const rowsOf = async (query: string) => (await connection.runAndReadAll(query)).getRows();
    const keys = new Set((await rowsOf(PRIMARY_KEYS)).map((row) => JSON.stringify(row)));
    const columns = new Map<string, EntityColumn[]>();
    for (const [schema, table, name, type, isNullable] of await rowsOf(COLUMNS)) {
      const key = JSON.stringify([schema, table]);
      const list = columns.get(key) ?? [];
      list.push({
        name: String(name),
        type: String(type),
        nullable: isNullable === true,
        primaryKey: keys.has(JSON.stringify([schema, table, name])),
      });
      columns.set(key, list);
    }
    const foreignKeys = new Map<string, EntityForeignKey[]>();
    for (const [schema, table, names, target, targetNames] of await rowsOf(FOREIGN_KEYS)) {
      const key = JSON.stringify([schema, table]);
      const list = foreignKeys.get(key) ?? [];
      if (list.length === FOREIGN_KEYS_MAX) continue;
      const references = {
        ...(schema !== DEFAULT_SCHEMA && { schema: String(schema) }),
        name: String(target),
        columns: JSON.parse(String(targetNames)) as string[],
      };
      list.push({ columns: JSON.parse(String(names)) as string[], references });
      foreignKeys.set(key, list);
    }
    return (await rowsOf(TABLES)).map(([schema, name, kind, size]) => {
      const keys = foreignKeys.get(JSON.stringify([schema, name]));
      return {
        name: String(name),
        ...(schema !== DEFAULT_SCHEMA && { schema: String(schema) }),
        kind: kind === "view" ? ("view" as const) : ("table" as const),
        columns: columns.get(JSON.stringify([schema, name])) ?? [],
        ...(kind === "table" && rowIdOf(columns.get(JSON.stringify([schema, name])) ?? [])),
        ...(size !== null && size !== undefined && { rowEstimate: Number(size) }),
        ...(keys && { foreignKeys: keys }),
      };
    });
  } finally {
    connection.closeSync();
  }
}

/** Returns the engine's row id, unless a key identifies the rows or a column has its name. */
function rowIdOf(columns: readonly EntityColumn[]): Pick<Entity, "rowId"> {
  const isHidden = columns.some(({ name }) => name.toLowerCase() === "rowid");
  if (isHidden || columns.some(({ primaryKey }) => primaryKey)) return {};
  return { rowId: [{ name: "rowid", type: "BIGINT", nullable: false, primaryKey: false }] };
}
