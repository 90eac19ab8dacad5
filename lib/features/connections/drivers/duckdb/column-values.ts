import { fromDuckDbJson, toDuckDbInterval } from "@/lib/base/sql/dialects/duckdb/values";
import type { EntityColumn } from "@/lib/base/values/fields";
import {
  ANY_TIME,
  type Bind,
  type ColumnValues,
  jsonReadings,
  requireBoolean,
  requireBytes,
  requireInteger,
  requireNumber,
  requireTime,
  type TableValues,
  toEra,
} from "../../column-values";
import { comparedBy, unordered } from "../shared/compared-values";
import { castTo } from "../shared/variables";

/** Digits of DuckDB's widest decimal. */
const DECIMAL_DIGITS = 38;
/** Types without an order that a statement could express. */
const WITHOUT_ORDER = /^(?:GEOMETRY|VARIANT|UNION\()/i;

/** DuckDB casts the text of every value back to it, and compares it as the type of the column. */
export const duckdbValues: TableValues = {
  nullsLast: " nulls last",
  edits: { emptyRow: "default values", setsDefault: true },
  digest: (texts) => `md5(cast(row(${texts.join(", ")}) as varchar))`,
  of(column, name) {
    const { type } = column;
    const store = (shown: string, bind: Bind) => toStored(shown, column, bind);
    if (/^JSON$/i.test(type)) return { ...jsonValues(name), store };
    if (WITHOUT_ORDER.test(type)) return withoutOrder(column, name);
    const [value, text, read] = orderOf(column, name);
    return { ...comparedBy(name, [{ value, text, read }], (shown, bind) => write(shown, column, bind)), store };
  },
};

function orderOf(
  { type }: EntityColumn,
  name: string,
): [value: string, text: string, read: (text: string, bind: Bind) => string] {
  // An enum type has no name to cast to: its values are ordered by their index.
  if (/^ENUM\(/i.test(type)) {
    const place = `enum_code(${name})`;
    return [place, castTo(place, "varchar"), (text, bind) => castTo(bind.text(text), "bigint")];
  }
  if (/^BLOB$/i.test(type)) return [name, `hex(${name})`, (text, bind) => `unhex(${bind.text(text)})`];
  return [name, castTo(name, "varchar"), (text, bind) => castTo(bind.text(text), type)];
}

function jsonValues(name: string): ColumnValues {
  const text = castTo(name, "varchar");
  return {
    order: [{ value: text, text, read: (given, bind) => bind.text(given) }],
    is: (shown, bind) => isJson(name, shown, bind),
    compare: (sign, shown, bind) => `${text} ${sign} ${bind.text(shown)}`,
    // A page shows both as null.
    isNull: `(${name} is null or ${text} = 'null')`,
  };
}

/** Compares JSON, which DuckDB treats as text, by normalising spaces and numbers on both sides. */
function isJson(expression: string, shown: string, bind: Bind): string {
  const form = (json: string) => `regexp_replace(json(${json})::varchar, '\\.0([,}\\]]|$)', '\\1', 'g')`;
  const readings = jsonReadings(shown).map((each) => form(bind.text(each)));
  return `${form(expression)} in (${readings.join(", ")})`;
}

function withoutOrder(column: EntityColumn, name: string): ColumnValues {
  return unordered(column, name, (shown, bind) => {
    if (/^UNION\(/i.test(column.type)) return `${name} = ${write(shown, column, bind)}`;
    if (/^VARIANT/i.test(column.type)) return isJson(`to_json(${name})`, shown, bind);
    return `hex(cast(${name} as blob)) = ${bind.text(requireBytes(shown, column).toString("hex").toUpperCase())}`;
  });
}

/** Returns the text that a page shows of a column, as an expression of the column's type. */
function write(shown: string, column: EntityColumn, bind: Bind): string {
  const { type } = column;
  if (/^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|DECIMAL.*|FLOAT|DOUBLE)$/i.test(type)) {
    return writeNumber(shown, column, bind);
  }
  if (/^BOOLEAN$/i.test(type)) return castTo(bind.text(String(requireBoolean(shown, column))), "boolean");
  if (/^(?:BLOB)$/i.test(type)) return `unhex(${bind.text(requireBytes(shown, column).toString("hex"))})`;
  if (/^(?:DATE|TIMESTAMP.*)$/i.test(type)) {
    requireTime(shown, column, ANY_TIME);
    return castTo(bind.text(stampText(shown)), type);
  }
  if (/^INTERVAL$/i.test(type)) return castTo(bind.text(toDuckDbInterval(shown)), type);
  if (/^ENUM\(/i.test(type)) return bind.text(shown);
  if (/\]$|^(?:STRUCT|MAP|UNION)\(/i.test(type)) return fromDuckDbJson(bind.text(shown), type);
  return castTo(bind.text(shown), type);
}

/** A number is cast to the column's own type, which keeps its digits; text that is no integer would be rounded. */
function toStored(shown: string, column: EntityColumn, bind: Bind): string {
  const { type } = column;
  if (/^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/i.test(type)) requireInteger(shown, column);
  else if (/^(?:DECIMAL.*|FLOAT|DOUBLE|BIGNUM)$/i.test(type)) requireNumber(shown, column);
  else return write(shown, column, bind);
  return castTo(bind.text(shown), type);
}

function writeNumber(shown: string, column: EntityColumn, bind: Bind): string {
  requireNumber(shown, column);
  const { type } = column;
  if (/^(?:FLOAT|DOUBLE|BIGNUM|UHUGEINT)$/i.test(type)) return castTo(bind.text(shown), type);
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(shown)) return castTo(bind.text(shown), "double");
  const [whole = "", fraction = ""] = shown.replace(/^[+-]/, "").split(".");
  if (fraction === "") return castTo(bind.text(shown), "hugeint");
  const scale = Math.min(fraction.length, Math.max(DECIMAL_DIGITS - whole.length, 0));
  return castTo(bind.text(shown), `decimal(${DECIMAL_DIGITS}, ${scale})`);
}

/** Returns DuckDB's timestamp text: the era follows the date, and the time is not preceded by T. */
function stampText(shown: string): string {
  const { text, isBc } = toEra(shown);
  if (!isBc) return text;
  const [, date = text, time = ""] = /^(\d+-\d\d-\d\d)(.*)$/.exec(text) ?? [];
  return `${date} (BC)${time.replace("T", " ")}`;
}
