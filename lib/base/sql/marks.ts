import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import { SqlLexer, type SqlPiece } from "./lexer.ts";

/** Offsets in UTF-16 units, `end` exclusive. */
export type Span = { start: number; end: number };
/** A `{{name}}` in a text, and the optional clause around it. Clauses with clauses inside are invalid. */
export type Mark = Span & { name: string; clause?: Span & { isNested?: boolean } };

/** Name between {{ and }}. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** An array may be written as `[[a]]`, too, but none starts or ends like this. */
const CLAUSE_START =
  /^(?:,|(?:and|or|where|having|qualify|prewhere|join|inner|cross|(?:left|right|full)\s+(?:outer\s+)?join|limit|offset|order\s+by|group\s+by|union|except|intersect)\b)/i;
const CLAUSE_END = /(?:,|\b(?:and|or))$/i;
/** Number of characters that determine whether CLAUSE_END applies. */
const CLAUSE_END_CHARS = 4;

/** Number of tokens of a variable: the brackets and its name. */
const MARK_TOKENS = 5;

/**
 * Returns the `{{name}}` of SQL text outside of strings, quoted names and comments. Spaces around the name are allowed.
 * `[[and a = {{a}}]]` is an optional clause.
 */
export function readSqlMarks(text: string, dialect: SqlDialect): Mark[] {
  if (!text.includes("{{")) return [];
  const lexer = new SqlLexer(text, dialect);
  const marks = new MarkReader(text, isSqlClause);
  const isClauseAt = DIALECTS[dialect].lexical.quotes["["] ? clauseFinder(text) : () => false;
  let last: SqlPiece[] = [];
  for (let at = 0; ; ) {
    // In some dialects, brackets quote names.
    if (isClauseAt(at)) {
      marks.open(at);
      marks.open(at + 1);
      at += 2;
      lexer.jump(at);
      last = [];
    }
    const piece = lexer.next();
    if (!piece) return marks.all;
    const { kind, start, end } = piece;
    at = end;
    if (kind === "space" || kind === "comment" || kind === "hint" || kind === "run") continue;
    last.push(piece);
    if (last.length > MARK_TOKENS) last.shift();
    const sign = kind === "symbol" ? text.slice(start, end) : "";
    if (sign === "[") marks.open(start);
    else if (sign === "]") marks.close(start);
    const [open, open2, name, close, close2] = last;
    if (!open || !open2 || !name || !close || !close2) continue;
    const word = text.slice(name.start, name.end);
    const isBraced = isPair(text, [open, open2], "{") && isPair(text, [close, close2], "}");
    if (!isBraced || name.kind !== "word" || !VARIABLE_NAME.test(word)) continue;
    marks.add({ name: word, start: open.start, end: close2.end });
    last = [];
  }
}

function isSqlClause(inner: string): boolean {
  return CLAUSE_START.test(inner) || isClauseEnd(inner);
}

function isClauseEnd(inner: string): boolean {
  return CLAUSE_END.test(inner.slice(-CLAUSE_END_CHARS));
}

/**
 * Returns a function that tells an optional clause from a quoted name at a position, by its start or by the text before
 * the next closing bracket. Called with ascending positions, it searches for each bracket once.
 */
function clauseFinder(text: string): (at: number) => boolean {
  const lastClose = text.lastIndexOf("]]");
  let close = -1;
  let isEnd = false;
  return (at) => {
    if (at >= lastClose || !text.startsWith("[[", at)) return false;
    if (close < at) {
      close = text.indexOf("]", at);
      isEnd = text.charAt(close + 1) === "]" && isClauseEnd(text.slice(at + 2, close).trimEnd());
    }
    return isEnd || CLAUSE_START.test(text.slice(at + 2, close).trimStart());
  };
}

/** Returns an error for the first optional clause with another one inside; null without one. */
export function findNestedClause(marks: readonly Mark[]): { message: string; offset: number } | null {
  const offset = marks.find(({ clause }) => clause?.isNested)?.clause?.start;
  if (offset === undefined) return null;
  return { message: "An optional clause cannot contain another one. Close it with ]] before the next [[.", offset };
}

/** Returns the text with spaces in place of the brackets of its optional clauses: offsets stay. */
export function openClauses(text: string, marks: readonly Mark[]): string {
  return replaceClauses(text, marks, (clause) => `  ${clause.slice(2, -2)}  `);
}

/** Returns the text with spaces in place of its optional clauses: offsets stay. */
export function blankClauses(text: string, marks: readonly Mark[]): string {
  return replaceClauses(text, marks, (clause) => " ".repeat(clause.length));
}

function replaceClauses(text: string, marks: readonly Mark[], replace: (clause: string) => string): string {
  let replaced = "";
  for (const { clause } of marks) {
    if (!clause || clause.start < replaced.length) continue;
    replaced += text.slice(replaced.length, clause.start) + replace(text.slice(clause.start, clause.end));
  }
  return replaced + text.slice(replaced.length);
}

/** Collects the variables of a text with their optional clauses: `[[` with the `]]` that closes the same brackets. */
export class MarkReader {
  readonly all: Mark[] = [];
  readonly #text: string;
  readonly #isClause: (inner: string) => boolean;
  /** Brackets that are open, with the number of variables before them. */
  readonly #open: { at: number; count: number }[] = [];
  /** Pair of brackets that was closed last. */
  #pair: Span | null = null;
  #lastClauseStart = -1;
  #hasNested = false;

  /** @param isClause tells a clause from an array, by the trimmed text inside its brackets */
  constructor(text: string, isClause: (inner: string) => boolean) {
    this.#text = text;
    this.#isClause = isClause;
  }

  add(mark: Mark): void {
    this.all.push(mark);
  }

  /** Takes a `[`. */
  open(at: number): void {
    this.#open.push({ at, count: this.all.length });
  }

  /** Takes a `]`. */
  close(at: number): void {
    const open = this.#open.pop();
    const inner = this.#pair;
    this.#pair = open ? { start: open.at, end: at + 1 } : null;
    if (!open || inner?.start !== open.at + 1 || inner.end !== at || open.count === this.all.length) return;
    if (!this.#isClause(this.#text.slice(open.at + 2, at - 1).trim())) return;
    const isNested = this.#lastClauseStart > open.at;
    // One is enough for an error: marking the same variables for each level would take quadratic time.
    if (isNested && this.#hasNested) return;
    this.#hasNested ||= isNested;
    this.#lastClauseStart = open.at;
    const clause: Mark["clause"] = { start: open.at, end: at + 1, ...(isNested && { isNested }) };
    for (const mark of this.all.slice(open.count)) mark.clause = clause;
  }
}

function isPair(text: string, [first, second]: SqlPiece[], sign: string): boolean {
  return (
    first?.end !== undefined &&
    first.end === second?.start &&
    [first, second].every(({ kind, start, end }) => kind === "symbol" && text.slice(start, end) === sign)
  );
}
