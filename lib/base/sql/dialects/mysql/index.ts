import type { Dialect } from "../dialect.ts";
import { MYSQL_METRICS } from "../metric-sql.ts";
import { BACKTICK_NAME, COMMON, ESCAPED_STRING, STANDARD_RULES, toLastRows } from "../shared.ts";
import { RESERVED_WORDS } from "./reserved-words.ts";

/**
 * MySQL and MariaDB. The lexical rules are exact to the byte (their sql_lex.cc), since the checks must read what the
 * server reads. Valid for sessions with character set utf8mb4, and without ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
 */
export const mysql: Dialect = {
  ...COMMON,
  lexical: {
    ...STANDARD_RULES,
    space: /[\t-\r ]+/y,
    // `--` needs white space, a control character or the end of the text after it, so that 5--3 is 8.
    lineComment: /(?:#|--(?![^\0-\x20\x7f]))[^\n]*/y,
    runComments: true,
    quotes: { "'": ESCAPED_STRING, '"': { ...ESCAPED_STRING, close: '"' }, "`": BACKTICK_NAME },
    // Bytes of non-ASCII characters are parts of names, whichever the character: none of them is a space. `1e5x` is a
    // number and a word, `0x1g` and `1x` are names.
    word: /(?!0x[0-9A-Fa-f]+(?![0-9A-Za-z_$\u0080-\uffff])|0b[01]+(?![0-9A-Za-z_$\u0080-\uffff])|\d+(?:[eE][+-]?\d+|(?![0-9A-Za-z_$\u0080-\uffff])))[0-9A-Za-z_$\u0080-\uffff]+/y,
    number: /0x[0-9A-Fa-f]+|0b[01]+|\d+[eE][+-]?\d+|\d+(?:\.\d*(?:[eE][+-]?\d+)?)?|\.\d+(?:[eE][+-]?\d+)?/y,
    serverNames: true,
    bodies: "program",
    delimiterLines: true,
  },
  reserved: RESERVED_WORDS,
  textType: "char",
  typedTimes: false,
  metrics: MYSQL_METRICS,
  toLastRows,
  position: "instr",
  editor: { base: "MySQL" },
  formatter: "mysql",
  toDay: (text) => text,
  toCell({ value, text, type, dbType }, quote) {
    if (typeof value === "object") return null;
    if (/^bit\b/i.test(dbType) && /^[01]+$/.test(text)) return `b'${text}'`;
    return type === "timestamptz" ? quote(text.replace(/Z$/, "")) : null;
  },
  toGrain: (column, grain) =>
    ({
      day: `date(${column})`,
      week: `date_sub(date(${column}), interval weekday(${column}) day)`,
      month: `date_format(${column}, '%Y-%m')`,
      quarter: `concat(year(${column}), '-Q', quarter(${column}))`,
      year: `year(${column})`,
    })[grain],
};
