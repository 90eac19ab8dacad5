import type { LexicalRules, Quote } from "./dialects/dialect.ts";
import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";

/*
 * Finds where statements, names, strings and comments start and end in SQL text. The editor in the browser, the checks
 * of the server and the file engines' child processes share this lexer, so that all read a text alike.
 */

/**
 * `word` may be a keyword; `name` never is: it was quoted, or in MySQL follows a dot or starts with a digit. `variable`
 * is MySQL's `@a`, `@'a'` or `@@a`. `hint` and `run` are comments that the server does not skip.
 */
export type SqlPieceKind = "space" | "comment" | "hint" | "run" | SqlToken["kind"];
/** Offsets in UTF-16 units, `end` exclusive. */
export type SqlPiece = { kind: SqlPieceKind; start: number; end: number };

/**
 * `text` is the source; for a name and a plain string it is the text between the quotes, with doubled quotes resolved.
 */
export type SqlToken = {
  kind: "word" | "name" | "string" | "number" | "variable" | "symbol" | "semicolon";
  text: string;
  start: number;
  end: number;
};

const SEMICOLON = 0x3b;
const DASH = 0x2d;
const SLASH = 0x2f;
const HASH = 0x23;
const STAR = 0x2a;
const DOT = 0x2e;
const AT = 0x40;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
/** Bit that distinguishes a lower-case ASCII letter from its capital. */
const SMALL = 0x20;

const BEYOND_ASCII = /[\u0080-\uffff]/;
const NAME_CHAR = /[0-9A-Za-z_$\u0080-\uffff]/;
const NAME_CHARS = /[0-9A-Za-z_$\u0080-\uffff]+/y;
const HOST_CHARS = /[0-9A-Za-z._$\u0080-\uffff]+/y;
/** A look-ahead: the sign that ends one tag may start the next. */
const EACH_TAG = /(?=(\$[A-Za-z0-9_]*\$))/g;
const RUN_COMMENT = /\/\*M?!/iy;

/** Reads a text piece by piece; the pieces cover it without gaps. An unclosed quote or comment extends to its end. */
export class SqlLexer {
  readonly #text: string;
  readonly #rules: LexicalRules;
  #at: number;
  /** Whether the next piece is a dot that joins two names. */
  #isJoined = false;
  /** After such a dot, the next token is a name. */
  #isQualified = false;
  #isOpen = false;
  #lastTags: Map<string, number> | null = null;

  /** @param at position to start at, outside of strings, names and comments */
  constructor(text: string, dialect: SqlDialect, at = 0) {
    this.#text = text;
    this.#rules = DIALECTS[dialect].lexical;
    this.#at = at;
  }

  /** Returns whether a quote or comment is unclosed; it is in the last piece then. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Continues at another position, such as after a delimiter that SQL does not know. */
  jump(at: number): void {
    this.#at = at;
    this.#isJoined = false;
    this.#isQualified = false;
  }

  /** @returns null after the last piece */
  next(): SqlPiece | null {
    const start = this.#at;
    if (start >= this.#text.length) return null;
    const kind = this.#read(start, this.#text.charCodeAt(start));
    return { kind, start, end: this.#at };
  }

  /** Moves past the piece that starts here. */
  #read(start: number, code: number): SqlPieceKind {
    const rules = this.#rules;
    if (this.#isJoined) return this.#joint(start);
    if (this.#isQualified) return this.#qualified();
    const isBeforeQuote = this.#text.charCodeAt(start + 1) === SINGLE_QUOTE;
    // Nothing else starts with an ASCII letter: the fast path for most of a text.
    if (isLetter(code) && !isBeforeQuote && this.#skip(rules.word)) return this.#word(code);
    if (code === SEMICOLON) return this.#to("semicolon", start + 1);
    if (this.#skip(rules.space)) return "space";
    if ((code === DASH || code === SLASH || code === HASH) && this.#skip(rules.lineComment)) return "comment";
    if (code === SLASH && this.#text.charCodeAt(start + 1) === STAR) return this.#comment(start);
    const char = this.#text.charAt(start);
    const prefixed = isBeforeQuote ? rules.prefixes[char] : undefined;
    if (prefixed) return this.#quoted(start + 1, prefixed);
    const quote = rules.quotes[char];
    if (quote) return this.#quoted(start, quote);
    if (rules.serverNames && code === AT) return this.#variable(start);
    if (rules.placeholder && this.#skip(rules.placeholder)) return "symbol";
    if (rules.dollarTag && this.#dollarQuoted(start, rules.dollarTag)) return "string";
    if (this.#skip(rules.word)) return this.#word(code);
    if (this.#skip(rules.number)) return "number";
    return rules.serverNames && this.#isBeforeName() ? this.#joint(start) : this.#to("symbol", start + 1);
  }

  #to(kind: SqlPieceKind, end: number): SqlPieceKind {
    this.#at = end;
    return kind;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Returns whether a dot with a name directly after it follows: joined names are not keywords. */
  #isBeforeName(): boolean {
    return this.#text.charCodeAt(this.#at) === DOT && NAME_CHAR.test(this.#text.charAt(this.#at + 1));
  }

  #joint(start: number): SqlPieceKind {
    this.#isJoined = false;
    this.#isQualified = true;
    return this.#to("symbol", start + 1);
  }

  #qualified(): SqlPieceKind {
    this.#isQualified = false;
    this.#skip(NAME_CHARS);
    this.#isJoined = this.#isBeforeName();
    return "name";
  }

  #word(code: number): SqlPieceKind {
    if (!this.#rules.serverNames) return "word";
    this.#isJoined = this.#isBeforeName();
    return this.#isJoined || isDigit(code) ? "name" : "word";
  }

  #comment(start: number): SqlPieceKind {
    const text = this.#text;
    const close = this.#rules.nestedComments ? endOfNested(text, start) : endBehind(text, "*/", start + 2);
    this.#end(close);
    RUN_COMMENT.lastIndex = start;
    if (this.#rules.runComments && RUN_COMMENT.test(text)) return "run";
    return text.charAt(start + 2) === "+" ? "hint" : "comment";
  }

  #quoted(open: number, quote: Quote): SqlPieceKind {
    this.#end(endOfQuoted(this.#text, open, quote));
    const gap = quote.kind === "string" ? this.#rules.stringGap : null;
    while (gap && !this.#isOpen && this.#skip(gap)) this.#end(endOfQuoted(this.#text, this.#at, quote));
    return quote.kind;
  }

  #dollarQuoted(start: number, pattern: RegExp): boolean {
    if (!this.#skip(pattern)) return false;
    if (this.#rules.bareTags && !this.#isTagClosed(start)) {
      this.#at = start;
      return false;
    }
    this.#end(endBehind(this.#text, this.#text.slice(start, this.#at), this.#at));
    return true;
  }

  /**
   * Finds the last position of each tag in one pass: a search for each would scan the rest of the text again and again.
   */
  #isTagClosed(start: number): boolean {
    if (!this.#lastTags) {
      this.#lastTags = new Map();
      for (const { 1: tag = "", index } of this.#text.matchAll(EACH_TAG)) this.#lastTags.set(tag, index);
    }
    return (this.#lastTags.get(this.#text.slice(start, this.#at)) ?? -1) >= this.#at;
  }

  #variable(start: number): SqlPieceKind {
    const isOfServer = this.#text.charCodeAt(start + 1) === AT;
    this.#at = start + (isOfServer ? 2 : 1);
    const next = this.#text.charAt(this.#at);
    const quote = next === "`" || !isOfServer ? this.#rules.quotes[next] : undefined;
    if (quote) this.#end(endOfQuoted(this.#text, this.#at, quote));
    else this.#skip(isOfServer ? NAME_CHARS : HOST_CHARS);
    this.#isJoined = isOfServer && this.#isBeforeName();
    return "variable";
  }

  /** @param end null if there is no end */
  #end(end: number | null): void {
    this.#isOpen = end === null;
    this.#at = end ?? this.#text.length;
  }
}

/** Returns the tokens of a text without spaces and comments, regardless of their meaning to the server. */
export function readSqlTokens(text: string, dialect: SqlDialect): SqlToken[] {
  const tokens: SqlToken[] = [];
  const lexer = new SqlLexer(text, dialect);
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const token = toSqlToken(text, dialect, piece);
    if (token) tokens.push(token);
  }
  return tokens;
}

/** @returns null for a piece that is not a token */
export function toSqlToken(text: string, dialect: SqlDialect, { kind, start, end }: SqlPiece): SqlToken | null {
  if (kind === "space" || kind === "comment" || kind === "hint" || kind === "run") return null;
  const source = text.slice(start, end);
  const isQuoted = kind === "name" || kind === "string";
  return { kind, text: isQuoted ? innerText(source, DIALECTS[dialect].lexical) : source, start, end };
}

/** Returns a keyword as databases compare it: only ASCII letters have case. */
export function upper(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word.toUpperCase();
  return word.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function innerText(source: string, rules: LexicalRules): string {
  const prefixed = source.charAt(1) === "'" ? rules.prefixes[source.charAt(0)] : undefined;
  const quote = prefixed ?? rules.quotes[source.charAt(0)];
  // Names without quotes, strings between tags, and digits.
  if (!quote || (prefixed && !quote.doubles)) return source;
  let inner = "";
  let open = prefixed ? 1 : 0;
  for (;;) {
    const end = endOfQuoted(source, open, quote);
    inner += source.slice(open + 1, end === null ? source.length : end - 1);
    if (end === null || end === source.length) break;
    // Only another part can follow: its quote is the first one outside of comments, which the gap skips.
    const gap = rules.stringGap;
    if (!gap) break;
    gap.lastIndex = end;
    if (!gap.test(source)) break;
    open = gap.lastIndex;
  }
  return quote.doubles ? inner.replaceAll(quote.close + quote.close, quote.close) : inner;
}

function isLetter(code: number): boolean {
  const small = code | SMALL;
  return (small >= 0x61 && small <= 0x7a) || code === UNDERSCORE;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endBehind(text: string, close: string, from: number): number | null {
  const at = text.indexOf(close, from);
  return at < 0 ? null : at + close.length;
}

function endOfNested(text: string, start: number): number | null {
  let depth = 1;
  for (let at = start + 2; at < text.length - 1; at += 1) {
    const two = text.charCodeAt(at) === STAR ? SLASH : text.charCodeAt(at) === SLASH ? STAR : 0;
    if (two === 0 || text.charCodeAt(at + 1) !== two) continue;
    depth += two === SLASH ? -1 : 1;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

/**
 * Finds the closing quote without searching for the next backslash: in a text without one, every string would scan the
 * rest.
 */
function endOfQuoted(text: string, open: number, { close, escapes, doubles }: Quote): number | null {
  const closeCode = close.charCodeAt(0);
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (escapes && code === BACKSLASH) at += 1;
    else if (code !== closeCode) continue;
    else if (!doubles || text.charCodeAt(at + 1) !== closeCode) return at + 1;
    else at += 1;
  }
  return null;
}

/** Returns a word in capitals; an empty text for other tokens. */
export function wordOf(token: SqlToken | undefined): string {
  return token?.kind === "word" ? upper(token.text) : "";
}
