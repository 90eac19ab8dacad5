import type { DatabaseSync } from "node:sqlite";
import {
  type Entity,
  type EntityColumn,
  type EntityForeignKey,
  FOREIGN_KEYS_MAX,
} from "../../../../base/values/fields.ts";

const TABLES = `
  select s.name, s.type, l.wr as withoutRowid from sqlite_schema s
  left join pragma_table_list l on l.schema = 'main' and l.name = s.name
  where s.type in ('table', 'view') and s.name not like 'sqlite\\_%' escape '\\'
  order by s.name`;
/** Hidden columns (1) belong to virtual tables; generated ones (2, 3) are ordinary columns. */
const COLUMNS = `select name, type, "notnull", pk from pragma_table_xinfo(?) where hidden <> 1`;

/** A foreign key of several columns has a row for each. The last declared key comes first. */
const FOREIGN_KEYS = 'select id, "table", "from", "to" from pragma_foreign_key_list(?) order by id desc, seq';

type KeyRow = { id: number; table: string; from: string; to: string | null };
type ColumnRow = { name: string; type: string; notnull: number; pk: number };

export function readEntities(database: DatabaseSync): Entity[] {
  const columnsOf = database.prepare(COLUMNS);
  const keysOf = database.prepare(FOREIGN_KEYS);
  const tables = database.prepare(TABLES).all() as { name: string; type: string; withoutRowid: number | null }[];
  const entities = tables.map(({ name, type, withoutRowid }) => {
    const hasRowid = type === "table" && withoutRowid === 0;
    const rows = columnsOf.all(name) as ColumnRow[];
    const keys = rows.filter(({ pk }) => pk > 0);
    // Only an integer primary key is the row id. Others may be null, even in several rows, unless declared NOT NULL.
    const isNumbered = keys.length === 1 && /^integer$/i.test(keys[0]?.type ?? "");
    const isNullable = ({ notnull, pk }: ColumnRow) => notnull === 0 && (pk === 0 || (hasRowid && !isNumbered));
    const columns = rows.map(
      (column): EntityColumn => ({
        name: column.name,
        type: column.type,
        nullable: isNullable(column),
        primaryKey: column.pk > 0,
      }),
    );
    const isApart = keys.length > 0 && keys.every((column) => !isNullable(column));
    return {
      name,
      kind: type === "view" ? ("view" as const) : ("table" as const),
      columns,
      ...(hasRowid && !isApart && rowIdOf(rows)),
    };
  });
  // References ignore the case of table names. Without columns, they refer to the primary key.
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

/** Returns SQLite's row id, by the first of its names that no column has. */
function rowIdOf(columns: readonly ColumnRow[]): Pick<Entity, "rowId"> {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const name = ["rowid", "_rowid_", "oid"].find((each) => !taken.has(each));
  return name === undefined ? {} : { rowId: [{ name, type: "INTEGER", nullable: false, primaryKey: false }] };
}
