/**
 * A lexer of SQL text: enough to know where statements, names and strings begin and end. It imports nothing, so that
 * the editor in the browser and the file engine's child process read text in the same way.
 */

export type SqlDialect = "duckdb" | "postgres" | "mysql" | "sqlite" | "clickhouse";

/** `text` is the source for words and symbols; for a quoted name it is the name with its quotes resolved. */
export type SqlToken = {
  kind: "word" | "quotedName" | "string" | "number" | "symbol" | "semicolon";
  text: string;
  /** Offsets in UTF-16 units, `end` exclusive. */
  start: number;
  end: number;
};

type DialectRules = {
  backtickNames: boolean;
  bracketNames: boolean;
  doubleQuotedStrings: boolean;
  /** In every string; `E'..'` of PostgreSQL and DuckDB has them in any case. */
  backslashEscapes: boolean;
  dollarQuotes: boolean;
  hashComments: boolean;
  nestedComments: boolean;
  /** MySQL takes `--` for a comment only before white space, so that `5--3` is 8. */
  dashesNeedSpace: boolean;
};

const STANDARD: DialectRules = {
  backtickNames: false,
  bracketNames: false,
  doubleQuotedStrings: false,
  backslashEscapes: false,
  dollarQuotes: true,
  hashComments: false,
  nestedComments: true,
  dashesNeedSpace: false,
};

const RULES: Record<SqlDialect, DialectRules> = {
  duckdb: STANDARD,
  postgres: STANDARD,
  sqlite: { ...STANDARD, backtickNames: true, bracketNames: true, dollarQuotes: false, nestedComments: false },
  mysql: {
    ...STANDARD,
    backtickNames: true,
    doubleQuotedStrings: true,
    backslashEscapes: true,
    dollarQuotes: false,
    hashComments: true,
    nestedComments: false,
    dashesNeedSpace: true,
  },
  clickhouse: {
    ...STANDARD,
    backtickNames: true,
    backslashEscapes: true,
    dollarQuotes: true,
    hashComments: true,
    nestedComments: true,
  },
};

const SPACE = /[\s\u00a0\ufeff]/;
const WORD_START = /[\p{L}_\u0080-\uffff]/u;
const WORD_PART = /[\p{L}\p{N}_$\u0080-\uffff]/u;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
const NUMBER = /(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?\.?/y;

/** Reads the whole text. An unfinished string or comment reaches to the end of the text, as the databases see it. */
export function readSqlTokens(text: string, dialect: SqlDialect): SqlToken[] {
  const rules = RULES[dialect];
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (SPACE.test(char)) {
      at += 1;
      continue;
    }
    const afterComment = skipComment(text, at, rules);
    if (afterComment > at) {
      at = afterComment;
      continue;
    }
    const token = readToken(text, at, rules);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** The offset after the comment that begins at `at`, or `at` when none begins there. */
function skipComment(text: string, at: number, rules: DialectRules): number {
  const two = text.slice(at, at + 2);
  const isDashes = two === "--" && (!rules.dashesNeedSpace || /^\s?$/.test(text.charAt(at + 2)));
  if (isDashes || (rules.hashComments && text.charAt(at) === "#")) {
    const newline = text.indexOf("\n", at);
    return newline < 0 ? text.length : newline + 1;
  }
  if (two !== "/*") return at;
  let depth = 1;
  let next = at + 2;
  while (next < text.length && depth > 0) {
    if (text.startsWith("*/", next)) {
      depth -= 1;
      next += 2;
    } else if (rules.nestedComments && text.startsWith("/*", next)) {
      depth += 1;
      next += 2;
    } else {
      next += 1;
    }
  }
  return next;
}

function readToken(text: string, start: number, rules: DialectRules): SqlToken {
  const char = text.charAt(start);
  const source = (kind: SqlToken["kind"], end: number): SqlToken => ({
    kind,
    text: text.slice(start, end),
    start,
    end,
  });
  const quoted = (kind: SqlToken["kind"], close: string, escapes: boolean, open = start): SqlToken => {
    const end = endOfQuoted(text, open + 1, close, escapes);
    const inner = text.slice(open + 1, text.charAt(end - 1) === close ? end - 1 : end);
    return { kind, text: inner.replaceAll(close + close, close), start, end };
  };
  if (char === ";") return source("semicolon", start + 1);
  if (char === "'") return quoted("string", "'", rules.backslashEscapes);
  if ((char === "e" || char === "E") && text.charAt(start + 1) === "'") return quoted("string", "'", true, start + 1);
  if (char === '"') {
    return rules.doubleQuotedStrings
      ? quoted("string", '"', rules.backslashEscapes)
      : quoted("quotedName", '"', rules.backslashEscapes);
  }
  if (char === "`" && rules.backtickNames) return quoted("quotedName", "`", false);
  if (char === "[" && rules.bracketNames) return quoted("quotedName", "]", false);
  if (char === "$" && rules.dollarQuotes) {
    DOLLAR_TAG.lastIndex = start;
    const tag = DOLLAR_TAG.exec(text)?.[0];
    if (tag !== undefined) {
      const close = text.indexOf(tag, start + tag.length);
      return source("string", close < 0 ? text.length : close + tag.length);
    }
  }
  if (WORD_START.test(char)) {
    let end = start + 1;
    while (end < text.length && WORD_PART.test(text.charAt(end))) end += 1;
    return source("word", end);
  }
  if (/[\d.]/.test(char)) {
    NUMBER.lastIndex = start;
    const number = NUMBER.exec(text)?.[0];
    if (number !== undefined && number.length > 0) return source("number", start + number.length);
  }
  return source("symbol", start + 1);
}

function endOfQuoted(text: string, from: number, close: string, escapes: boolean): number {
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (escapes && char === "\\") {
      at += 2;
    } else if (char !== close) {
      at += 1;
    } else if (text.charAt(at + 1) === close) {
      at += 2;
    } else {
      return at + 1;
    }
  }
  return text.length;
}
