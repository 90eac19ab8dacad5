import type { EntityColumn } from "@/lib/base/values/fields";
import {
  type Bind,
  badValue,
  type ColumnValues,
  jsonReadings,
  requireBytes,
  requireInteger,
  requireNumber,
  requireTime,
  type TableValues,
} from "../../column-values";
import { comparedBy, type ToSql, unordered } from "../shared/compared-values";
import { castTo } from "../shared/variables";

/** A time starts with its date. */
const DATED = /^\d{4,}-\d\d-\d\d/;

/** MySQL's widest decimal. */
const DECIMAL_DIGITS = 65;
const DECIMAL_SCALE = 30;
/**
 * Bytes of a value that ORDER BY compares; the servers' default is 1024. A key has up to 3072 bytes. A character has up
 * to four bytes, and a collation compares up to 18 of its weight bytes for each of three levels.
 */
export const COMPARED_BYTES = 16 * 1024;
/**
 * Characters by which rows are ordered: ORDER BY compares `COMPARED_BYTES` of a value. A comparison uses the whole
 * value, so both get the same prefix and the key decides.
 */
const ORDER_CHARS = 250;
/** The same for bytes; the server uses up to four for their length. */
const ORDER_BYTES = 1000;
/** Maximum declared characters of a text that is ordered whole, by its index where it has one. */
const WHOLE_CHARS_MAX = 255;
/** The suffix that `catalog.ts` adds to the type of MariaDB's JSON columns. */
export const MARIADB_JSON = "/* json */";

const INTEGERS = new Set(["tinyint", "smallint", "mediumint", "int", "bigint"]);
const DECIMALS = new Set(["decimal", "numeric"]);
const BYTES = new Set(["binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "vector"]);
const SHAPES = new Set([
  ...["geometry", "point", "linestring", "polygon"],
  ...["multipoint", "multilinestring", "multipolygon", "geometrycollection"],
]);

/** MySQL compares a column with a text by rules of each type, so most values are cast. */
export const mysqlValues: TableValues = {
  nullsLast: null,
  orderBytes: COMPARED_BYTES,
  digest: (texts) =>
    `md5(concat_ws(',', ${texts.map((text) => `coalesce(hex(cast(${text} as binary)), '-')`).join(", ")}))`,
  edits: {
    emptyRow: "() values ()",
    setsDefault: true,
    strict: "set session sql_mode = concat(@@session.sql_mode, ',STRICT_ALL_TABLES')",
  },
  of: (column, name) => ({
    ...valuesOf(column, name),
    store: (text, bind) => toStored(text, column, bind),
  }),
};

function valuesOf(column: EntityColumn, name: string): ColumnValues {
  const type = column.type.toLowerCase();
  const kind = kindOf(column);
  const plain = (value: string, texts: PlainTexts) => plainValues(name, value, texts);
  const orderPrefix = orderPrefixOf(column, kind);
  if (BYTES.has(kind)) return bytes(column, name, orderPrefix);
  if (SHAPES.has(kind)) {
    return unordered(
      column,
      name,
      (text, bind) => `hex(${name}) = ${bind.text(requireBytes(text, column).toString("hex").toUpperCase())}`,
    );
  }
  if (INTEGERS.has(kind) || DECIMALS.has(kind)) {
    return plain(name, { read: decimal, write: (text, bind) => number(text, column, bind) });
  }
  switch (kind) {
    case "float":
    case "double":
      return plain(name, {
        text: castTo(castTo(name, "double"), "char"),
        read: (text, bind) => bind.number(Number(text)),
        write: (text, bind) => {
          requireNumber(text, column);
          // A float is compared with the float of its shortest text.
          return kind === "float" ? castTo(bind.text(text), "float") : castTo(bind.text(text), "double");
        },
      });
    case "year":
    case "bit":
    case "enum":
    case "set":
      return numbered(column, name, kind);
    case "date":
      return plain(name, {
        read: asText,
        write: (text, bind) => {
          requireTime(text, column, DATED);
          return bind.text(text.slice(0, 10));
        },
      });
    case "datetime":
    case "timestamp":
      return plain(name, {
        read: asText,
        write: (text, bind) => storedTime(text, column, bind),
      });
    case "time":
      return plain(name, { read: (text, bind) => castTo(bind.text(text), "time(6)") });
    case "json": {
      const value = jsonOrder(name);
      const order = [{ value, text: castTo(value, "char"), read: asJson }];
      return jsonValues(name, { order, exactText: castTo(name, "char") }, (bind, text) => ({
        equal: `${name} = ${asJson(text, bind)}`,
      }));
    }
    default:
      if (type.endsWith(MARIADB_JSON)) {
        const value = `left(${name}, ${ORDER_CHARS})`;
        return jsonValues(name, { order: [{ value, text: value, read: asText }], exactText: name }, (bind, text) => ({
          // In MariaDB, NULL equals anything here.
          equal: `(${name} is not null and json_equals(${name}, ${bind.text(text)}))`,
        }));
      }
      if (orderPrefix !== null) {
        const value = `left(${name}, ${orderPrefix})`;
        return {
          ...plain(name, { read: asText }),
          order: [{ value, text: value, read: asText }],
          exactText: castTo(name, "char"),
        };
      }
      return plain(name, { read: asText });
  }
}

/** A column converts a text to its type, and strict mode refuses what does not fit. */
function toStored(text: string, column: EntityColumn, bind: Bind): string {
  const kind = kindOf(column);
  if (INTEGERS.has(kind)) requireInteger(text, column);
  if (BYTES.has(kind) || SHAPES.has(kind)) return hexBytes(text, column, bind);
  switch (kind) {
    case "date":
      requireTime(text, column, DATED);
      return bind.text(text.slice(0, 10));
    case "datetime":
    case "timestamp":
      return storedTime(text, column, bind);
    case "bit":
      return storedBits(text, column, bind);
    default:
      return bind.text(text);
  }
}

function kindOf({ type }: EntityColumn): string {
  return /^[a-z0-9]+/.exec(type.toLowerCase())?.[0] ?? "";
}

function storedTime(text: string, column: EntityColumn, bind: Bind): string {
  requireTime(text, column, DATED);
  return bind.text(text.replace("T", " ").replace(/(?:Z|\+00:00)$/, ""));
}

function storedBits(text: string, column: EntityColumn, bind: Bind): string {
  if (!/^[01]+$/.test(text)) throw badValue(column, "bits such as 101");
  return castTo(`conv(${bind.text(text)}, 2, 10)`, "unsigned");
}

type PlainTexts = { text?: string; read: ToSql; write?: ToSql };

/** Returns the SQL of a column that is ordered and compared by one value. @param value expression of the order */
function plainValues(name: string, value: string, texts: PlainTexts): ColumnValues {
  const { text = castTo(value, "char"), read, write = read } = texts;
  return comparedBy(name, [{ value, text, read }], write);
}

/** Rows are ordered by the number behind the text, and compared only by it. */
function numbered(column: EntityColumn, name: string, kind: "year" | "bit" | "enum" | "set"): ColumnValues {
  const value = castTo(name, "unsigned");
  const bits: ToSql = (text, bind) => storedBits(text, column, bind);
  const write = kind === "bit" ? bits : kind === "year" ? unsigned : asText;
  const compared = kind === "enum" || kind === "set" ? name : value;
  return {
    ...plainValues(compared, value, { read: unsigned, write }),
    isNull: `${name} is null`,
  };
}

/** @param orderPrefix bytes by which rows are ordered; null for whole values */
function bytes(column: EntityColumn, name: string, orderPrefix: number | null): ColumnValues {
  const value = orderPrefix === null ? name : `left(${name}, ${orderPrefix})`;
  return {
    ...plainValues(name, value, { read: asText, write: (text, bind) => hexBytes(text, column, bind) }),
    order: [{ value, text: `hex(${value})`, read: (text, bind) => `unhex(${bind.text(text)})` }],
    exactText: `hex(${name})`,
  };
}

/** Returns the prefix length by which rows are ordered, or null where whole values are. */
function orderPrefixOf({ type, primaryKey }: EntityColumn, kind: string): number | null {
  // An index on a key provides its order, and a key has at most 3072 bytes.
  if (primaryKey) return null;
  const declared = Number(/\((\d+)\)/.exec(type)?.[1] ?? Number.NaN);
  switch (kind) {
    case "text":
    case "mediumtext":
    case "longtext":
      return ORDER_CHARS;
    case "varchar":
      return declared > WHOLE_CHARS_MAX ? ORDER_CHARS : null;
    case "blob":
    case "mediumblob":
    case "longblob":
    case "vector":
      return ORDER_BYTES;
    case "varbinary":
      return declared > ORDER_BYTES ? ORDER_BYTES : null;
    default:
      return null;
  }
}

/**
 * Returns an expression for JSON that ORDER BY compares as a whole. MySQL sorts objects and arrays in no fixed order
 * and cuts long texts, so these are ordered by the start of their text.
 */
function jsonOrder(name: string): string {
  const text = castTo(name, "char");
  const isLong = `json_type(${name}) in ('OBJECT', 'ARRAY') or char_length(${text}) > ${ORDER_CHARS}`;
  const prefix = `left(case when json_type(${name}) = 'STRING' then json_unquote(${name}) else ${text} end, ${ORDER_CHARS})`;
  return `case when ${isLong} then ${castTo(`json_quote(${prefix})`, "json")} else ${name} end`;
}

function hexBytes(text: string, column: EntityColumn, bind: Bind): string {
  return `unhex(${bind.text(requireBytes(text, column).toString("hex"))})`;
}

function jsonValues(
  name: string,
  ordered: Pick<ColumnValues, "order" | "exactText">,
  toEqual: (bind: Bind, text: string) => { equal: string },
): ColumnValues {
  return {
    ...ordered,
    is: (text, bind) =>
      `(${jsonReadings(text)
        .map((each) => toEqual(bind, each).equal)
        .join(" or ")})`,
    compare: (sign, text, bind) => `${name} ${sign} ${bind.text(text)}`,
    // A page shows both as null.
    isNull: `(${name} is null or ${toEqual({ text: () => "'null'", number: String }, "null").equal})`,
  };
}

const asText = (text: string, bind: Bind) => bind.text(text);
const asJson = (text: string, bind: Bind) => castTo(bind.text(text), "json");
const unsigned = (text: string, bind: Bind) => castTo(bind.text(text), "unsigned");

/** Returns a number of any size, exact in every digit. */
function decimal(text: string, bind: Bind): string {
  const scale = Math.min((text.split(".")[1] ?? "").length, DECIMAL_SCALE);
  return castTo(bind.text(text), `decimal(${DECIMAL_DIGITS}, ${scale})`);
}

function number(text: string, column: EntityColumn, bind: Bind): string {
  requireNumber(text, column);
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(text)) return bind.number(Number(text));
  return decimal(text, bind);
}
