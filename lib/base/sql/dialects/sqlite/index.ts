import type { Dialect } from "../dialect.ts";
import { SQLITE_METRICS } from "../metric-sql.ts";
import { BACKTICK_NAME, COMMON, NAME, STANDARD_RULES, STRING, toLastRows } from "../shared.ts";

export const sqlite: Dialect = {
  ...COMMON,
  lexical: {
    ...STANDARD_RULES,
    // SQLite reads every other character beyond ASCII as a letter, and the vertical tab as invalid.
    space: /[ \t\n\f\r\ufeff]+/y,
    lineComment: /--[^\n]*/y,
    quotes: {
      "'": STRING,
      '"': NAME,
      "`": BACKTICK_NAME,
      // A closing bracket cannot be escaped inside.
      "[": { kind: "name", close: "]", escapes: false, doubles: false },
    },
    placeholder: /[$@#:](?:::)*(?:[A-Za-z0-9_$\u0080-\uffff](?:[A-Za-z0-9_$\u0080-\uffff]|::)*(?:\([^\t-\r )]*\)?)?)?/y,
    word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
    bodies: "trigger",
  },
  booleanWords: false,
  typedTimes: false,
  metrics: SQLITE_METRICS,
  toLastRows,
  position: "instr",
  editor: { base: "SQLite" },
  formatter: "sqlite",
  // No statement may contain the character of code 0.
  toText: (text, quote) =>
    text.includes("\0") ? `(${text.split("\0").map(quote).join(" || char(0) || ")})` : quote(text),
  toDay: (text) => text,
  toGrain: (column, grain) =>
    ({
      day: `date(${column})`,
      week: `date(${column}, 'weekday 0', '-6 days')`,
      month: `strftime('%Y-%m', ${column})`,
      quarter: `strftime('%Y', ${column}) || '-Q' || ((cast(strftime('%m', ${column}) as integer) + 2) / 3)`,
      year: `strftime('%Y', ${column})`,
    })[grain],
};
