import {
  type Bind,
  badValue,
  type ColumnValues,
  requireBytes,
  requireNumber,
  type TableValues,
} from "../../column-values";
import { castTo } from "../shared/variables";

/**
 * Any column may contain numbers, texts and bytes, which SQLite orders by their storage class first. The declared type
 * only decides how a text is compared: the sign before a cast disables that rule.
 */
export const sqliteValues: TableValues = {
  nullsLast: " nulls last",
  edits: { emptyRow: "default values", setsDefault: false },
  digest: (texts) => texts.map((text) => `quote(${text})`).join(" || ',' || "),
  of: (column, name): ColumnValues => ({
    order: [
      {
        value: name,
        // SQLite's text functions end at the character of code 0.
        text: `case typeof(${name}) when 'integer' then 'i' || ${name} when 'real' then 'r' || quote(${name})
          when 'blob' then 'b' || hex(${name})
          else case when instr(${name}, char(0)) > 0 then 'h' || hex(${name}) else 't' || ${name} end end`,
        read: (text, bind) => readStored(text, bind),
      },
    ],
    is: (text, bind) => {
      const options = [`${name} = ${bind.text(text)}`];
      const asNumber = toNumber(text, bind);
      if (asNumber !== null) options.push(`(typeof(${name}) in ('integer', 'real') and ${name} = ${asNumber})`);
      const bytes = Buffer.from(text, "base64");
      if (bytes.toString("base64") === text) {
        options.push(`(typeof(${name}) = 'blob' and hex(${name}) = ${bind.text(bytes.toString("hex").toUpperCase())})`);
      }
      return options.length === 1 ? (options[0] ?? "") : `(${options.join(" or ")})`;
    },
    compare: (sign, text, bind) => {
      if (!hasNumbers(column.type)) return `${name} ${sign} ${bind.text(text)}`;
      const number = toNumber(text, bind);
      if (number === null && isNumberType(column.type)) throw badValue(column, "a number");
      return `${name} ${sign} ${number ?? bind.text(text)}`;
    },
    isNull: `${name} is null`,
    store: (text, bind) => {
      if (isNumberType(column.type)) requireNumber(text, column);
      if (/^blob$/i.test(column.type)) return `unhex(${bind.text(requireBytes(text, column).toString("hex"))})`;
      // The type of the column converts a text; a column without one stores what it gets.
      return (column.type === "" ? toNumber(text, bind) : null) ?? bind.text(text);
    },
  }),
};

/** Returns whether a column may store a number as one (SQLite's page "Datatypes", section 3.1). */
function hasNumbers(type: string): boolean {
  return /int/i.test(type) || !/char|clob|text/i.test(type);
}

function isNumberType(type: string): boolean {
  return /int|real|floa|doub|dec|num/i.test(type);
}

function readStored(text: string, bind: Bind): string {
  const value = text.slice(1);
  switch (text.charAt(0)) {
    case "i":
      return `+${castTo(bind.text(value), "integer")}`;
    case "r":
      return Number.isFinite(Number(value)) && !/^-?9\.0e\+999$/.test(value)
        ? `+${castTo(bind.text(value), "real")}`
        : infinity(value.startsWith("-"));
    case "b":
      return `unhex(${bind.text(value)})`;
    case "h":
      return `+${castTo(`unhex(${bind.text(value)})`, "text")}`;
    default:
      return bind.text(value);
  }
}

function toNumber(text: string, bind: Bind): string | null {
  if (/^-?Infinity$/.test(text)) return infinity(text.startsWith("-"));
  if (/^[+-]?\d{1,18}$/.test(text)) return `+${castTo(bind.text(text), "integer")}`;
  if (text.trim() === "" || !Number.isFinite(Number(text))) return null;
  // All digits of a 64-bit integer; beyond that a double, as SQLite stores it.
  if (/^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) {
    return `+${castTo(bind.text(text), "integer")}`;
  }
  return `+${castTo(bind.text(text), "real")}`;
}

function infinity(isNegative: boolean): string {
  return isNegative ? "-9e999" : "9e999";
}
