import type { Dialect } from "../dialect.ts";
import { DUCKDB_METRICS } from "../metric-sql.ts";
import { COMMON, DATE_TYPES, DOLLAR_TAG, ESCAPED_STRING, farTime, STANDARD_RULES, WHOLE_COMMENT } from "../shared.ts";
import { fromDuckDbJson, toDuckDbInterval } from "./values.ts";

const DOCUMENT = /^jsonb?$/i;

export const duckdb: Dialect = {
  ...COMMON,
  lexical: {
    ...STANDARD_RULES,
    nestedComments: true,
    prefixes: { e: ESCAPED_STRING, E: ESCAPED_STRING },
    stringGap: new RegExp(String.raw`(?:[ \t\f\v]|${WHOLE_COMMENT})*[\n\r](?:\s|${WHOLE_COMMENT})*(?=')`, "y"),
    dollarTag: DOLLAR_TAG,
  },
  metrics: DUCKDB_METRICS,
  // It has no index in order, but the least and largest value of each part of a column.
  toLastRows: (key, table, rows) => ` where ${key} > (select max(${key}) - ${rows} from ${table}) limit ${rows}`,
  position: "strpos",
  // Its grammar is PostgreSQL's.
  editor: { base: "PostgreSQL" },
  formatter: "duckdb",
  // No statement may contain the character of code 0.
  toText: (text, quote) =>
    text.includes("\0") ? `(${text.split("\0").map(quote).join(" || chr(0) || ")})` : quote(text),
  toBytes: (hex) => `unhex('${hex}')`,
  toCell({ value, text, type, dbType }, quote) {
    if (typeof value === "object") {
      return dbType === "" || DOCUMENT.test(dbType) ? null : fromDuckDbJson(quote(JSON.stringify(value)), dbType);
    }
    if (type === "interval") return quote(toDuckDbInterval(text));
    const far = DATE_TYPES.has(type) ? farTime(text) : null;
    if (far === null) return null;
    const { date, time, isBeforeChrist } = far;
    return quote(isBeforeChrist ? `${date} (BC)${time.replace("T", " ")}` : `${date}${time}`);
  },
};
