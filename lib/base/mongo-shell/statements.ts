import { Lexer, ShellSyntaxError, type Token } from "./lexer";

/**
 * One statement of a shell's text: from its first word to its last, without leading comments and without its semicolon;
 * `end` is behind that. Offsets in UTF-16 units.
 */
export type ShellStatementText = { from: number; to: number; end: number; text: string };

/** A statement goes on in the next line where that begins with one of these. */
const GOES_ON = ".([,)]}:+-*/";
/** However deep one is: a line that begins so is a new statement, and what was before it has no end yet. */
const BEGINNING = /db\s*[.[]/y;

/**
 * A text in MongoDB's shell language cut into its statements, by the lexer that the server reads them with. They end at a
 * semicolon, or with their line where the next one does not go on with it.
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

  /** The same script with another text; what ends before the first change is not read again. */
  with(text: string): ShellScript {
    if (text === this.text) return this;
    const head = commonHead(this.text, text);
    // The last one before the change may go on in what is new.
    const kept = this.statements.filter(({ end }) => end < head).slice(0, -1);
    return new ShellScript(text, [...kept, ...cut(text, kept.at(-1)?.end ?? 0)]);
  }

  /**
   * The statement that a cursor means: the one around it, its ends included; else the one that ends before it on the
   * same line; else the one that follows; else the last.
   * @returns null when the text has no statement
   */
  at(position: number): ShellStatementText | null {
    const index = this.statements.findIndex(({ to }) => to >= position);
    const next = index < 0 ? undefined : this.statements[index];
    const before = this.statements[(index < 0 ? this.statements.length : index) - 1];
    if (next && next.from <= position) return next;
    if (before && !this.text.slice(before.to, position).includes("\n")) return before;
    return next ?? before ?? null;
  }

  /** The statements of a part of the text, as if it stood alone. */
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
      // A text without an end, while it is typed: it is part of its statement, which ends with its line at the latest.
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

/** Behind a name, a value or a closing bracket a slash divides; elsewhere it begins a regular expression. */
function expectsValue(last: Token | null): boolean {
  if (last === null) return true;
  return last.kind === "symbol" && !")]}".includes(last.text);
}

function commonHead(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}
