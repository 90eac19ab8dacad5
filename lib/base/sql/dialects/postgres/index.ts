import type { Dialect } from "../dialect.ts";
import { STANDARD_METRICS } from "../metric-sql.ts";
import {
  COMMON,
  DATE_TYPES,
  DIGITS,
  DOLLAR_TAG,
  ESCAPED_STRING,
  STANDARD_RULES,
  toLastRows,
  WHOLE_COMMENT,
} from "../shared.ts";
import { arrayText, toEra } from "./values.ts";

/** Types without equality or order. */
const INCOMPARABLE = /^(?:json|xml|point|line|lseg|box|path|polygon|circle)(?:\[\])*$/;

export const postgres: Dialect = {
  ...COMMON,
  lexical: {
    ...STANDARD_RULES,
    space: /[\t-\r ]+/y,
    nestedComments: true,
    prefixes: { e: ESCAPED_STRING, E: ESCAPED_STRING, ...DIGITS },
    stringGap: new RegExp(String.raw`(?:[ \t\f\v]|${WHOLE_COMMENT})*[\n\r](?:[\t-\r ]|${WHOLE_COMMENT})*(?=')`, "y"),
    dollarTag: DOLLAR_TAG,
    // PostgreSQL reads spaces beyond ASCII as letters.
    word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
    bodies: "atomic",
  },
  typedTimes: false,
  metrics: STANDARD_METRICS,
  // A number with a point is not equal to the REAL of the same digits.
  toNumber: (digits, type) =>
    /^(?:real|float4)$/i.test(type) && isInReal(Number(digits)) ? `cast(${digits} as real)` : digits,
  // It has a sum of money, but no average, and compares it with money alone.
  toNumeric: (value, type) => (type === "money" ? `cast(${value} as numeric)` : value),
  toGroupable: (value, type) => (INCOMPARABLE.test(type) ? `cast(${value} as text)` : value),
  toLastRows,
  position: "strpos",
  editor: { base: "PostgreSQL" },
  formatter: "postgresql",
  toBytes: (hex) => `'\\x${hex}'`,
  toCell({ value, text, type, dbType }, quote) {
    if (Array.isArray(value)) {
      return type === "array" ? quote(arrayText(value, /^(?:date|timestamp)/i.test(dbType))) : null;
    }
    if (typeof value === "object") return null;
    if (dbType === "xid8") return quote(text);
    const era = DATE_TYPES.has(type) ? toEra(text) : null;
    return era === null ? null : quote(era);
  },
  // Enums are not comparable with a text.
  toTextColumn: (column) => `${column}::text`,
};

/** Whether REAL has a number near this one. It refuses others. */
function isInReal(value: number): boolean {
  const near = Math.fround(value);
  return Number.isFinite(near) && (near !== 0 || value === 0);
}
