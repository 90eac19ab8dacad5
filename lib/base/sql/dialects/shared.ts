import type { Dialect, LexicalRules, Quote } from "./dialect.ts";

/** Parts that several dialects have in common. */

/** Characters in the form of a regular expression's class. */
export const UNICODE_SPACE = String.raw`\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff`;
/** Every other character beyond ASCII. */
export const UNICODE_LETTER = String.raw`\u0080-\u009f\u00a1-\u167f\u1681-\u1fff\u200e-\u2027\u202a-\u202e\u2030-\u205e\u2061-\u2fff\u3001-\ufefe\uff00-\uffff`;

export const STRING: Quote = { kind: "string", close: "'", escapes: false, doubles: true };
export const ESCAPED_STRING: Quote = { ...STRING, escapes: true };
/** `x'..'` and `b'..'` end at the first quote. */
export const DIGITS: LexicalRules["prefixes"] = Object.fromEntries(
  [..."xXbB"].map((letter) => [letter, { ...STRING, doubles: false }]),
);
export const NAME: Quote = { kind: "name", close: '"', escapes: false, doubles: true };
export const BACKTICK_NAME: Quote = { ...NAME, close: "`" };

/** The rules of the SQL standard. */
export const STANDARD_RULES: LexicalRules = {
  space: new RegExp(String.raw`[\t-\r ${UNICODE_SPACE}]+`, "y"),
  lineComment: /--[^\n\r]*/y,
  nestedComments: false,
  runComments: false,
  quotes: { "'": STRING, '"': NAME },
  prefixes: {},
  stringGap: null,
  dollarTag: null,
  bareTags: false,
  placeholder: null,
  word: new RegExp(`[A-Za-z_${UNICODE_LETTER}][A-Za-z0-9_$${UNICODE_LETTER}]*`, "y"),
  number: /0[xX][0-9a-fA-F_]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?\.?/y,
  serverNames: false,
  bodies: null,
  delimiterLines: false,
};

/** Part of a comment up to the end of its line, if it has one: a shorter match is not a comment. */
export const WHOLE_COMMENT = String.raw`--[^\n\r]*(?=[\n\r])`;
/** PostgreSQL's tag of a dollar-quoted string. */
export const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/** The SQL of most databases; each dialect states what differs from it. */
export const COMMON: Omit<Dialect, "lexical" | "position" | "editor" | "formatter"> = {
  reserved: new Set(),
  textType: "varchar",
  booleanWords: true,
  typedTimes: true,
  functions: [],
  toBytes: (hex) => `x'${hex}'`,
  toDay: (text) => `date ${text}`,
  toPage: (rows, skipped) => (skipped === 0 ? ` limit ${rows}` : ` limit ${rows} offset ${skipped}`),
  toGrain: (column, grain) =>
    grain === "year" ? `extract(year from ${column})` : `cast(date_trunc('${grain}', ${column}) as date)`,
};

/** Product types of values with a date. */
export const DATE_TYPES: ReadonlySet<string> = new Set(["date", "timestamp", "timestamptz"]);

/**
 * Splits a time before the year 1 or after 9999, for databases that name the era and write long years without a sign:
 * ISO counts 1 BC as the year 0.
 * @returns null for any other text
 */
export function farTime(text: string): { date: string; time: string; isBeforeChrist: boolean } | null {
  const [, year = "", day = "", time = ""] = /^([+-]\d{6}|0000)(-\d\d-\d\d)(.*)$/.exec(text) ?? [];
  if (year === "") return null;
  const isBeforeChrist = Number(year) <= 0;
  const written = isBeforeChrist ? String(1 - Number(year)).padStart(4, "0") : String(Number(year));
  return { date: `${written}${day}`, time, isBeforeChrist };
}

/** The last rows by an index. */
export const toLastRows: NonNullable<Dialect["toLastRows"]> = (key, _table, rows) =>
  ` order by ${key} desc limit ${rows}`;
