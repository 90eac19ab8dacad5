import "server-only";
import type { Field, WireValue } from "@/lib/base/values/fields";
import type { EngineClient } from "@/lib/platform/engines/client";
import type { ExtractRequest, ExtractStream, Load, LoadRequest } from "../../data-source";
import { allOf, binaryCell, type Cell, extractFromEngine, loadIntoEngine, readEngine } from "../duckdb/engine-flows";
import { CellRefused, exactFloat, exactInt64, jsonTextOf, textOf } from "../shared/flows/rows";
import type { ExtractDialect } from "../shared/flows/sql-extract";
import type { LoadDialect } from "../shared/flows/sql-load";
import { readFields, type TableColumn, type TableShape, type TargetColumn } from "../shared/flows/table-shape";
import { namesOf, onConflict, quote } from "../shared/flows/upsert";

export function extractSqlite(client: EngineClient, request: ExtractRequest): Promise<ExtractStream> {
  return extractFromEngine(client, request, { look, dialect: reading });
}

const reading: ExtractDialect = {
  quote,
  nullsFirst: "",
  cursorOrder: ({ type }, expression) => (type === "string" ? `${expression} collate binary` : expression),
  bind: (value, column) => ({ sql: CAST[column.type] ?? "?", param: value }),
};

/** Large integers are sent as texts. */
const CAST: Readonly<Partial<Record<Field["type"], string>>> = {
  int64: "cast(? as integer)",
  float64: "cast(? as real)",
};

export function loadSqlite(client: EngineClient, request: LoadRequest, readOnly: boolean): Promise<Load> {
  return loadIntoEngine(client, request, {
    dialect,
    look,
    readOnly,
    cellsOf: cellOf,
    into: ({ into, suffix = "" }) =>
      `insert into ${into.table} (${namesOf(into.columns)}) values (${into.columns.map(() => "?").join(", ")}) ${suffix}`,
  });
}

const dialect: LoadDialect = {
  quote,
  placeholder: () => "?",
  foldsCase: true,
  nameLimit: null,
  createSchema: null,
  columnType: sqliteType,
  bookkeeping: { key: "text", text: "text", integer: "integer", suffix: "" },
  // A column keeps its original type.
  alterType: null,
  ddlCommits: false,
  lockRows: null,
  write: ({ table, columns, key }, rows) => [{ rows, into: { table, columns }, suffix: onConflict(columns, key) }],
  // Without a WHERE, ON would be parsed as that of a join.
  merge: ({ table, columns, key }, staging) => [
    `insert into ${table} (${namesOf(columns)}) select ${namesOf(columns)} from ${staging} where true ${onConflict(columns, key)}`,
  ],
};

/** Returns one of SQLite's five types: decimals, dates and times are texts, which keep all digits. */
function sqliteType({ type }: Pick<Field, "type">, isKey: boolean): string {
  // INTEGER as a key would be the row id, which SQLite generates when it is missing.
  if (type === "int32" || type === "int64" || type === "boolean") return isKey ? "BIGINT" : "INTEGER";
  if (type === "float64") return "REAL";
  return type === "binary" ? "BLOB" : "TEXT";
}

/** Returns a cell by its incoming type: the column's affinity converts it as in any other insert. */
function cellOf({ type, from }: TargetColumn): Cell {
  if (type === "string") return { type: "varchar", encode: toText };
  if (from === "int32" || from === "int64" || from === "boolean") return { type: "bigint", encode: exactInt64 };
  if (from === "float64" || (from === "decimal" && type === "float64")) return { type: "double", encode: toReal };
  if (type === "binary") return binaryCell(from);
  return { type: "varchar", encode: toText };
}

function toReal(value: Exclude<WireValue, null>): number | string {
  if (value === "NaN") throw new CellRefused("SQLite can't store NaN.");
  return exactFloat(value);
}

function toText(value: Exclude<WireValue, null>, { from }: TargetColumn): string {
  return from === "json" || from === "array" ? jsonTextOf(value) : textOf(value);
}

const TABLE = "select name from sqlite_schema where type in ('table', 'view') and lower(name) = lower(?)";
/** Columns of a table. Hidden ones (1) belong to virtual tables; generated ones are 2 and 3. */
const COLUMNS = `select name, "notnull", pk, hidden from pragma_table_xinfo(?) where hidden <> 1`;
const KEYS = `
  select i.name, c.name from pragma_index_list(?) i join pragma_index_info(i.name) c
  where i."unique" = 1 and i.partial = 0 order by i.name, c.seqno`;

async function look(
  client: EngineClient,
  { name }: { name: string },
  signal: AbortSignal,
): Promise<{ schema: null; shape: TableShape | null }> {
  const ask = (query: string, params: unknown[]) => allOf(readEngine(client, query, params, signal));
  const [found] = await ask(TABLE, [name]);
  if (!found) return { schema: null, shape: null };
  const table = String(found[0]);
  const rows = await ask(COLUMNS, [table]);
  const fields = await readFields(readEngine(client, `select * from ${quote(table)} limit 0`, [], signal));
  const columns = fields.map((field, index): TableColumn => {
    const [, notNull, key, hidden] = rows[index] ?? [];
    return {
      ...field,
      dbType: PLAIN_TYPE.test(field.dbType) ? field.dbType : "",
      nullable: notNull === 0 && !(key !== 0 && isRowId(field)),
      ...((hidden === 2 || hidden === 3) && { isGenerated: true as const }),
    };
  });
  const keyed = rows.filter(([, , key]) => key !== 0).sort(([, , left], [, , right]) => Number(left) - Number(right));
  const key = keyed.map(([column]) => String(column));
  const indexes = new Map<string, string[]>();
  for (const [index, column] of await ask(KEYS, [table])) {
    indexes.set(String(index), [...(indexes.get(String(index)) ?? []), column === null ? "" : String(column)]);
  }
  // A key of this database may contain nulls: then it gives no order to resume in.
  const isWhole = key.every((column) => columns.find((each) => each.name === column)?.nullable === false);
  return {
    schema: null,
    shape: {
      schema: null,
      name: table,
      columns,
      primaryKey: isWhole ? key : [],
      uniqueKeys: [...(key.length > 0 ? [key] : []), ...indexes.values()],
    },
  };
}

/** A column's declared type may be any text, in a hostile file even a statement. */
const PLAIN_TYPE = /^[A-Za-z][\w ]*(?:\(\d+(?:, ?\d+)?\))?$/;

/** Returns whether a column is the row id, the only key that is never NULL without a declaration. */
function isRowId({ dbType }: Field): boolean {
  return /^integer$/i.test(dbType);
}
