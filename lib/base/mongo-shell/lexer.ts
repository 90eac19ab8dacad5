/** A token of shell text. `value` is the value of strings, numbers and regular expressions. */
export type Token = { start: number; end: number; text: string } & (
  | { kind: "name" | "symbol" | "end" }
  | { kind: "string"; value: string }
  | { kind: "number"; value: number }
  | { kind: "bigint"; value: bigint }
  | { kind: "regex"; source: string; flags: string }
);

/** Thrown for unsupported shell text. `offset` is 0-based, in UTF-16 units. */
export class ShellSyntaxError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const SPACE = /[\s\ufeff]/;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const SYMBOLS = "(){}[],:;.+-*/";
/** Characters that can follow an integer; the end of the text can too. */
const ENDS_INTEGER = ",]}):;+-*/ \n\r\t";
const SLASH = 0x2f;
const LAST_ASCII = 0x7f;
const [ZERO, NINE] = [0x30, 0x39];

const isDigit = (code: number) => code >= ZERO && code <= NINE;
/** Returns whether a code is white space in ASCII: space, and tab to carriage return. */
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};

/**
 * Splits shell text into tokens one at a time, since the context decides whether a slash is a division or a regular
 * expression.
 */
export class Lexer {
  readonly text: string;
  #at: number;

  /** @param start position to start at, outside of strings and comments */
  constructor(text: string, start = 0) {
    this.text = text;
    this.#at = start;
  }

  /** @param expectsValue whether a slash starts a regular expression here */
  next(expectsValue: boolean): Token {
    this.#skip();
    const start = this.#at;
    const char = this.text.charAt(start);
    if (char === "") return { kind: "end", start, end: start, text: "" };
    if (char === '"' || char === "'" || char === "`") return this.#string(char);
    if (char === "/" && expectsValue) return this.#regex();
    if (isDigit(char.charCodeAt(0)) || (char === "." && isDigit(this.text.charCodeAt(start + 1)))) {
      return this.#digits() ?? this.#number();
    }
    if (SYMBOLS.includes(char)) {
      this.#at += 1;
      return { kind: "symbol", start, end: this.#at, text: char };
    }
    const name = this.#match(NAME);
    if (name === null) throw new ShellSyntaxError(`${JSON.stringify(char)} is unexpected.`, start);
    return { kind: "name", start, end: this.#at, text: name };
  }

  #token<T extends object>(parts: T, start: number): T & { start: number; end: number; text: string } {
    return { ...parts, start, end: this.#at, text: this.text.slice(start, this.#at) };
  }

  #skip(): void {
    for (;;) {
      let code = this.text.charCodeAt(this.#at);
      while (isBlank(code) || (code > LAST_ASCII && SPACE.test(this.text.charAt(this.#at)))) {
        this.#at += 1;
        code = this.text.charCodeAt(this.#at);
      }
      if (code !== SLASH) return;
      if (this.text.startsWith("//", this.#at)) {
        const newline = this.text.indexOf("\n", this.#at);
        this.#at = newline < 0 ? this.text.length : newline + 1;
      } else if (this.text.startsWith("/*", this.#at)) {
        const close = this.text.indexOf("*/", this.#at + 2);
        if (close < 0) throw new ShellSyntaxError("Unterminated comment.", this.#at);
        this.#at = close + 2;
      } else return;
    }
  }

  /** Reads the most frequent number, a decimal integer, without a pattern; null for every other. */
  #digits(): Token | null {
    const start = this.#at;
    let end = start;
    while (isDigit(this.text.charCodeAt(end))) end += 1;
    if (end === start || !ENDS_INTEGER.includes(this.text.charAt(end))) return null;
    this.#at = end;
    const text = this.text.slice(start, end);
    return { kind: "number", start, end, text, value: Number(text) };
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined || found === "") return null;
    this.#at += found.length;
    return found;
  }

  #number(): Token {
    const start = this.#at;
    const digits = (this.#match(NUMBER) ?? "").replaceAll("_", "");
    if (this.text.charAt(this.#at) === "n" && /^(?:\d+|0[xob].+)$/i.test(digits)) {
      this.#at += 1;
      return this.#token({ kind: "bigint", value: BigInt(digits) }, start);
    }
    if (/[\p{ID_Start}$_]/u.test(this.text.charAt(this.#at))) {
      throw new ShellSyntaxError("Invalid number.", this.#at);
    }
    return this.#token({ kind: "number", value: Number(digits) }, start);
  }

  #string(quote: string): Token {
    const start = this.#at;
    let value = "";
    this.#at += 1;
    for (;;) {
      const char = this.text.charAt(this.#at);
      const isBroken = char === "" || (char === "\n" && quote !== "`");
      if (isBroken) throw new ShellSyntaxError("Unterminated string.", start);
      if (char === quote) break;
      if (quote === "`" && this.text.startsWith("${", this.#at)) {
        throw new ShellSyntaxError("Template expressions are not supported.", this.#at);
      }
      if (char === "\\") value += this.#escape();
      else {
        const run = this.#at;
        do this.#at += 1;
        while (!this.#endsRun(quote));
        value += this.text.slice(run, this.#at);
      }
    }
    this.#at += 1;
    return this.#token({ kind: "string", value }, start);
  }

  /** Returns whether a run of plain characters ends here: by its quote, an escape, a line break, `${`, or the end. */
  #endsRun(quote: string): boolean {
    const char = this.text.charAt(this.#at);
    return char === quote || char === "\\" || char === "\n" || char === "$" || char === "";
  }

  #escape(): string {
    const start = this.#at;
    const char = this.text.charAt(start + 1);
    this.#at += 2;
    if (char === "x") return this.#codePoint(/[0-9a-fA-F]{2}/y, start);
    if (char === "u" && this.text.charAt(this.#at) === "{") {
      this.#at += 1;
      const character = this.#codePoint(/[0-9a-fA-F]{1,6}(?=\})/y, start);
      this.#at += 1;
      return character;
    }
    if (char === "u") return this.#codePoint(/[0-9a-fA-F]{4}/y, start);
    if (char === "\r" && this.text.charAt(this.#at) === "\n") this.#at += 1;
    if (char === "\n" || char === "\r") return "";
    return ESCAPES[char] ?? char;
  }

  #codePoint(pattern: RegExp, start: number): string {
    const code = Number.parseInt(this.#match(pattern) ?? "", 16);
    if (!(code <= 0x10ffff)) throw new ShellSyntaxError("Invalid character escape.", start);
    return String.fromCodePoint(code);
  }

  #regex(): Token {
    const start = this.#at;
    let isInClass = false;
    this.#at += 1;
    for (;;) {
      const char = this.text.charAt(this.#at);
      if (char === "" || char === "\n") throw new ShellSyntaxError("Unterminated regular expression.", start);
      if (char === "/" && !isInClass) break;
      if (char === "[") isInClass = true;
      if (char === "]") isInClass = false;
      this.#at += char === "\\" ? 2 : 1;
    }
    const source = this.text.slice(start + 1, this.#at);
    this.#at += 1;
    const flags = this.#match(/[a-z]+/y) ?? "";
    return this.#token({ kind: "regex", source, flags }, start);
  }
}
