import type { SqlDialect } from "./dialects/registry.ts";
import { SqlLexer, type SqlPiece } from "./lexer.ts";

/** Offsets in UTF-16 units, `end` exclusive. */
export type Span = { start: number; end: number };
/** A `{{name}}` in a text, and the optional clause around it. */
export type Mark = Span & { name: string; clause?: Span };

/** Name between {{ and }}. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** An array may be written as `[[a]]`, too, but none starts or ends like this. */
const CLAUSE_START =
  /^\[\[\s*(?:,|(?:and|or|where|having|qualify|prewhere|join|inner|cross|(?:left|right|full)\s+(?:outer\s+)?join|limit|offset|order\s+by|group\s+by|union|except|intersect)\b)/i;
const CLAUSE_END = /(?:,|\b(?:and|or))\s*\]\]$/i;

/** Number of tokens of a variable: the brackets and its name. */
const MARK_TOKENS = 5;

/**
 * Returns the `{{name}}` of SQL text outside of strings, quoted names and comments. Spaces around the name are allowed.
 * `[[and a = {{a}}]]` is an optional clause.
 */
export function readSqlMarks(text: string, dialect: SqlDialect): Mark[] {
  if (!text.includes("{{")) return [];
  const lexer = new SqlLexer(text, dialect);
  const isClause = (span: string) => CLAUSE_START.test(span) || CLAUSE_END.test(span);
  const marks = new MarkReader(text, isClause);
  const lastClose = text.lastIndexOf("]]");
  let last: SqlPiece[] = [];
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const { kind, start, end } = piece;
    if (kind === "space" || kind === "comment" || kind === "hint" || kind === "run") continue;
    // In some dialects, brackets quote names.
    if (kind === "name" && start < lastClose && isClause(text.slice(start, end + 1))) {
      lexer.jump(start + 2);
      marks.open(start);
      last = [];
      continue;
    }
    last.push(piece);
    if (last.length > MARK_TOKENS) last.shift();
    if (isPair(text, last.slice(-2), "[")) marks.open(end - 2);
    else if (isPair(text, last.slice(-2), "]")) marks.close(end);
    const [open, open2, name, close, close2] = last;
    if (!open || !open2 || !name || !close || !close2) continue;
    const word = text.slice(name.start, name.end);
    const isBraced = isPair(text, [open, open2], "{") && isPair(text, [close, close2], "}");
    if (!isBraced || name.kind !== "word" || !VARIABLE_NAME.test(word)) continue;
    marks.add({ name: word, start: open.start, end: close2.end });
    last = [];
  }
  return marks.all;
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

/** Collects the variables of a text with their optional clauses. */
export class MarkReader {
  readonly all: Mark[] = [];
  readonly #text: string;
  readonly #isClause: (text: string) => boolean;
  /** Start of the brackets that are open, and the number of variables before them. */
  #open: { start: number; count: number } | null = null;

  /** @param isClause tells a clause from an array, by its text with the brackets */
  constructor(text: string, isClause: (text: string) => boolean) {
    this.#text = text;
    this.#isClause = isClause;
  }

  add(mark: Mark): void {
    this.all.push(mark);
  }

  /** Takes a `[[`. */
  open(start: number): void {
    this.#open = { start, count: this.all.length };
  }

  /** Takes a `]]`. */
  close(end: number): void {
    if (this.#open === null) return;
    const { start, count } = this.#open;
    this.#open = null;
    if (count === this.all.length || !this.#isClause(this.#text.slice(start, end))) return;
    for (const mark of this.all.slice(count)) mark.clause = { start, end };
  }
}

function isPair(text: string, [first, second]: SqlPiece[], sign: string): boolean {
  return (
    first?.end !== undefined &&
    first.end === second?.start &&
    [first, second].every(({ kind, start, end }) => kind === "symbol" && text.slice(start, end) === sign)
  );
}
