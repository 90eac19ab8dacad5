import "server-only";
import { toDuckDbInterval } from "@/lib/base/sql/dialects/duckdb/values";
import type { Field, WireValue } from "@/lib/base/values/fields";
import { decimalWithin, isBelowMicros, isUnsigned64, isUuid } from "@/lib/base/values/precision";
import type { EngineClient } from "@/lib/platform/engines/client";
import type { ExtractRequest, ExtractStream, Load, LoadRequest } from "../../data-source";
import { type ColumnTypes, columnTypeOf, isZonedTime } from "../shared/flows/column-types";
import {
  CellRefused,
  type Encode,
  exactDecimal,
  exactFloat,
  exactInt64,
  exactMicros,
  jsonTextOf,
  textOf,
} from "../shared/flows/rows";
import type { ExtractDialect } from "../shared/flows/sql-extract";
import type { LoadDialect, Target } from "../shared/flows/sql-load";
import { readFields, type TableColumn, type TableShape, type TargetColumn } from "../shared/flows/table-shape";
import { namesOf, onConflict, quote } from "../shared/flows/upsert";
import { ColumnTexts, NULL_TEXT, SEPARATOR_CODE } from "./column-texts";
import { allOf, binaryCell, type Cell, extractFromEngine, loadIntoEngine, readEngine } from "./engine-flows";

/** DuckDB's widest decimal, with half of its digits after the point. */
const DECIMAL_MAX = { precision: 38, scale: 18 };
const BATCH_TABLE = "_millrace_batch";

export function extractDuckDb(client: EngineClient, request: ExtractRequest): Promise<ExtractStream> {
  return extractFromEngine(client, request, { look, dialect: reading });
}

const reading: ExtractDialect = {
  quote,
  nullsFirst: " nulls first",
  cursorOrder: ({ type }, expression) => (type === "string" ? `(${expression})::varchar collate "binary"` : expression),
  bind: (value, column, place) => ({
    sql: castOf(`$${place}`, column),
    param: cellOf({ ...column, from: column.type }).encode(value, { ...column, from: column.type }),
  }),
};

export function loadDuckDb(client: EngineClient, request: LoadRequest, readOnly: boolean): Promise<Load> {
  const into = (step: { into: { table: string } }) => step.into.table;
  return loadIntoEngine(client, request, {
    dialect: dialectOf(new ColumnTexts()),
    look,
    readOnly,
    cellsOf: cellOf,
    into,
  });
}

const dialectOf = (columnTexts: ColumnTexts): LoadDialect => ({
  quote,
  placeholder: (place) => `$${place}`,
  foldsCase: true,
  nameLimit: null,
  createSchema: (schema) => `create schema if not exists ${quote(schema)}`,
  columnType: (field) => columnTypeOf(TYPES, field),
  bookkeeping: { key: "varchar", text: "varchar", integer: "bigint", suffix: "" },
  alterType: (table, column, type) => `alter table ${table} alter column ${column} type ${type}`,
  ddlCommits: false,
  lockRows: null,
  write(target, rows) {
    const { raw, rowCount } = rows;
    const texts = raw ? columnTexts.of({ raw, rowCount }, target.columns, encodeCell) : null;
    if (texts) return [{ run: insertTexts(target, rowCount), params: texts }];
    const { table, columns, key } = target;
    const cells = columns.map((column, index) => `c${index} ${STAGED[cellOf(column).type]}`);
    const casts = columns.map((column, index) => castOf(`c${index}`, column));
    const places = key.map((name) => `c${columns.findIndex((column) => quote(column.name) === name)}`);
    // The last of several rows with one key counts.
    const lasts =
      key.length === 0 ? "" : `qualify row_number() over (partition by ${places.join(", ")} order by rowid desc) = 1`;
    return [
      { run: `create temporary table ${BATCH_TABLE} (${cells.join(", ")})` },
      { rows, into: { table: BATCH_TABLE, columns } },
      {
        run: `insert into ${table} (${namesOf(columns)}) select ${casts.join(", ")} from temp.${BATCH_TABLE} ${lasts} ${onConflict(columns, key)}`,
      },
      { run: `drop table temp.${BATCH_TABLE}` },
    ];
  },
  merge: ({ table, columns, key }, staging) => [
    `insert into ${table} (${namesOf(columns)}) select ${namesOf(columns)} from ${staging} ${onConflict(columns, key)}`,
  ],
});

const encodeCell: Encode<string | number | boolean> = (value, column) => cellOf(column).encode(value, column);

/** Returns the statement that splits the text of each column and casts its cells. */
function insertTexts({ table, columns, key }: Target, rowCount: number): string {
  const cells = columns.map(
    (_, index) => `unnest(string_split(decode($${index + 1}::blob), chr(${SEPARATOR_CODE}))) as c${index}`,
  );
  const values = columns.map((column, index) => castOf(`nullif(c${index}, '${NULL_TEXT}')`, column));
  const keys = key.map((name) => values[columns.findIndex((column) => quote(column.name) === name)]);
  // The last of several rows with one key counts.
  const place = key.length === 0 ? "" : `, unnest(range(${rowCount})) as place`;
  const lasts =
    key.length === 0 ? "" : `qualify row_number() over (partition by ${keys.join(", ")} order by place desc) = 1`;
  return `insert into ${table} (${namesOf(columns)}) select ${values.join(", ")}
    from (select ${cells.join(", ")}${place}) ${lasts} ${onConflict(columns, key)}`;
}

const STAGED: Readonly<Record<Cell["type"], string>> = {
  bigint: "bigint",
  double: "double",
  boolean: "boolean",
  varchar: "varchar",
  blob: "varchar",
};

/**
 * Returns the form in which a column's values are sent: numbers as numbers, everything else as text that DuckDB casts.
 */
function cellOf(column: TargetColumn): Cell {
  const { type, from, dbType } = column;
  if ((type === "int32" || type === "int64") && !/^(?:ubigint)/i.test(dbType)) {
    return { type: "bigint", encode: exactInt64 };
  }
  if (type === "float64") return { type: "double", encode: exactFloat };
  if (type === "boolean") return { type: "boolean", encode: toBoolean };
  if (type === "binary") return binaryCell(from);
  return { type: "varchar", encode: toText };
}

function castOf(expression: string, { type, dbType }: TableColumn): string {
  if (type === "binary" && /^blob$/i.test(dbType)) return `from_base64(${expression})`;
  // Lists, structs and maps are sent as JSON, which DuckDB converts exactly.
  if (type === "array" || (type === "json" && dbType !== "JSON"))
    return `cast(cast(${expression} as json) as ${dbType})`;
  return `cast(${expression} as ${dbType})`;
}

function toBoolean(value: Exclude<WireValue, null>): boolean {
  if (typeof value === "boolean") return value;
  throw new CellRefused(`${textOf(value).slice(0, 60)} is not a boolean.`);
}

function toText(value: Exclude<WireValue, null>, column: TargetColumn): string {
  switch (column.type) {
    case "decimal":
      // DuckDB would round a fraction.
      return exactDecimal(value, isLongInteger(column) ? { dbType: "DECIMAL(38,0)" } : column);
    case "date":
    case "timestamp":
    case "timestamptz":
      return stampText(/_ns$/i.test(column.dbType) ? textOf(value) : exactMicros(textOf(value)));
    case "time":
      return /_ns$/i.test(column.dbType) ? textOf(value) : exactMicros(textOf(value));
    case "interval":
      return toDuckDbInterval(textOf(value));
    case "json":
      return column.from === "string" ? textOf(value) : jsonTextOf(value);
    default:
      return textOf(value);
  }
}

/** Returns DuckDB's timestamp text: years are not padded, and those before year 1 have `(BC)` after the date. */
function stampText(text: string): string {
  const [, sign, digits, rest = ""] = /^([+-])(\d{6})(-.*)$/.exec(text) ?? [];
  const isFirst = text.startsWith("0000-");
  if (digits === undefined && !isFirst) return text;
  const year = isFirst ? 0 : Number(digits);
  const behind = isFirst ? text.slice(4) : rest;
  if (sign === "+") return `${year}${behind}`;
  const [, day = behind, time = ""] = /^(-\d\d-\d\d)(.*)$/.exec(behind) ?? [];
  return `${String(year + 1).padStart(4, "0")}${day} (BC)${time.replace("T", " ")}`;
}

/** List element types with a native DuckDB type, by the names that databases give them. */
const ELEMENTS: Readonly<Record<string, string>> = {
  boolean: "BOOLEAN",
  smallint: "SMALLINT",
  integer: "INTEGER",
  bigint: "BIGINT",
  "double precision": "DOUBLE",
  double: "DOUBLE",
  text: "VARCHAR",
  varchar: "VARCHAR",
  "character varying": "VARCHAR",
  uuid: "UUID",
  date: "DATE",
  timestamp: "TIMESTAMP",
  "timestamp without time zone": "TIMESTAMP",
  "timestamp with time zone": "TIMESTAMP WITH TIME ZONE",
};

/** Returns whether the type is an integer of more than 64 bits, which is wider than DuckDB's decimals. */
function isLongInteger({ dbType }: Pick<Field, "dbType">): boolean {
  return /^(?:U?HUGEINT|BIGNUM)$/i.test(dbType);
}

const TYPES: ColumnTypes = {
  int32: "INTEGER",
  int64: (field) => (isUnsigned64(field) ? "UBIGINT" : "BIGINT"),
  float64: "DOUBLE",
  decimal(field) {
    if (isLongInteger(field)) return field.dbType;
    const { precision, scale } = decimalWithin(field, DECIMAL_MAX);
    return `DECIMAL(${precision},${scale})`;
  },
  boolean: "BOOLEAN",
  date: "DATE",
  time: (field) => (isBelowMicros(field) ? "VARCHAR" : isZonedTime(field) ? "TIME WITH TIME ZONE" : "TIME"),
  timestamp: (field) =>
    isBelowMicros(field) ? (/_ns$/i.test(field.dbType) ? "TIMESTAMP_NS" : "VARCHAR") : "TIMESTAMP",
  timestamptz: (field) => (isBelowMicros(field) ? "VARCHAR" : "TIMESTAMP WITH TIME ZONE"),
  interval: "INTERVAL",
  json: "JSON",
  binary: "BLOB",
  array({ dbType }) {
    const element = ELEMENTS[/^(.*[^\]])\[\]$/.exec(dbType.toLowerCase())?.[1] ?? ""];
    return element === undefined ? "JSON" : `${element}[]`;
  },
  string: (field) => (isUuid(field) ? "UUID" : "VARCHAR"),
  other: "VARCHAR",
};

const COLUMNS = `
  select schema_name, table_name, column_name, is_nullable, data_type from duckdb_columns()
  where database_name = current_database() and schema_name = coalesce($1, current_schema())
    and lower(table_name) = lower($2) and not internal
  order by column_index`;
const KEYS = `
  select constraint_type, constraint_column_names from duckdb_constraints()
  where database_name = current_database() and schema_name = $1 and table_name = $2
    and constraint_type in ('PRIMARY KEY', 'UNIQUE')`;
const INDEXES = `
  select expressions from duckdb_indexes()
  where database_name = current_database() and schema_name = $1 and table_name = $2 and is_unique`;

async function look(
  client: EngineClient,
  { schema, name }: { schema?: string; name: string },
  signal: AbortSignal,
): Promise<{ schema: string | null; shape: TableShape | null }> {
  const ask = (query: string, params: unknown[]) => allOf(readEngine(client, query, params, signal));
  const columns = await ask(COLUMNS, [schema ?? null, name]);
  const [first] = columns;
  if (!first) {
    const [current] = await ask("select current_schema()", []);
    return { schema: schema ?? String(current?.[0] ?? "main"), shape: null };
  }
  const place = [String(first[0]), String(first[1])];
  const empty = `select * from ${place.map(quote).join(".")} limit 0`;
  const fields = await readFields(readEngine(client, empty, [], signal));
  const keys = await ask(KEYS, place);
  const indexes = await ask(INDEXES, place);
  const namesIn = (list: WireValue | undefined) => (Array.isArray(list) ? list.map(String) : []);
  return {
    schema: place[0] ?? null,
    shape: {
      schema: place[0] ?? null,
      name: place[1] ?? name,
      columns: fields.map((field, index) => {
        // DuckDB returns the type quoted: a hostile file may have types whose names are statements.
        const [, , , nullable, type] = columns[index] ?? [];
        return { ...field, dbType: String(type), nullable: nullable === true };
      }),
      primaryKey: namesIn(keys.find(([kind]) => kind === "PRIMARY KEY")?.[1]),
      uniqueKeys: [
        ...keys.map(([, names]) => namesIn(names)),
        // `[id, '"a b"']`: plain names suffice, since an unparsed index is simply not used as a key.
        ...indexes.map(([text]) =>
          String(text)
            .replace(/^\[|\]$/g, "")
            .split(", "),
        ),
      ],
    },
  };
}
