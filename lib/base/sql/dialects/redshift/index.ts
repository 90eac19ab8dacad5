import type { Dialect } from "../dialect.ts";
import { postgres } from "../postgres/index.ts";
import { toEra } from "../postgres/values.ts";
import { COMMON, DATE_TYPES, ESCAPED_STRING, NAME } from "../shared.ts";
import { RESERVED_WORDS } from "./reserved-words.ts";

/** Amazon Redshift, whose SQL began as that of PostgreSQL 8.0: a backslash escapes the next letter of every string. */
export const redshift: Dialect = {
  ...COMMON,
  lexical: { ...postgres.lexical, quotes: { "'": ESCAPED_STRING, '"': NAME }, prefixes: {}, bodies: null },
  reserved: RESERVED_WORDS,
  // A cast to varchar without a length cuts the text after 256 bytes.
  textType: "varchar(65535)",
  typedTimes: false,
  position: "strpos",
  editor: { base: "PostgreSQL", changes: { backslashEscapes: true } },
  formatter: "redshift",
  functions: [
    ...["convert_timezone", "dateadd", "datediff", "decode", "getdate", "json_extract_path_text"],
    ...["json_parse", "listagg", "median", "nvl", "nvl2", "percentile_disc", "ratio_to_report", "trunc"],
  ],
  toGroupable: (value, type) => {
    if (/^super$/i.test(type)) return `json_serialize(${value})`;
    return /^geo(?:metry|graphy)$/i.test(type) ? `st_astext(${value})` : value;
  },
  toBytes: (hex) => `from_hex('${hex}')`,
  toCell({ value, text, type }, quote) {
    if (typeof value === "object") return `json_parse(${quote(JSON.stringify(value))})`;
    const era = DATE_TYPES.has(type) ? toEra(text) : null;
    return era === null ? null : quote(era);
  },
};
