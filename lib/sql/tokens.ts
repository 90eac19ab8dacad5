/**
 * A lexer of SQL text: enough to know where statements, names and strings begin and end. It imports nothing, so that
 * the editor in the browser and the file engine's child process read text in the same way.
 */

/** `standard` is for engines that add nothing to the strings, names and comments of the SQL standard. */
export const SQL_DIALECTS = ["standard", "duckdb", "postgres", "mysql", "sqlite", "clickhouse"] as const;
export type SqlDialect = (typeof SQL_DIALECTS)[number];

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
  /** In every string. */
  backslashEscapes: boolean;
  /** In names between backticks, too. */
  escapedBackticks: boolean;
  /** `E'..'` has them, and a string goes on in the next line: `'a'` newline `'b'` is one. */
  escapeStrings: boolean;
  /** `‘a’` and `“a”`, without any escape. */
  typographicQuotes: boolean;
  /** `x'..'` and `b'..'` end at the first quote. */
  rawHexStrings: boolean;
  dollarQuotes: RegExp | null;
  hashComments: RegExp | null;
  slashComments: boolean;
  /** What ends a comment of one line. */
  lineEnd: RegExp;
  /** A placeholder with what belongs to it: `$a::b(c)` is one to SQLite, whatever stands in the brackets. */
  placeholders: RegExp | null;
  space: RegExp;
  /** False where a space beyond ASCII inside of a word is a letter. */
  spaceEndsWords: boolean;
  /** Words that would begin with what begins none elsewhere: `$a` and `1a` are names to ClickHouse. */
  words: RegExp | null;
  nestedComments: boolean;
  /** MySQL takes `--` for a comment only before white space, so that `5--3` is 8. */
  dashesNeedSpace: boolean;
};

const ANY_SPACE = /[\s\u00a0\ufeff\u200b-\u200d\u2060]/;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

const STANDARD: DialectRules = {
  backtickNames: false,
  bracketNames: false,
  doubleQuotedStrings: false,
  backslashEscapes: false,
  escapedBackticks: false,
  escapeStrings: true,
  typographicQuotes: false,
  rawHexStrings: false,
  dollarQuotes: DOLLAR_TAG,
  hashComments: null,
  slashComments: false,
  lineEnd: /[\n\r]/g,
  placeholders: null,
  nestedComments: true,
  dashesNeedSpace: false,
  space: ANY_SPACE,
  words: null,
  spaceEndsWords: true,
};

const RULES: Record<SqlDialect, DialectRules> = {
  standard: { ...STANDARD, escapeStrings: false, dollarQuotes: null, nestedComments: false },
  duckdb: STANDARD,
  postgres: STANDARD,
  sqlite: {
    ...STANDARD,
    backtickNames: true,
    bracketNames: true,
    escapeStrings: false,
    dollarQuotes: null,
    lineEnd: /\n/g,
    placeholders: /[$@#:](?:[A-Za-z0-9_$\u0080-\uffff]|::)*[A-Za-z0-9_$\u0080-\uffff](?:::)*(?:\([^\s)]*\)?)?/y,
    nestedComments: false,
    // Anything else beyond ASCII is a letter to SQLite.
    space: /[ \t\n\f\r\ufeff]/,
    spaceEndsWords: false,
  },
  mysql: {
    ...STANDARD,
    backtickNames: true,
    doubleQuotedStrings: true,
    backslashEscapes: true,
    escapeStrings: false,
    dollarQuotes: null,
    hashComments: /#/y,
    lineEnd: /\n/g,
    nestedComments: false,
    dashesNeedSpace: true,
  },
  clickhouse: {
    ...STANDARD,
    backtickNames: true,
    backslashEscapes: true,
    escapedBackticks: true,
    escapeStrings: false,
    typographicQuotes: true,
    rawHexStrings: true,
    dollarQuotes: /\$[A-Za-z0-9_]*\$/y,
    hashComments: /#[\s!]/y,
    slashComments: true,
    lineEnd: /\n/g,
    words: /(?!\d[\d_]*(?:[eE]\d*)?(?![\w$])|0[xX][\da-fA-F_]+(?:[pP]\d*)?(?![\w$])|0[bB][01_]+(?![\w$]))[\d$][\w$]*/y,
    space: /[\s\u00a0\ufeff\u0085\u180e\u200b-\u200d\u2060]/,
  },
};

const WORD_START = /[\p{L}_\u0080-\uffff]/u;
const WORD_PART = /[\p{L}\p{N}_$\u0080-\uffff]/u;
const NUMBER = /0[xX][0-9a-fA-F_]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?\.?/y;
/** What may stand between two parts of one string, where a line has to end. */
const STRING_GAP = /(?:[ \t\f\v]|--[^\n\r]*)*[\n\r](?:\s|--[^\n\r]*[\n\r])*'/y;

/** Reads the whole text. An unfinished string or comment reaches to the end of the text, as the databases see it. */
export function readSqlTokens(text: string, dialect: SqlDialect): SqlToken[] {
  const rules = RULES[dialect];
  const tokens: SqlToken[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (rules.space.test(char)) {
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
  if (isDashes || startsAt(rules.hashComments, text, at) || (rules.slashComments && two === "//")) {
    rules.lineEnd.lastIndex = at;
    return rules.lineEnd.test(text) ? rules.lineEnd.lastIndex : text.length;
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
  const next = text.charAt(start + 1);
  if (char === "'") return continued(quoted("string", "'", rules.backslashEscapes), text, rules, false);
  if (rules.escapeStrings && (char === "e" || char === "E") && next === "'") {
    return continued(quoted("string", "'", true, start + 1), text, rules, true);
  }
  if (rules.rawHexStrings && next === "'" && "xXbB".includes(char)) {
    const close = text.indexOf("'", start + 2);
    return source("string", close < 0 ? text.length : close + 1);
  }
  if (rules.typographicQuotes && (char === "‘" || char === "“")) {
    const close = text.indexOf(char === "‘" ? "’" : "”", start + 1);
    const end = close < 0 ? text.length : close + 1;
    const inner = text.slice(start + 1, close < 0 ? text.length : close);
    return { kind: char === "‘" ? "string" : "quotedName", text: inner, start, end };
  }
  if (char === '"') {
    return rules.doubleQuotedStrings
      ? quoted("string", '"', rules.backslashEscapes)
      : quoted("quotedName", '"', rules.backslashEscapes);
  }
  if (char === "`" && rules.backtickNames) return quoted("quotedName", "`", rules.escapedBackticks);
  if (char === "[" && rules.bracketNames) {
    // The first closing one ends it: there is no way to write one inside.
    const close = text.indexOf("]", start);
    const end = close < 0 ? text.length : close + 1;
    return { kind: "quotedName", text: text.slice(start + 1, close < 0 ? text.length : close), start, end };
  }
  const placeholder = startsAt(rules.placeholders, text, start);
  if (placeholder !== undefined) return source("symbol", start + placeholder.length);
  const tag = startsAt(rules.dollarQuotes, text, start);
  if (tag !== undefined) {
    const close = text.indexOf(tag, start + tag.length);
    return source("string", close < 0 ? text.length : close + tag.length);
  }
  const word = startsAt(rules.words, text, start);
  if (word !== undefined) return source("word", start + word.length);
  if (WORD_START.test(char)) {
    let end = start + 1;
    while (WORD_PART.test(text.charAt(end)) && !(rules.spaceEndsWords && rules.space.test(text.charAt(end)))) end += 1;
    return source("word", end);
  }
  if (/[\d.]/.test(char)) {
    NUMBER.lastIndex = start;
    const number = NUMBER.exec(text)?.[0];
    if (number !== undefined && number.length > 0) return source("number", start + number.length);
  }
  return source("symbol", start + 1);
}

/** A string with its parts in the lines that follow, which are read as its first one is. */
function continued(first: SqlToken, text: string, rules: DialectRules, escapes: boolean): SqlToken {
  if (!rules.escapeStrings || text.charAt(first.end - 1) !== "'") return first;
  STRING_GAP.lastIndex = first.end;
  const gap = STRING_GAP.exec(text)?.[0];
  if (gap === undefined) return first;
  const open = first.end + gap.length;
  const end = endOfQuoted(text, open, "'", escapes);
  const inner = text.slice(open, text.charAt(end - 1) === "'" ? end - 1 : end).replaceAll("''", "'");
  return continued({ ...first, text: first.text + inner, end }, text, rules, escapes);
}

/** What a sticky pattern finds at a place. */
function startsAt(pattern: RegExp | null, text: string, at: number): string | undefined {
  if (pattern === null) return undefined;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
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
