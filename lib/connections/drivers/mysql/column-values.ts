import type { EntityColumn } from "@/lib/tabular/fields";
import {
  type Bind,
  badValue,
  type ColumnValues,
  jsonReadings,
  requireBytes,
  requireNumber,
  type TableValues,
} from "../../column-values";
import { castTo } from "../shared/variables";

/** MySQL's widest decimal. */
const DECIMAL_DIGITS = 65;
const DECIMAL_SCALE = 30;
/** The mark that `catalog.ts` puts behind the type of MariaDB's columns of JSON. */
export const MARIADB_JSON = "/* json */";

/** MySQL compares a column with a text by rules of each type, so most values are cast. */
export const mysqlValues: TableValues = {
  nullsLast: null,
  digest: (texts) =>
    `md5(concat_ws(',', ${texts.map((text) => `coalesce(hex(cast(${text} as binary)), '-')`).join(", ")}))`,
  of(column, name) {
    const type = column.type.toLowerCase();
    const kind = /^[a-z0-9]+/.exec(type)?.[0] ?? "";
    const isNull = `${name} is null`;
    const plain = (
      value: string,
      {
        text = castTo(value, "char"),
        read,
        write = read,
      }: {
        text?: string;
        read: (text: string, bind: Bind) => string;
        write?: (text: string, bind: Bind) => string;
      },
    ): ColumnValues => ({
      order: [{ value, text, read }],
      is: (given, bind) => `${name} = ${write(given, bind)}`,
      compare: (sign, given, bind) => `${name} ${sign} ${write(given, bind)}`,
      isNull,
    });
    const asText = (text: string, bind: Bind) => bind.text(text);
    switch (kind) {
      case "tinyint":
      case "smallint":
      case "mediumint":
      case "int":
      case "bigint":
      case "decimal":
      case "numeric":
        return plain(name, { read: decimal, write: (text, bind) => number(text, column, bind) });
      case "float":
      case "double":
        return plain(name, {
          text: castTo(castTo(name, "double"), "char"),
          read: (text, bind) => bind.number(Number(text)),
          write: (text, bind) => {
            requireNumber(text, column);
            // A float is compared with the float of the shortest text that stands for it.
            return kind === "float" ? castTo(bind.text(text), "float") : castTo(bind.text(text), "double");
          },
        });
      case "year":
      case "bit":
      case "enum":
      case "set": {
        // Rows are ordered by the number behind the text, and compared by it alone.
        const value = castTo(name, "unsigned");
        const order = [{ value, text: castTo(value, "char"), read: unsigned }];
        const write = kind === "year" ? unsigned : asText;
        if (kind === "bit") {
          const bits = (text: string, bind: Bind) => {
            if (!/^[01]+$/.test(text)) throw badValue(column, "bits such as 101");
            return castTo(`conv(${bind.text(text)}, 2, 10)`, "unsigned");
          };
          return {
            order,
            is: (text, bind) => `${value} = ${bits(text, bind)}`,
            compare: (sign, text, bind) => `${value} ${sign} ${bits(text, bind)}`,
            isNull,
          };
        }
        const compared = kind === "year" ? value : name;
        return {
          order,
          is: (text, bind) => `${compared} = ${write(text, bind)}`,
          compare: (sign, text, bind) => `${compared} ${sign} ${write(text, bind)}`,
          isNull,
        };
      }
      case "date":
        return plain(name, {
          read: asText,
          write: (text, bind) => {
            requireTime(text, column);
            return bind.text(text.slice(0, 10));
          },
        });
      case "datetime":
      case "timestamp":
        return plain(name, {
          read: asText,
          write: (text, bind) => {
            requireTime(text, column);
            return bind.text(text.replace("T", " ").replace(/(?:Z|\+00:00)$/, ""));
          },
        });
      case "time":
        return plain(name, { read: (text, bind) => castTo(bind.text(text), "time(6)") });
      case "binary":
      case "varbinary":
      case "tinyblob":
      case "blob":
      case "mediumblob":
      case "longblob":
      case "vector":
        return plain(name, {
          text: `hex(${name})`,
          read: (text, bind) => `unhex(${bind.text(text)})`,
          write: (text, bind) => `unhex(${bind.text(requireBytes(text, column).toString("hex"))})`,
        });
      case "json":
        return jsonValues(name, [{ value: name, text: castTo(name, "char"), read: asJson }], (bind, text) => ({
          equal: `${name} = ${asJson(text, bind)}`,
        }));
      case "geometry":
      case "point":
      case "linestring":
      case "polygon":
      case "multipoint":
      case "multilinestring":
      case "multipolygon":
      case "geometrycollection":
        return {
          order: null,
          is: (text, bind) => `hex(${name}) = ${bind.text(requireBytes(text, column).toString("hex").toUpperCase())}`,
          compare: () => {
            throw badValue(column, "is and not alone: its values have no order");
          },
          isNull,
        };
      default:
        if (type.endsWith(MARIADB_JSON)) {
          return jsonValues(name, [{ value: name, text: name, read: asText }], (bind, text) => ({
            // MariaDB holds NULL for equal to anything here.
            equal: `(${name} is not null and json_equals(${name}, ${bind.text(text)}))`,
          }));
        }
        return plain(name, { read: asText });
    }
  },
};

function jsonValues(
  name: string,
  order: ColumnValues["order"],
  toEqual: (bind: Bind, text: string) => { equal: string },
): ColumnValues {
  return {
    order,
    is: (text, bind) =>
      `(${jsonReadings(text)
        .map((each) => toEqual(bind, each).equal)
        .join(" or ")})`,
    compare: (sign, text, bind) => `${name} ${sign} ${bind.text(text)}`,
    // A page shows both as null.
    isNull: `(${name} is null or ${toEqual({ text: () => "'null'", number: String }, "null").equal})`,
  };
}

const asJson = (text: string, bind: Bind) => castTo(bind.text(text), "json");
const unsigned = (text: string, bind: Bind) => castTo(bind.text(text), "unsigned");

/** A number of any size, digit by digit. */
function decimal(text: string, bind: Bind): string {
  const scale = Math.min((text.split(".")[1] ?? "").length, DECIMAL_SCALE);
  return castTo(bind.text(text), `decimal(${DECIMAL_DIGITS}, ${scale})`);
}

function number(text: string, column: EntityColumn, bind: Bind): string {
  requireNumber(text, column);
  if (!/^[+-]?\d+(?:\.\d+)?$/.test(text)) return bind.number(Number(text));
  return decimal(text, bind);
}

function requireTime(text: string, column: EntityColumn): void {
  if (!/^\d{4,}-\d\d-\d\d/.test(text)) throw badValue(column, "a time such as 2026-10-23 18:00");
}
