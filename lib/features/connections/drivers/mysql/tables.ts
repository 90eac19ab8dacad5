import type { Field, WireValue } from "@/lib/base/values/fields";
import { decimalWithin, isBelowMicros, isUnsigned64, isUuid, type Precision } from "@/lib/base/values/precision";
import { type ColumnTypes, columnTypeOf, isZonedTime } from "../shared/flows/column-types";
import {
  CellRefused,
  exactDecimal,
  exactFloat,
  exactInt64,
  exactMicros,
  isNotANumber,
  jsonTextOf,
  textOf,
  utcText,
} from "../shared/flows/rows";
import type { TableShape, TargetColumn } from "../shared/flows/table-shape";

/** MySQL's widest decimal; MariaDB has eight decimals more. */
const DECIMAL_MAX: Precision = { precision: 65, scale: 30 };
/** Maximum characters of a key text: an index holds 3072 bytes, and a character has at most four. */
const KEY_CHARS = 255;

/** Columns of a table, with exact spellings first: the server's settings decide whether case matters. */
export const COLUMNS_SQL = `
  select c.table_schema, c.table_name, c.column_name, c.column_type, c.character_set_name, c.collation_name,
    c.is_nullable, c.extra
  from information_schema.columns c
  where c.table_schema = coalesce(?, database()) and c.table_name = ?
  order by binary c.table_name = binary ? desc, c.table_name, c.ordinal_position`;
/** Keys of a table, without those over prefixes of columns (sub_part). */
export const KEYS_SQL = `
  select index_name, column_name, sub_part from information_schema.statistics
  where table_schema = ? and table_name = ? and non_unique = 0 order by index_name, seq_in_index`;
export const ENGINE_SQL = `
  select t.engine, e.transactions from information_schema.tables t
  left join information_schema.engines e on e.engine = t.engine where t.table_schema = ? and t.table_name = ?`;

/** @param types of the columns, by name, as the protocol describes them */
export function toShape(
  columns: readonly unknown[][],
  keys: readonly unknown[][],
  types: ReadonlyMap<string, Field["type"]>,
): TableShape | null {
  const [first] = columns;
  if (!first) return null;
  const name = String(first[1]);
  const indexes = new Map<string, string[] | null>();
  for (const [index, column, part] of keys) {
    const known = indexes.get(String(index));
    const isWhole = part === null && column !== null && known !== null;
    indexes.set(String(index), isWhole ? [...(known ?? []), String(column)] : null);
  }
  return {
    schema: String(first[0]),
    name,
    columns: columns
      .filter((row) => row[1] === first[1])
      .map(([, , column, type, charset, collation, nullable, extra]) => ({
        name: String(column),
        type: types.get(String(column)) ?? "other",
        dbType: `${type}${charset === null ? "" : ` character set ${charset} collate ${collation}`}`,
        nullable: nullable === "YES",
        ...(/\b(?:virtual|stored|persistent)\b/i.test(String(extra)) && { isGenerated: true as const }),
      })),
    primaryKey: indexes.get("PRIMARY") ?? [],
    uniqueKeys: [...indexes.values()].filter((key) => key !== null),
  };
}

export function mysqlType(field: Pick<Field, "type" | "dbType">, isKey: boolean): string {
  const text = textType(isKey);
  const types: ColumnTypes = {
    int32: "int",
    int64: isUnsigned64(field) ? "bigint unsigned" : "bigint",
    float64: "double",
    decimal: () => decimalType(field),
    boolean: "tinyint(1)",
    date: "date",
    time: isZonedTime(field) || isBelowMicros(field) ? text : "time(6)",
    // MySQL's TIMESTAMP ends in 2038, so instants are DATETIME in UTC.
    timestamp: isBelowMicros(field) ? text : "datetime(6)",
    timestamptz: isBelowMicros(field) ? text : "datetime(6)",
    json: "json",
    array: "json",
    binary: isKey ? `varbinary(${KEY_CHARS})` : "longblob",
    string: isUuid(field) ? "char(36) character set ascii collate ascii_bin" : text,
    other: text,
  };
  return columnTypeOf(types, field);
}

function decimalType(field: Pick<Field, "dbType">): string {
  const digits = decimalWithin(field, DECIMAL_MAX);
  const { precision, scale } = digits.scale <= DECIMAL_MAX.scale ? digits : DECIMAL_MAX;
  return `decimal(${precision},${scale})`;
}

/** Returns a text type. Keys distinguish all different texts; other texts have the server's default collation. */
function textType(isKey: boolean): string {
  return isKey ? `varchar(${KEY_CHARS}) character set utf8mb4 collate utf8mb4_bin` : "longtext character set utf8mb4";
}

/** Returns a value as the parameter of an insert. */
export function toMysqlCell(value: Exclude<WireValue, null>, column: TargetColumn): string | number | Buffer {
  switch (column.type) {
    case "int32":
    case "int64":
      return /unsigned/i.test(column.dbType)
        ? textOf(typeof value === "boolean" ? Number(value) : value)
        : exactInt64(value);
    case "float64":
      if (isNotANumber(value)) throw new CellRefused(`MySQL can't store ${String(value)}.`);
      return exactFloat(value);
    case "decimal":
      return exactDecimal(value, column);
    case "date":
      return textOf(value);
    case "timestamp":
    case "timestamptz":
      return utcText(exactMicros(textOf(value)));
    case "time":
      return exactMicros(textOf(value));
    case "binary":
      return column.from === "binary" ? Buffer.from(String(value), "base64") : Buffer.from(textOf(value), "utf8");
    case "json":
      return column.from === "string" ? textOf(value) : jsonTextOf(value);
    default:
      // To MariaDB, a JSON column is a text column.
      return column.from === "json" || column.from === "array" ? jsonTextOf(value) : textOf(value);
  }
}
