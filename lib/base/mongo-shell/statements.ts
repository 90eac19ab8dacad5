import { commonHead } from "@/lib/base/text/common-ends";
import { Lexer, ShellSyntaxError, type Token } from "./lexer";

/**
 * One statement of a shell's text: from its first word to its last, without leading comments and without its semicolon;
 * `end` is after the semicolon. Offsets in UTF-16 units.
 */
export type ShellStatementText = { from: number; to: number; end: number; text: string };

/** Characters that continue a statement if the next line begins with one of them. */
const GOES_ON = ".([,)]}:+-*/";
/** At any depth, a line with this start is a new statement, and the one before it is unfinished. */
const BEGINNING = /db\s*[.[]/y;

/**
 * A text in MongoDB's shell language split into its statements, by the lexer that the server uses. They end at a
 * semicolon, or with their line if the next one does not continue it.
 */
export class ShellScript {
  readonly text: string;
  readonly dialect = "mongodb";
  readonly statements: readonly ShellStatementText[];

  private constructor(text: string, statements: readonly ShellStatementText[]) {
    this.text = text;
    this.statements = statements;
  }

  static of(text: string): ShellScript {
    return new ShellScript(text, cut(text, 0));
  }

  /** Returns the script with another text; statements that end before the first change are not read again. */
  with(text: string): ShellScript {
    if (text === this.text) return this;
    const head = commonHead(this.text, text);
    // The last one before the change may continue in the new text.
    const kept = this.statements.filter(({ end }) => end < head).slice(0, -1);
    return new ShellScript(text, [...kept, ...cut(text, kept.at(-1)?.end ?? 0)]);
  }

  /**
   * Returns the statement at a cursor: the one around it, including its ends; else the one that ends before it on the
   * same line; else the next one; else the last.
   * @returns null if the text has no statement
   */
  at(position: number): ShellStatementText | null {
    const index = this.statements.findIndex(({ to }) => to >= position);
    const next = index < 0 ? undefined : this.statements[index];
    const before = this.statements[(index < 0 ? this.statements.length : index) - 1];
    if (next && next.from <= position) return next;
    if (before && !this.text.slice(before.to, position).includes("\n")) return before;
    return next ?? before ?? null;
  }

  /** Returns the statements of a part of the text, as if the rest were missing. */
  within(from: number, to: number): ShellStatementText[] {
    return cut(this.text.slice(from, to), 0).map((each) => ({
      ...each,
      from: each.from + from,
      to: each.to + from,
      end: each.end + from,
    }));
  }
}

function cut(text: string, start: number): ShellStatementText[] {
  const statements: ShellStatementText[] = [];
  let lexer = new Lexer(text, start);
  let [from, to, depth] = [-1, start, 0];
  let last: Token | null = null;
  const close = (end: number) => {
    if (from >= 0) statements.push({ from, to, end, text: text.slice(from, to) });
    [from, depth, last] = [-1, 0, null];
  };
  for (;;) {
    let token: Token;
    try {
      token = lexer.next(expectsValue(last));
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
      // An unclosed string, while it is typed: it is part of its statement, which ends with its line at the latest.
      const bad = Math.max(error.offset, to);
      const newline = text.indexOf("\n", bad);
      const end = newline < 0 ? text.length : newline;
      if (from < 0) from = bad;
      to = bad + text.slice(bad, end).trimEnd().length;
      lexer = new Lexer(text, end);
      if (end === text.length) {
        close(to);
        return statements;
      }
      continue;
    }
    if (token.kind === "end") {
      close(to);
      return statements;
    }
    const isSign = token.kind === "symbol";
    if (isSign && token.text === ";" && depth === 0) {
      close(token.end);
      to = token.end;
      continue;
    }
    if (from >= 0 && isNewLine(text, to, token.start) && beginsAnew(text, token, depth, last)) close(to);
    if (from < 0) from = token.start;
    if (isSign && "([{".includes(token.text)) depth += 1;
    if (isSign && ")]}".includes(token.text)) depth = Math.max(0, depth - 1);
    to = token.end;
    last = token;
  }
}

function isNewLine(text: string, from: number, to: number): boolean {
  return text.slice(from, to).includes("\n");
}

function beginsAnew(text: string, token: Token, depth: number, last: Token | null): boolean {
  BEGINNING.lastIndex = token.start;
  if (token.kind === "name" && BEGINNING.test(text)) return last?.text !== "." || last.kind !== "symbol";
  if (depth > 0 || (last?.kind === "symbol" && last.text === ".")) return false;
  return token.kind !== "symbol" || !GOES_ON.includes(token.text);
}

/** After a name, a value or a closing bracket a slash divides; elsewhere it starts a regular expression. */
function expectsValue(last: Token | null): boolean {
  if (last === null) return true;
  return last.kind === "symbol" && !")]}".includes(last.text);
}
