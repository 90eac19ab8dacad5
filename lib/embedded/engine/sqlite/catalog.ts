import type { DatabaseSync } from "node:sqlite";
import { type Entity, type EntityColumn, type EntityForeignKey, FOREIGN_KEYS_MAX } from "../../../tabular/fields.ts";

const TABLES = `
  select name, type from sqlite_schema
  where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'
  order by name`;
/** Hidden columns (1) belong to virtual tables; generated ones (2, 3) are columns like others. */
const COLUMNS = `select name, type, "notnull", pk from pragma_table_xinfo(?) where hidden <> 1`;

/** Keys of several columns have a row for each; the last one that is declared comes first. */
const FOREIGN_KEYS = 'select id, "table", "from", "to" from pragma_foreign_key_list(?) order by id desc, seq';

type KeyRow = { id: number; table: string; from: string; to: string | null };
type ColumnRow = { name: string; type: string; notnull: number; pk: number };

export function readEntities(database: DatabaseSync): Entity[] {
  const columnsOf = database.prepare(COLUMNS);
  const keysOf = database.prepare(FOREIGN_KEYS);
  const tables = database.prepare(TABLES).all() as { name: string; type: string }[];
  const entities = tables.map(({ name, type }) => ({
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
  // A reference is to a table of any case, and without columns to its primary key.
  const byName = new Map(entities.map((entity) => [entity.name.toLowerCase(), entity]));
  return entities.map((entity) => {
    const keys = new Map<number, EntityForeignKey>();
    for (const { id, table, from, to } of keysOf.all(entity.name) as KeyRow[]) {
      const parent = byName.get(table.toLowerCase());
      if (!parent) continue;
      const key = keys.get(id) ?? { columns: [], references: { name: parent.name, columns: [] } };
      const primary = parent.columns.filter(({ primaryKey }) => primaryKey);
      const target = to ?? primary[key.columns.length]?.name;
      if (target === undefined) continue;
      key.columns.push(from);
      key.references.columns.push(target);
      keys.set(id, key);
    }
    const foreignKeys = [...keys.values()].slice(0, FOREIGN_KEYS_MAX);
    return { ...entity, ...(foreignKeys.length > 0 && { foreignKeys }) };
  });
}
