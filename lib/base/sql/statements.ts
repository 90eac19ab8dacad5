import { readBody } from "./bodies.ts";
import { DIALECT_RULES, type SqlDialect } from "./dialects.ts";
import { SqlLexer, type SqlPiece, upper } from "./lexer.ts";
import { readSqlMarks } from "./marks.ts";

/**
 * One statement of a text: from its first word to its last, without leading comments and without its semicolon; `end` is
 * behind that. Offsets in UTF-16 units.
 */
export type SqlStatement = { from: number; to: number; end: number; text: string };

/** The statements of a text in order, without empty ones. */
export function splitStatements(text: string, dialect: SqlDialect): SqlStatement[] {
  return [...SqlScript.of(text, dialect).statements];
}

type Cut = SqlStatement & {
  /** What ends statements here: a semicolon, or what a DELIMITER line before it says. */
  delimiter: string;
  /** False for the last one of a text, when nothing ends it. */
  isClosed: boolean;
  /** What was found out about its text, wherever it stands. */
  known: { variables?: readonly string[] };
};

/** How much of two texts is compared at once. */
const COMPARED_CHARS = 4096;
const TAG = /\$\w*\$/;

/**
 * A text cut into its statements. After a change only what it touches is read again, so that typing in a script of a
 * megabyte costs as little as in a short one.
 */
export class SqlScript {
  readonly text: string;
  readonly dialect: SqlDialect;
  readonly #cuts: readonly Cut[];

  private constructor(text: string, dialect: SqlDialect, cuts: readonly Cut[]) {
    this.text = text;
    this.dialect = dialect;
    this.#cuts = cuts;
  }

  static of(text: string, dialect: SqlDialect): SqlScript {
    const cuts: Cut[] = [];
    cutStatements(text, dialect, 0, ";", (cut) => cuts.push(cut) > 0);
    return new SqlScript(text, dialect, cuts);
  }

  get statements(): readonly SqlStatement[] {
    return this.#cuts;
  }

  /** The same script with another text. */
  with(text: string): SqlScript {
    if (text === this.text) return this;
    // There, what is typed at the end of a text decides whether a tag at its beginning opens a string.
    if (DIALECT_RULES[this.dialect].bareTags && (TAG.test(text) || TAG.test(this.text))) {
      return SqlScript.of(text, this.dialect);
    }
    const old = this.#cuts;
    const head = commonHead(this.text, text);
    const tail = commonTail(this.text, text, head);
    const shift = text.length - this.text.length;
    // Behind a delimiter nothing depends on what stands before it, but for the delimiter itself.
    let kept = this.#indexBehind(head);
    while (kept > 0 && !old[kept - 1]?.isClosed) kept -= 1;
    const cuts = old.slice(0, kept);
    const from = cuts.at(-1);
    let next = kept;
    cutStatements(text, this.dialect, from?.end ?? 0, from?.delimiter ?? ";", (cut) => {
      cuts.push(cut);
      if (cut.end < text.length - tail) return true;
      while ((old[next]?.end ?? Number.POSITIVE_INFINITY) < cut.end - shift) next += 1;
      const same = old[next];
      const isSame = same?.isClosed && cut.isClosed && same.end === cut.end - shift && same.delimiter === cut.delimiter;
      if (!isSame) return true;
      for (const rest of old.slice(next + 1)) cuts.push(shift === 0 ? rest : shifted(rest, shift));
      return false;
    });
    return new SqlScript(text, this.dialect, cuts);
  }

  /**
   * The statement that a cursor means: the one around it, its ends included; else the one that ends before it on the
   * same line; else the one that follows, to which the comments before it belong; else the last.
   * @returns null when the text has no statement
   */
  at(position: number): SqlStatement | null {
    // The first one that does not end before the cursor.
    const index = this.#indexWhere(({ to }) => to < position);
    const [before, next] = [this.#cuts[index - 1], this.#cuts[index]];
    // Between `a;` and `b`, without a space, it is both at the end of one and at the beginning of the other.
    if (next && next.from <= position) return next;
    if (before && !this.text.slice(before.to, position).includes("\n")) return before;
    return next ?? before ?? null;
  }

  /** The statements of a part of the text, as if it stood alone, but for the delimiter. */
  within(from: number, to: number): SqlStatement[] {
    const cut = this.#cuts[this.#indexBehind(from)];
    const statements: SqlStatement[] = [];
    cutStatements(
      this.text.slice(from, to),
      this.dialect,
      0,
      cut?.delimiter ?? ";",
      (each) => statements.push(shifted(each, from)) > 0,
    );
    return statements;
  }

  /** The pieces from the beginning of a statement at or before `from` up to the one that reaches `to`. */
  pieces(from: number, to: number): SqlPiece[] {
    let index = this.#indexBehind(from);
    while (index > 0 && !this.#cuts[index - 1]?.isClosed) index -= 1;
    const pieces: SqlPiece[] = [];
    let start = this.#cuts[index - 1]?.end ?? 0;
    while (start < Math.min(to, this.text.length)) {
      while (this.#cuts[index] && !isOwnlyEnded(this.#cuts[index])) index += 1;
      // Behind a delimiter of its own a script is read anew, whatever the two would be together: `//` and `*`.
      const end = this.#cuts[index]?.end ?? this.text.length;
      const lexer = new SqlLexer(this.text, this.dialect, start);
      for (let piece = lexer.next(); piece && piece.start < Math.min(to, end); piece = lexer.next()) {
        pieces.push(piece.end > end ? { ...piece, kind: "symbol", end } : piece);
      }
      start = end;
      index += 1;
    }
    return pieces;
  }

  /** The names between {{ and }}, each once, in their order. Those in strings and comments are text like any other. */
  variables(): string[] {
    const names = new Set<string>();
    for (const { known, text } of this.#cuts) {
      known.variables ??= readSqlMarks(text, this.dialect).map(({ name }) => name);
      for (const name of known.variables) names.add(name);
    }
    return [...names];
  }

  /** The index of the first cut that ends behind a place. */
  #indexBehind(position: number): number {
    return this.#indexWhere(({ end }) => end <= position);
  }

  /** How many cuts from the first on fulfil what no later one does. */
  #indexWhere(isBefore: (cut: Cut) => boolean): number {
    let low = 0;
    let high = this.#cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const cut = this.#cuts[middle];
      if (cut && isBefore(cut)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** By another delimiter than a semicolon, which means something else to the database. */
function isOwnlyEnded(cut: Cut | undefined): boolean {
  return cut?.isClosed === true && cut.delimiter !== ";";
}

function shifted(cut: Cut, by: number): Cut {
  const { from, to, end, text, delimiter, isClosed, known } = cut;
  return { from: from + by, to: to + by, end: end + by, text, delimiter, isClosed, known };
}

/** MySQL's clients know the command at the beginning of a statement; the rest of its line is theirs, too. */
const DELIMITER_LINE = /delimiter[ \t]+(\S+)[^\n]*/iy;

/**
 * @param start behind a delimiter, or 0
 * @param onCut what to do with each statement; false ends the reading
 */
function cutStatements(
  text: string,
  dialect: SqlDialect,
  start: number,
  startDelimiter: string,
  onCut: (cut: Cut) => boolean,
): void {
  const { delimiterLines } = DIALECT_RULES[dialect];
  const lexer = new SqlLexer(text, dialect, start);
  let delimiter = startDelimiter;
  let body = readBody(dialect);
  let [hint, from, to] = [-1, -1, -1];
  const close = (end: number, isClosed: boolean): boolean => {
    const begin = hint < 0 ? from : hint;
    const isOn =
      from < 0 || onCut({ from: begin, to, end, text: text.slice(begin, to), delimiter, isClosed, known: {} });
    if (from >= 0) body = readBody(dialect);
    [hint, from] = [-1, -1];
    return isOn;
  };
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const { kind, start: at, end } = piece;
    if (kind === "space" || kind === "comment") continue;
    if (kind === "hint") {
      // What plans a statement may stand before its first word.
      if (from < 0 && hint < 0) hint = at;
      continue;
    }
    const line = from < 0 && delimiterLines && kind === "word" ? delimiterLineAt(text, at) : null;
    if (line) {
      ({ delimiter } = line);
      hint = -1;
      lexer.jump(line.end);
      continue;
    }
    const cutAt =
      delimiter === ";" ? (kind === "semicolon" && !body?.isInside ? at : null) : findDelimiter(text, piece, delimiter);
    if (cutAt === null || cutAt > at) {
      if (from < 0) from = at;
      to = cutAt ?? end;
    }
    if (cutAt !== null) {
      const cutEnd = cutAt + delimiter.length;
      lexer.jump(cutEnd);
      if (!close(cutEnd, true)) return;
    } else if (body && !body.isPlain) {
      const isSign = kind === "symbol" || kind === "semicolon";
      body.take(kind, kind === "word" ? upper(text.slice(at, end)) : isSign ? text.slice(at, end) : "");
    }
  }
  if (from >= 0) close(to, false);
}

function delimiterLineAt(text: string, at: number): { delimiter: string; end: number } | null {
  DELIMITER_LINE.lastIndex = at;
  const delimiter = DELIMITER_LINE.exec(text)?.[1];
  return delimiter === undefined
    ? null
    : { delimiter: delimiter.replace(/^(['"`])(.+)\1$/, "$2"), end: DELIMITER_LINE.lastIndex };
}

/** Clients look for it at every character outside of quotes and comments: `END$$` is no word to them. */
function findDelimiter(text: string, { kind, start, end }: SqlPiece, delimiter: string): number | null {
  const isQuoted = kind === "string" || kind === "run" || (kind === "name" && text.charAt(start) === "`");
  if (isQuoted) return null;
  const at = text.slice(start, end + delimiter.length - 1).indexOf(delimiter);
  return at < 0 ? null : start + at;
}

/** How many characters two texts have in common from their beginning. */
function commonHead(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.slice(at, at + COMPARED_CHARS) === other.slice(at, at + COMPARED_CHARS))
    at += COMPARED_CHARS;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return Math.min(at, length);
}

/** How many they have in common from their end, behind what they have from the beginning. */
function commonTail(one: string, other: string, head: number): number {
  const length = Math.min(one.length, other.length) - head;
  const end = (text: string, count: number) => text.slice(text.length - count - COMPARED_CHARS, text.length - count);
  let count = 0;
  while (count + COMPARED_CHARS <= length && end(one, count) === end(other, count)) count += COMPARED_CHARS;
  while (count < length && one.charCodeAt(one.length - 1 - count) === other.charCodeAt(other.length - 1 - count))
    count += 1;
  return count;
}
