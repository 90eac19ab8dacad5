import { Decimal128, Long } from "mongodb";
import { Lexer, ShellSyntaxError, type Token } from "@/lib/base/mongo-shell/lexer";
import { isRounded } from "@/lib/base/values/exact-json";
import { CONSTANTS, MAKERS, regexOf } from "./values";

/** A call in `db.orders.find({...}).sort({...})`. `offset` is the start of its name, 0-based. */
export type ShellCall = { name: string; args: unknown[]; offset: number };
export type ShellStatement = { collection: string; calls: ShellCall[] };

/** Maximum digits of a MongoDB decimal. */
const DECIMAL_DIGITS_MAX = 34;
/** Characters of integers that a double may not hold. */
const EXACT_CHARS = 16;
/** Maximum nesting of values, which protects the stack (T57). */
const DEPTH_MAX = 40;

/**
 * Parses one shell statement. It knows literals and the shell's constructors; nothing is ever evaluated (T59).
 * @throws ShellSyntaxError
 */
export function parseShell(text: string): ShellStatement {
  return new Parser(text).statement();
}

class Parser {
  readonly #lexer: Lexer;
  #token: Token;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#token = this.#lexer.next(true);
  }

  statement(): ShellStatement {
    if (this.#token.text !== "db") throw this.#expected("db, as in db.orders.find({})");
    this.#advance();
    const names: string[] = [];
    const calls: ShellCall[] = [];
    for (;;) {
      if (this.#accept("[")) {
        if (calls.length > 0) throw this.#expected("a method");
        names.push(this.#text());
        this.#expect("]");
      } else if (this.#accept(".")) {
        this.#member(names, calls);
      } else break;
    }
    while (this.#accept(";"));
    if (this.#token.kind !== "end") throw this.#expected("the end (one statement at a time)");
    if (names.length === 0 || calls.length === 0) {
      throw this.#expected("a collection and a method, as in db.orders.find({})");
    }
    return { collection: names.join("."), calls };
  }

  #member(names: string[], calls: ShellCall[]): void {
    const { text, start, kind } = this.#token;
    if (kind !== "name") throw this.#expected("a name");
    this.#advance(false);
    if (this.#token.text !== "(") {
      if (calls.length > 0) throw this.#expected("(");
      names.push(text);
      return;
    }
    const args = this.#arguments();
    const isCollection = text === "getCollection" && names.length === 0 && calls.length === 0;
    if (!isCollection) calls.push({ name: text, args, offset: start });
    else if (args.length === 1 && typeof args[0] === "string") names.push(args[0]);
    else throw new ShellSyntaxError("getCollection expects a collection name.", start);
  }

  #arguments(): unknown[] {
    this.#expect("(");
    return this.#list(")");
  }

  #list(close: string): unknown[] {
    const items: unknown[] = [];
    while (!this.#accept(close, false)) {
      items.push(this.#value());
      if (this.#token.text !== close || this.#token.kind !== "symbol") this.#expect(",");
    }
    return items;
  }

  #value(): unknown {
    let value = this.#product();
    while (this.#isSymbol("+") || this.#isSymbol("-")) {
      const { start, text } = this.#token;
      this.#advance();
      const right = this.#product();
      value = arithmetic(value, right, start, (a, b) => (text === "+" ? a + b : a - b));
    }
    return value;
  }

  #product(): unknown {
    let value = this.#single();
    while (this.#isSymbol("*") || this.#isSymbol("/")) {
      const { start, text } = this.#token;
      this.#advance();
      const right = this.#single();
      value = arithmetic(value, right, start, (a, b) => (text === "*" ? a * b : a / b));
    }
    return value;
  }

  /** Parses one value. All nesting passes through here: lists, objects, brackets and signs. */
  #single(): unknown {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new ShellSyntaxError("Values are nested too deeply.", this.#token.start);
    const value = this.#plain();
    this.#depth -= 1;
    return value;
  }

  #plain(): unknown {
    const token = this.#token;
    switch (token.kind) {
      case "string":
        this.#advance(false);
        return token.value;
      case "number":
        this.#advance(false);
        return exactOf(token.value, token.text);
      case "bigint":
        this.#advance(false);
        return Long.fromBigInt(token.value);
      case "regex":
        this.#advance(false);
        return made(() => regexOf(token.source, token.flags), token.start);
      case "name":
        return this.#named(token);
      case "end":
        throw this.#expected("a value");
      default:
        return this.#bracketed(token);
    }
  }

  #bracketed(token: Token): unknown {
    if (this.#accept("-") || this.#accept("+")) {
      const value = this.#single();
      if (value instanceof Long || value instanceof Decimal128) return token.text === "-" ? negated(value) : value;
      return arithmetic(0, value, token.start, (a, b) => (token.text === "-" ? -b : a + b));
    }
    if (this.#accept("[")) return this.#list("]");
    if (this.#accept("(")) {
      const value = this.#value();
      this.#expect(")", false);
      return value;
    }
    if (this.#accept("{")) return this.#object();
    throw this.#expected("a value");
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    while (!this.#accept("}", false)) {
      const key = this.#key();
      this.#expect(":");
      const value = this.#value();
      if (key !== "__proto__") object[key] = value;
      else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      if (!this.#isSymbol("}")) this.#expect(",");
    }
    return object;
  }

  #key(): string {
    const token = this.#token;
    const isValue = token.kind === "string" || token.kind === "number";
    if (!isValue && token.kind !== "name") throw this.#expected("a key");
    this.#advance(false);
    return isValue ? String(token.value) : token.text;
  }

  #named(token: Token): unknown {
    const isNew = token.text === "new";
    if (isNew) this.#advance();
    const { text: name, start } = this.#token;
    if (this.#token.kind !== "name") throw this.#expected("a name");
    this.#advance(false);
    if (this.#isSymbol(".") && name === "Date") return this.#dateNow(start);
    if (this.#isSymbol("(")) {
      const maker = MAKERS[name];
      if (!maker)
        throw new ShellSyntaxError(
          `${name} is not supported. Use literals or constructors such as ObjectId(...).`,
          start,
        );
      const args = this.#arguments();
      return made(() => maker(...args), start);
    }
    if (!isNew && CONSTANTS.has(name)) return CONSTANTS.get(name);
    throw new ShellSyntaxError(`${name} is unknown. Quote strings.`, start);
  }

  #dateNow(start: number): number {
    this.#expect(".");
    if (this.#token.text !== "now") throw new ShellSyntaxError("Only Date.now() is supported.", start);
    this.#advance(false);
    this.#arguments();
    return Date.now();
  }

  #text(): string {
    const token = this.#token;
    if (token.kind !== "string") throw this.#expected("a quoted string");
    this.#advance(false);
    return token.value;
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === "symbol" && this.#token.text === text;
  }

  #accept(text: string, expectsValue = true): boolean {
    if (!this.#isSymbol(text)) return false;
    this.#advance(expectsValue);
    return true;
  }

  #expect(text: string, expectsValue = true): void {
    if (!this.#accept(text, expectsValue)) throw this.#expected(text);
  }

  #advance(expectsValue = true): void {
    this.#token = this.#lexer.next(expectsValue);
  }

  #expected(what: string): ShellSyntaxError {
    const found = this.#token.kind === "end" ? "the input ends" : `found ${this.#token.text.slice(0, 40)}`;
    return new ShellSyntaxError(`Expected ${what}, but ${found}.`, this.#token.start);
  }
}

/** Returns an int64 or a decimal for an integer that no double holds; the shell would round it. */
function exactOf(value: number, text: string): unknown {
  if (text.length < EXACT_CHARS || !/^\d+$/.test(text) || !isRounded(text, value)) return value;
  const integer = BigInt(text);
  if (BigInt.asIntN(64, integer) === integer) return Long.fromBigInt(integer);
  return text.length <= DECIMAL_DIGITS_MAX ? Decimal128.fromString(text) : value;
}

function negated(value: Long | Decimal128): unknown {
  if (value instanceof Long) return value.negate();
  const text = value.toString();
  return Decimal128.fromString(text.startsWith("-") ? text.slice(1) : `-${text}`);
}

function arithmetic(left: unknown, right: unknown, at: number, compute: (a: number, b: number) => number): number {
  const a = left instanceof Date ? left.getTime() : left;
  const b = right instanceof Date ? right.getTime() : right;
  if (typeof a === "number" && typeof b === "number") return compute(a, b);
  throw new ShellSyntaxError("Arithmetic works only with numbers.", at);
}

function made<T>(make: () => T, offset: number): T {
  try {
    return make();
  } catch (error) {
    throw new ShellSyntaxError(error instanceof Error ? error.message : "Invalid value.", offset);
  }
}
