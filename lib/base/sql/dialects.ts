/*
 * How databases write SQL, as data for the one lexer (`lexer.ts`) and the one splitter (`statements.ts`). Each entry is
 * held against the database's own reading by a property test.
 */

/** `standard` is for engines that add nothing to the strings, names and comments of the SQL standard. */
export const SQL_DIALECTS = ["standard", "duckdb", "postgres", "mysql", "sqlite", "clickhouse", "trino"] as const;
export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** What an opening quote begins. */
export type Quote = {
  kind: "string" | "name";
  close: string;
  /** A backslash takes the next character with it. */
  escapes: boolean;
  /** Twice, the closing quote stands for itself. */
  doubles: boolean;
};

/** All patterns are sticky and match at least one character. */
export type DialectRules = {
  space: RegExp;
  /** A comment of one line, without the end of the line. */
  lineComment: RegExp;
  nestedComments: boolean;
  /** `/*! ... *\/` and MariaDB's `/*M! ... *\/` are run by the server. */
  runComments: boolean;
  quotes: Readonly<Record<string, Quote>>;
  /** Letters that belong to the single quote right behind them, and change how it is read. */
  prefixes: Readonly<Record<string, Quote>>;
  /** What may stand between two parts of one string, up to the quote of the second: a line has to end there. */
  stringGap: RegExp | null;
  /** The tag that opens and closes a string of its own. */
  dollarTag: RegExp | null;
  /** A tag that nothing closes is no string to ClickHouse, but a word. */
  bareTags: boolean;
  /** A placeholder with what belongs to it: `$a::b(c)` is one to SQLite, whatever stands in the brackets. */
  placeholder: RegExp | null;
  word: RegExp;
  number: RegExp;
  /** MySQL's `@a`, `@'a'`, `@@a`; and no word is a keyword that has a dot at its side or begins with a digit. */
  serverNames: boolean;
  /** Which statements hold semicolons of their own (`bodies.ts`). */
  bodies: "trigger" | "atomic" | "program" | null;
  /** The line `DELIMITER //` of MySQL's clients. */
  delimiterLines: boolean;
};

/** Characters as they stand in a class of a pattern. */
const UNICODE_SPACE = String.raw`\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff`;
/** Whatever is beyond ASCII and none of those. */
const UNICODE_LETTER = String.raw`\u0080-\u009f\u00a1-\u167f\u1681-\u1fff\u200e-\u2027\u202a-\u202e\u2030-\u205e\u2061-\u2fff\u3001-\ufefe\uff00-\uffff`;
/** Two more are spaces to ClickHouse. */
const CLICKHOUSE_LETTER = UNICODE_LETTER.replace(
  String.raw`\u0080-\u009f`,
  String.raw`\u0080-\u0084\u0086-\u009f`,
).replace(String.raw`\u1681-\u1fff`, String.raw`\u1681-\u180d\u180f-\u1fff`);

const STRING: Quote = { kind: "string", close: "'", escapes: false, doubles: true };
const ESCAPED_STRING: Quote = { ...STRING, escapes: true };
/** `x'..'` and `b'..'` end at the first quote. */
const DIGITS: DialectRules["prefixes"] = Object.fromEntries(
  [..."xXbB"].map((letter) => [letter, { ...STRING, doubles: false }]),
);
const NAME: Quote = { kind: "name", close: '"', escapes: false, doubles: true };
const BACKTICK_NAME: Quote = { ...NAME, close: "`" };

const STANDARD: DialectRules = {
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

/** What of a comment stands up to the end of its line, where it has one: a shorter piece of it is none. */
const WHOLE_COMMENT = String.raw`--[^\n\r]*(?=[\n\r])`;

export const DIALECT_RULES: Readonly<Record<SqlDialect, DialectRules>> = {
  standard: STANDARD,
  trino: { ...STANDARD, dollarTag: /\$\$/y, bodies: "program" },
  duckdb: {
    ...STANDARD,
    nestedComments: true,
    prefixes: { e: ESCAPED_STRING, E: ESCAPED_STRING },
    stringGap: new RegExp(String.raw`(?:[ \t\f\v]|${WHOLE_COMMENT})*[\n\r](?:\s|${WHOLE_COMMENT})*(?=')`, "y"),
    dollarTag: /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y,
  },
  postgres: {
    ...STANDARD,
    space: /[\t-\r ]+/y,
    nestedComments: true,
    prefixes: { e: ESCAPED_STRING, E: ESCAPED_STRING, ...DIGITS },
    stringGap: new RegExp(String.raw`(?:[ \t\f\v]|${WHOLE_COMMENT})*[\n\r](?:[\t-\r ]|${WHOLE_COMMENT})*(?=')`, "y"),
    dollarTag: /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y,
    // Spaces beyond ASCII are letters to it.
    word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
    bodies: "atomic",
  },
  sqlite: {
    ...STANDARD,
    // Anything else beyond ASCII is a letter to SQLite, and the vertical tab is nothing.
    space: /[ \t\n\f\r\ufeff]+/y,
    lineComment: /--[^\n]*/y,
    quotes: {
      "'": STRING,
      '"': NAME,
      "`": BACKTICK_NAME,
      // There is no way to write a closing one inside.
      "[": { kind: "name", close: "]", escapes: false, doubles: false },
    },
    placeholder: /[$@#:](?:::)*(?:[A-Za-z0-9_$\u0080-\uffff](?:[A-Za-z0-9_$\u0080-\uffff]|::)*(?:\([^\t-\r )]*\)?)?)?/y,
    word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
    bodies: "trigger",
  },
  /*
   * MySQL and MariaDB, byte for byte (their sql_lex.cc): guards have to see what the server sees. It holds for sessions
   * whose character set is utf8mb4 and that have no ANSI_QUOTES and no NO_BACKSLASH_ESCAPES.
   */
  mysql: {
    ...STANDARD,
    space: /[\t-\r ]+/y,
    // After `--`: white space and control characters, and the end of the text; so that 5--3 is 8.
    lineComment: /(?:#|--(?![^\0-\x20\x7f]))[^\n]*/y,
    runComments: true,
    quotes: { "'": ESCAPED_STRING, '"': { ...ESCAPED_STRING, close: '"' }, "`": BACKTICK_NAME },
    // Bytes of other characters than ASCII's are parts of names, whatever the character is: no space is among them.
    // `1e5x` is a number and a word, `0x1g` and `1x` are names.
    word: /(?!0x[0-9A-Fa-f]+(?![0-9A-Za-z_$\u0080-\uffff])|0b[01]+(?![0-9A-Za-z_$\u0080-\uffff])|\d+(?:[eE][+-]?\d+|(?![0-9A-Za-z_$\u0080-\uffff])))[0-9A-Za-z_$\u0080-\uffff]+/y,
    number: /0x[0-9A-Fa-f]+|0b[01]+|\d+[eE][+-]?\d+|\d+(?:\.\d*(?:[eE][+-]?\d+)?)?|\.\d+(?:[eE][+-]?\d+)?/y,
    serverNames: true,
    bodies: "program",
    delimiterLines: true,
  },
  clickhouse: {
    ...STANDARD,
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
    // `$a` and `1a` are names to it.
    word: new RegExp(
      String.raw`(?!\d[\d_]*(?:[eE]\d*)?(?![\w$])|0[xX][\da-fA-F_]+(?:[pP]\d*)?(?![\w$])|0[bB][01_]+(?![\w$]))[\d$][\w$]*|[A-Za-z_${CLICKHOUSE_LETTER}][A-Za-z0-9_$${CLICKHOUSE_LETTER}]*`,
      "y",
    ),
  },
};
