/*
 * Syntax of each database's SQL, as data for the shared lexer (`lexer.ts`) and splitter (`statements.ts`). A property
 * test compares each entry with the database's behaviour.
 */

/** `standard` is for engines without extensions to the strings, names and comments of the SQL standard. */
export const SQL_DIALECTS = ["standard", "duckdb", "postgres", "mysql", "sqlite", "clickhouse", "trino"] as const;
export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** Rules of an opening quote. */
export type Quote = {
  kind: "string" | "name";
  close: string;
  /** Whether a backslash escapes the next character. */
  escapes: boolean;
  /** Whether a doubled closing quote is an escaped one. */
  doubles: boolean;
};

/** Rules of a dialect. All patterns are sticky and match at least one character. */
export type DialectRules = {
  space: RegExp;
  /** A line comment, without the line break. */
  lineComment: RegExp;
  nestedComments: boolean;
  /** Whether the server runs `/*! ... *\/` and MariaDB's `/*M! ... *\/`. */
  runComments: boolean;
  quotes: Readonly<Record<string, Quote>>;
  /** Letters directly before a single quote that change how the string is read. */
  prefixes: Readonly<Record<string, Quote>>;
  /** Gap between two parts of one string, up to the quote of the second; it must contain a line break. */
  stringGap: RegExp | null;
  /** The tag that opens and closes a dollar-quoted string. */
  dollarTag: RegExp | null;
  /** ClickHouse reads a tag without a closing one as a word, not as a string. */
  bareTags: boolean;
  /** A placeholder with its suffix: SQLite reads `$a::b(c)` as one, with any text in the brackets. */
  placeholder: RegExp | null;
  word: RegExp;
  number: RegExp;
  /**
   * Whether the dialect has MySQL's `@a`, `@'a'`, `@@a`, and no word with an adjacent dot or a leading digit is a
   * keyword.
   */
  serverNames: boolean;
  /** Kinds of statements that contain semicolons (`bodies.ts`). */
  bodies: "trigger" | "atomic" | "program" | null;
  /** Whether clients have the line `DELIMITER //`, as MySQL's. */
  delimiterLines: boolean;
};

/** Characters in the form of a regular expression's class. */
const UNICODE_SPACE = String.raw`\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff`;
/** Every other character beyond ASCII. */
const UNICODE_LETTER = String.raw`\u0080-\u009f\u00a1-\u167f\u1681-\u1fff\u200e-\u2027\u202a-\u202e\u2030-\u205e\u2061-\u2fff\u3001-\ufefe\uff00-\uffff`;
/** ClickHouse treats two more characters as spaces. */
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

/** Part of a comment up to the end of its line, if it has one: a shorter match is not a comment. */
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
    // PostgreSQL reads spaces beyond ASCII as letters.
    word: /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y,
    bodies: "atomic",
  },
  sqlite: {
    ...STANDARD,
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
  /*
   * MySQL and MariaDB, byte for byte (their sql_lex.cc): the checks must read what the server reads. Valid for sessions
   * with character set utf8mb4, and without ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
   */
  mysql: {
    ...STANDARD,
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
    // `$a` and `1a` are names.
    word: new RegExp(
      String.raw`(?!\d[\d_]*(?:[eE]\d*)?(?![\w$])|0[xX][\da-fA-F_]+(?:[pP]\d*)?(?![\w$])|0[bB][01_]+(?![\w$]))[\d$][\w$]*|[A-Za-z_${CLICKHOUSE_LETTER}][A-Za-z0-9_$${CLICKHOUSE_LETTER}]*`,
      "y",
    ),
  },
};
