/*
 * MySQL's and MariaDB's reading of a text, byte for byte (their sql_lex.cc), for guards that have to see what the server
 * sees. It holds for sessions whose character set is utf8mb4 and that have no ANSI_QUOTES and no NO_BACKSLASH_ESCAPES
 * (`session.ts`). Where versions differ, or a person would read something else than the server, it says so: `doubt`.
 */

/**
 * `word` may be a keyword; `name` never is: it was quoted, follows a dot or begins with a digit, and its text is
 * without quotes. `variable` is `@a`, `@'a'` or `@@a`.
 */
export type Token = {
  kind: "word" | "name" | "string" | "number" | "variable" | "symbol" | "semicolon";
  text: string;
  /** Offsets in UTF-16 units, `end` exclusive. */
  start: number;
  end: number;
};

export type Comment = { kind: "plain" | "hint" | "run"; start: number; end: number };

/** `isOpen`: a quote or comment has no end, so the text is not complete. */
export type Doubt = { message: string; at: number; isOpen: boolean };

export type Reading = { tokens: Token[]; comments: Comment[]; doubt: Doubt | null };

const SPACE = /[\t-\r ]+/y;
/** Bytes of other characters than ASCII's are parts of names, whatever the character is: no space is among them. */
const NAME = /[0-9A-Za-z_$\u0080-\uffff]+/y;
const NAME_CHAR = /[0-9A-Za-z_$\u0080-\uffff]/;
/** `1e5x` is a number and a word, `0x1g` and `1x` are names. */
const NUMBER =
  /0x[0-9A-Fa-f]+(?![0-9A-Za-z_$\u0080-\uffff])|0b[01]+(?![0-9A-Za-z_$\u0080-\uffff])|\d+[eE][+-]?\d+|\d+(?![0-9A-Za-z_$\u0080-\uffff])(?:\.\d*(?:[eE][+-]?\d+)?)?/y;
const FRACTION = /\.\d+(?:[eE][+-]?\d+)?/y;
const HOST_NAME = /[0-9A-Za-z._$\u0080-\uffff]*/y;
/** After `--`: white space and control characters, and the end of the text. */
const ENDS_DASHES = /^[\0-\x20\x7f]?$/;
/** Hints are read by a lexer of their own; what is plain in both holds no surprise. */
const PLAIN_HINT = /^\/\*\+[\w \t\r\n$@(),.]*\*\/$/;
const UNSEEN = /[\p{Z}\p{C}]/u;
const DIGITS = { x: /^'(?:[0-9A-Fa-f]{2})*'$/, b: /^'[01]*'$/ };

/** Reads the whole text; it never throws. */
export function readMysqlText(text: string): Reading {
  return new Reader(text).read();
}

/** A keyword's or function's name as the server compares them: no letters but those of ASCII have another case. */
export function upper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

class Reader {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #comments: Comment[] = [];
  #doubt: Doubt | null = null;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Reading {
    // To the server it is an end, but not in every place.
    const nul = this.#text.indexOf("\0");
    if (nul >= 0) this.#doubtAt(nul, "There is a NUL character in the text.");
    while (this.#at < this.#text.length) {
      if (this.#match(SPACE) === "" && !this.#readComment()) this.#readToken(this.#text.charAt(this.#at));
    }
    return { tokens: this.#tokens, comments: this.#comments, doubt: this.#doubt };
  }

  /** What the sticky pattern finds here, and goes behind it. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** The first doubt is the one that is told. */
  #doubtAt(at: number, message: string, isOpen = false): void {
    this.#doubt ??= { message, at, isOpen };
  }

  #push(kind: Token["kind"], start: number, text = this.#text.slice(start, this.#at)): void {
    this.#tokens.push({ kind, text, start, end: this.#at });
  }

  #readComment(): boolean {
    const text = this.#text;
    const start = this.#at;
    const two = text.slice(start, start + 2);
    if (two === "--" && text.charAt(start + 2) > "\x7f") {
      this.#doubtAt(start, "The database takes -- for a comment only before a space, and what follows here is none.");
    }
    if (text.charAt(start) === "#" || (two === "--" && ENDS_DASHES.test(text.charAt(start + 2)))) {
      const newline = text.indexOf("\n", start);
      this.#at = newline < 0 ? text.length : newline;
      this.#comments.push({ kind: "plain", start, end: this.#at });
      return true;
    }
    if (two !== "/*") return false;
    const close = text.indexOf("*/", start + 2);
    if (close < 0) this.#doubtAt(start, "The comment that begins here has no end.", true);
    this.#at = close < 0 ? text.length : close + 2;
    const source = text.slice(start, this.#at);
    const isRun = /^\/\*M?!/i.test(source);
    if (isRun) this.#doubtAt(start, "Comments that the server runs (/*! ... */) cannot be used here.");
    const isHint = source.startsWith("/*+");
    if (isHint && !PLAIN_HINT.test(source)) this.#doubtAt(start, "Optimizer hints take plain names and numbers here.");
    this.#comments.push({ kind: isRun ? "run" : isHint ? "hint" : "plain", start, end: this.#at });
    return true;
  }

  #readToken(char: string): void {
    const start = this.#at;
    if (char === "'" || char === '"') {
      this.#skipQuoted(char, true);
      this.#push("string", start);
    } else if (char === "`") {
      this.#push("name", start, this.#skipQuoted(char, false));
    } else if (char === ";") {
      this.#at += 1;
      this.#push("semicolon", start);
    } else if (char === "@") this.#readVariable();
    else if (char === ".") this.#readDot();
    else if (/\d/.test(char) && this.#match(NUMBER) !== "") this.#endNumber(start);
    else if (NAME_CHAR.test(char)) this.#readName(/\d/.test(char));
    else this.#readSymbol(char);
  }

  #readSymbol(char: string): void {
    const start = this.#at;
    if (char === "\\") this.#doubtAt(start, "A backslash outside of quotes is read differently by different servers.");
    if (char < " " || char === "\x7f") this.#doubtAt(start, "There is a control character outside of quotes.");
    this.#at += 1;
    this.#push("symbol", start);
  }

  /** A word is no keyword when a name follows its dot, or when it follows a dot itself. */
  #readName(isName: boolean): void {
    const start = this.#at;
    const text = this.#match(NAME);
    if (UNSEEN.test(text)) {
      this.#doubtAt(
        start,
        "There is a space or invisible character here that the database takes for a part of a name.",
      );
    }
    if (text.startsWith("$")) this.#doubtAt(start, "A name that begins with $ has to be quoted.");
    const isQualifier = this.#text.charAt(this.#at) === "." && NAME_CHAR.test(this.#text.charAt(this.#at + 1));
    this.#push(isName || isQualifier ? "name" : "word", start);
    if (isQualifier) this.#readQualified();
    else if (!isName) this.#checkDigits(text);
  }

  #readQualified(): void {
    const start = this.#at;
    this.#at += 1;
    this.#push("symbol", start);
    this.#readName(true);
  }

  #readDot(): void {
    const start = this.#at;
    if (this.#match(FRACTION) !== "") this.#endNumber(start);
    else if (NAME_CHAR.test(this.#text.charAt(start + 1))) this.#readQualified();
    else this.#readSymbol(".");
  }

  #endNumber(start: number): void {
    this.#push("number", start);
    // The server stops in the middle of such a number, and says so.
    if (/[.]\d*$/.test(this.#text.slice(start, this.#at)) && /[eE]/.test(this.#text.charAt(this.#at))) {
      this.#doubtAt(start, "A number ends in an exponent without digits.");
    }
  }

  /** `x'..'` and `b'..'` have no escapes. */
  #checkDigits(word: string): void {
    const digits = word === "x" || word === "X" ? DIGITS.x : word === "b" || word === "B" ? DIGITS.b : null;
    if (!digits || this.#text.charAt(this.#at) !== "'") return;
    const start = this.#at;
    this.#skipQuoted("'", true);
    if (!digits.test(this.#text.slice(start, this.#at))) {
      this.#doubtAt(start, `After ${word} there are digits in quotes, and here is something else.`);
    }
    this.#push("string", start);
  }

  #readVariable(): void {
    const start = this.#at;
    this.#at += this.#text.charAt(start + 1) === "@" ? 2 : 1;
    const next = this.#text.charAt(this.#at);
    if (next === "`") this.#skipQuoted(next, false);
    else if (this.#at === start + 2) this.#match(NAME);
    else if (next === "'" || next === '"') this.#skipQuoted(next, true);
    else if (/[\u0080-\uffff]/.test(this.#match(HOST_NAME))) {
      this.#doubtAt(start, "A variable's name beyond ASCII has to be quoted: @`name`.");
    }
    this.#push("variable", start);
    const isQualifier = this.#text.charAt(this.#at) === "." && NAME_CHAR.test(this.#text.charAt(this.#at + 1));
    if (isQualifier && this.#text.charAt(start + 1) === "@") this.#readQualified();
  }

  /** @returns what is between the quotes, with doubled ones resolved */
  #skipQuoted(quote: string, hasEscapes: boolean): string {
    const start = this.#at;
    const text = this.#text;
    let at = start + 1;
    while (at < text.length) {
      const char = text.charAt(at);
      if (hasEscapes && char === "\\") at += 2;
      else if (char !== quote) at += 1;
      else if (text.charAt(at + 1) === quote) at += 2;
      else break;
    }
    if (at >= text.length) this.#doubtAt(start, "The quote that begins here has no end.", true);
    this.#at = Math.min(at + 1, text.length);
    const inner = text.slice(start + 1, at);
    return inner.replaceAll(quote + quote, quote);
  }
}
