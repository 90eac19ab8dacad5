import { type SqlToken as Token, upper } from "@/lib/base/sql/lexer";
import type { AppError } from "@/lib/platform/http/errors";
import { isSymbol, notAllowed, wordOf } from "./references";

/** Statements that a body may contain besides blocks: they compute, read, or refer to names of the body. */
const QUERIES = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);
const SIMPLE = new Set(["RETURN", "ITERATE", "LEAVE", "OPEN", "CLOSE", "FETCH", "SIGNAL", "RESIGNAL", "GET"]);
const LOOPS = new Set(["BEGIN", "LOOP", "WHILE", "REPEAT"]);
/** Maximum nesting of blocks. */
const DEPTH_MAX = 64;

/**
 * Checks the body of a stored function statement by statement, by the grammar of compound statements. A function runs
 * in the caller's read-only transaction, which protects tables; files, server settings and other sessions stay
 * reachable.
 * @param parameters their names: SET may change only these, local variables and `@` ones
 * @throws AppError `not_allowed` at the first statement that may do more than read
 */
export function checkRoutineBody(tokens: readonly Token[], parameters: readonly string[], name: string): void {
  const end = tokens.findLastIndex((token) => token.kind !== "semicolon") + 1;
  const body = new Body(tokens.slice(0, end), parameters, name);
  body.statement(0);
  body.end();
}

class Body {
  readonly #tokens: readonly Token[];
  /** Variables of the enclosing blocks. After the block, a variable's name may be a server variable again. */
  #variables: ReadonlySet<string>;
  readonly #name: string;
  #at = 0;

  constructor(tokens: readonly Token[], parameters: readonly string[], name: string) {
    this.#tokens = tokens;
    this.#variables = new Set(parameters.map(upper));
    this.#name = name;
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw this.#refusal();
  }

  statement(depth: number): void {
    if (depth > DEPTH_MAX) throw this.#refusal();
    const isLabelled = isSymbol(this.#tokens[this.#at + 1], ":") && !isSymbol(this.#tokens[this.#at + 2], "=");
    if (isLabelled) this.#at += 2;
    const word = this.#word();
    if (isLabelled && !LOOPS.has(word)) throw this.#refusal();
    if (QUERIES.has(word) || SIMPLE.has(word) || isSymbol(this.#tokens[this.#at], "(")) this.#skipTo();
    else if (word === "BEGIN") this.#block(depth);
    else if (word === "IF") this.#if(depth);
    else if (word === "CASE") this.#case(depth);
    else if (LOOPS.has(word)) this.#loop(word, depth);
    else if (word === "SET") this.#set();
    else if (word === "DECLARE") this.#declare(depth);
    else throw this.#refusal();
  }

  #block(depth: number): void {
    const outer = this.#variables;
    this.#take("BEGIN");
    this.#list(["END"], depth);
    this.#take("END");
    this.#label();
    this.#variables = outer;
  }

  #if(depth: number): void {
    this.#take("IF");
    for (;;) {
      this.#skipTo("THEN");
      this.#take("THEN");
      this.#list(["ELSEIF", "ELSE", "END"], depth);
      if (this.#word() !== "ELSEIF") break;
      this.#take("ELSEIF");
    }
    this.#else(depth);
    this.#take("END");
    this.#take("IF");
  }

  #case(depth: number): void {
    this.#take("CASE");
    if (this.#word() !== "WHEN") this.#skipTo("WHEN");
    while (this.#word() === "WHEN") {
      this.#take("WHEN");
      this.#skipTo("THEN");
      this.#take("THEN");
      this.#list(["WHEN", "ELSE", "END"], depth);
    }
    this.#else(depth);
    this.#take("END");
    this.#take("CASE");
  }

  #else(depth: number): void {
    if (this.#word() !== "ELSE") return;
    this.#take("ELSE");
    this.#list(["END"], depth);
  }

  #loop(word: string, depth: number): void {
    this.#take(word);
    if (word === "WHILE") {
      this.#skipTo("DO");
      this.#take("DO");
    }
    this.#list([word === "REPEAT" ? "UNTIL" : "END"], depth);
    if (word === "REPEAT") this.#skipTo("END");
    this.#take("END");
    this.#take(word);
    this.#label();
  }

  #list(stops: readonly string[], depth: number): void {
    while (!stops.includes(this.#word())) {
      this.statement(depth + 1);
      if (this.#tokens[this.#at]?.kind !== "semicolon") throw this.#refusal();
      this.#at += 1;
    }
  }

  /** Checks SET. Server variables are refused, since they are not declared. */
  #set(): void {
    this.#take("SET");
    for (;;) {
      const target = this.#tokens[this.#at];
      const isOwn =
        target?.kind === "variable"
          ? !target.text.startsWith("@@")
          : (target?.kind === "word" || target?.kind === "name") && this.#variables.has(upper(target.text));
      if (!isOwn) throw this.#refusal();
      this.#at += 1;
      if (isSymbol(this.#tokens[this.#at], ":")) this.#at += 1;
      if (!isSymbol(this.#tokens[this.#at], "=")) throw this.#refusal();
      this.#skipTo(",");
      if (!isSymbol(this.#tokens[this.#at], ",")) return;
      this.#at += 1;
    }
  }

  #declare(depth: number): void {
    this.#take("DECLARE");
    if (wordOf(this.#tokens[this.#at + 1]) === "HANDLER") {
      this.#at += 2;
      this.#take("FOR");
      this.#conditions();
      this.statement(depth + 1);
      return;
    }
    const kind = wordOf(this.#tokens[this.#at + 1]);
    while (kind !== "CURSOR" && kind !== "CONDITION") {
      const name = this.#tokens[this.#at];
      if (name?.kind !== "word" && name?.kind !== "name") throw this.#refusal();
      this.#variables = new Set([...this.#variables, upper(name.text)]);
      this.#at += 1;
      if (!isSymbol(this.#tokens[this.#at], ",")) break;
      this.#at += 1;
    }
    this.#skipTo();
  }

  /** Skips SQLSTATE VALUE '02000', NOT FOUND, 1062, a_name ... */
  #conditions(): void {
    for (;;) {
      const word = this.#word();
      if (word === "NOT") this.#at += 2;
      else if (word === "SQLSTATE") this.#at += wordOf(this.#tokens[this.#at + 1]) === "VALUE" ? 3 : 2;
      else this.#at += 1;
      if (!isSymbol(this.#tokens[this.#at], ",")) return;
      this.#at += 1;
    }
  }

  /** Skips an expression or a query, to a word or comma outside of its parentheses and cases, or to the semicolon. */
  #skipTo(stop = ""): void {
    let parentheses = 0;
    let cases = 0;
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (token?.kind === "semicolon") break;
      const word = wordOf(token);
      const isOutside = parentheses === 0 && cases === 0;
      if (isOutside && stop !== "" && (word === stop || isSymbol(token, stop))) return;
      if (isSymbol(token, "(")) parentheses += 1;
      else if (isSymbol(token, ")")) parentheses -= 1;
      else if (word === "CASE") cases += 1;
      else if (word === "END" && cases > 0) cases -= 1;
    }
    if (stop !== "" && stop !== ",") throw this.#refusal();
  }

  #label(): void {
    const kind = this.#tokens[this.#at]?.kind;
    if (kind === "word" || kind === "name") this.#at += 1;
  }

  #word(): string {
    return wordOf(this.#tokens[this.#at]);
  }

  #take(word: string): void {
    if (this.#word() !== word) throw this.#refusal();
    this.#at += 1;
  }

  #refusal(): AppError {
    const text = this.#tokens[this.#at]?.text ?? "its end";
    return notAllowed(
      `Couldn't verify that stored function ${this.#name} is read-only: see ${text}. It is not allowed on a read-only connection.`,
    );
  }
}
