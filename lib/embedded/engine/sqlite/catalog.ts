import type Database from "better-sqlite3";
import type { Entity, EntityColumn } from "../../../tabular/fields.ts";

const TABLES = `
  select name, type from sqlite_schema
  where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
  order by name`;
/** Hidden columns (1) belong to virtual tables; generated ones (2, 3) are columns like others. */
const COLUMNS = `select name, type, "notnull", pk from pragma_table_xinfo(?) where hidden <> 1`;

type ColumnRow = { name: string; type: string; notnull: number; pk: number };

export function readEntities(database: Database.Database): Entity[] {
  const columnsOf = database.prepare<[string], ColumnRow>(COLUMNS);
  return database
    .prepare<[], { name: string; type: string }>(TABLES)
    .all()
    .map(({ name, type }) => ({
      name,
      kind: type === "view" ? ("view" as const) : ("table" as const),
      columns: columnsOf.all(name).map(
        (column): EntityColumn => ({
          name: column.name,
          type: column.type,
          nullable: column.notnull === 0 && column.pk === 0,
          primaryKey: column.pk > 0,
        }),
      ),
    }));
}
