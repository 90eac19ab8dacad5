import type { CellValue } from "../../../values/json-rows.ts";
import type { Dialect } from "../dialect.ts";
import {
  BACKTICK_NAME,
  COMMON,
  DIGITS,
  ESCAPED_STRING,
  NAME,
  STANDARD_RULES,
  UNICODE_LETTER,
  UNICODE_SPACE,
} from "../shared.ts";

/** ClickHouse treats two more characters as spaces. */
const LETTER = UNICODE_LETTER.replace(String.raw`\u0080-\u009f`, String.raw`\u0080-\u0084\u0086-\u009f`).replace(
  String.raw`\u1681-\u1fff`,
  String.raw`\u1681-\u180d\u180f-\u1fff`,
);

export const clickhouse: Dialect = {
  ...COMMON,
  lexical: {
    ...STANDARD_RULES,
    space: new RegExp(String.raw`[\t-\r \u0085\u180e${UNICODE_SPACE}]+`, "y"),
    lineComment: /(?:--|\/\/|#(?=[\s!]))[^\n]*/y,
    nestedComments: true,
    quotes: {
      "'": ESCAPED_STRING,
      '"': { ...NAME, escapes: true },
      "`": { ...BACKTICK_NAME, escapes: true },
      "‘": { kind: "string", close: "’", escapes: false, doubles: false },
      "“": { kind: "name", close: "”", escapes: false, doubles: false },
    },
    prefixes: DIGITS,
    dollarTag: /\$[A-Za-z0-9_]*\$/y,
    bareTags: true,
    // `$a` and `1a` are names.
    word: new RegExp(
      String.raw`(?!\d[\d_]*(?:[eE]\d*)?(?![\w$])|0[xX][\da-fA-F_]+(?:[pP]\d*)?(?![\w$])|0[bB][01_]+(?![\w$]))[\d$][\w$]*|[A-Za-z_${LETTER}][A-Za-z0-9_$${LETTER}]*`,
      "y",
    ),
  },
  typedTimes: false,
  position: "position",
  editor: {
    base: "StandardSQL",
    changes: {
      backslashEscapes: true,
      hashComments: true,
      slashComments: true,
      doubleDollarQuotedStrings: true,
      identifierQuotes: '`"',
    },
  },
  formatter: "clickhouse",
  toBytes: (hex) => `unhex('${hex}')`,
  toDay: (text) => `toDate(${text})`,
  toCell: ({ value }, quote) => (typeof value === "object" ? toLiteral(value, quote) : null),
  // There is no ESCAPE.
  toContains: (column, text) => `positionCaseInsensitiveUTF8(toString(${column}), ${text}) > 0`,
  // A column that is not Nullable has its type's default there, and read-only queries cannot set join_use_nulls.
  toOptional: (column, type) => (WITHOUT_NULL.test(type) ? column : `toNullable(${column})`),
  // Literals with a point are Float64.
  toNumber: (digits, type) =>
    type.includes("Decimal(") && digits.length > FLOAT_DIGITS ? toDecimal256(digits) : digits,
  // A calculation with one float is in floats.
  toConstant: (digits, types) =>
    digits.includes(".") && types.every((type) => EXACT.test(type)) ? toDecimal256(digits) : digits,
  toGrain: (column, grain) =>
    ({
      day: `toDate(${column})`,
      week: `toMonday(${column})`,
      month: `toStartOfMonth(${column})`,
      quarter: `toStartOfQuarter(${column})`,
      year: `toYear(${column})`,
    })[grain],
};

/** Types whose calculations with a decimal are exact. Integers of more than 64 bits take none. */
const EXACT = /^(?:LowCardinality\(|Nullable\()*(?:U?Int(?:8|16|32|64)\b|Decimal)/;
/** Digits of a Decimal256. */
const DECIMAL_DIGITS = /^-?[\d.]{1,76}$/;

function toDecimal256(digits: string): string {
  if (!DECIMAL_DIGITS.test(digits)) return digits;
  return `toDecimal256('${digits}', ${digits.split(".")[1]?.length ?? 0})`;
}

/** Digits of a decimal that a Float64 keeps. */
const FLOAT_DIGITS = 15;
/** Types that cannot be in Nullable. */
const WITHOUT_NULL =
  /^(?:Array|Map|Tuple|Nested|JSON|Object|Variant|Dynamic|AggregateFunction|Point|Ring|LineString|MultiLineString|Polygon|MultiPolygon)\b/;

function toLiteral(value: CellValue, quote: (text: string) => string): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `[${value.map((item) => toLiteral(item, quote)).join(", ")}]`;
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).flatMap(([key, item]) => [quote(key), toLiteral(item, quote)]);
  return `map(${parts.join(", ")})`;
}
