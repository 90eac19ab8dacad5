import type { DatabaseSync } from "node:sqlite";
import type { Entity, EntityColumn } from "../../../tabular/fields.ts";

const TABLES = `
  select name, type from sqlite_schema
  where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
  order by name`;
/** Hidden columns (1) belong to virtual tables; generated ones (2, 3) are columns like others. */
const COLUMNS = `select name, type, "notnull", pk from pragma_table_xinfo(?) where hidden <> 1`;

type ColumnRow = { name: string; type: string; notnull: number; pk: number };

export function readEntities(database: DatabaseSync): Entity[] {
  const columnsOf = database.prepare(COLUMNS);
  const tables = database.prepare(TABLES).all() as { name: string; type: string }[];
  return tables.map(({ name, type }) => ({
    name,
    kind: type === "view" ? ("view" as const) : ("table" as const),
    columns: (columnsOf.all(name) as ColumnRow[]).map(
      (column): EntityColumn => ({
        name: column.name,
        type: column.type,
        nullable: column.notnull === 0 && column.pk === 0,
        primaryKey: column.pk > 0,
      }),
    ),
  }));
}
