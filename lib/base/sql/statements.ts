import { commonHead, commonTail } from "../text/common-ends.ts";
import { readBody } from "./bodies.ts";
import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import { SqlLexer, type SqlPiece, upper } from "./lexer.ts";
import { type Mark, readSqlMarks } from "./marks.ts";

/**
 * One statement of a text: from its first word to its last, without leading comments and without its semicolon; `end`
 * is after the semicolon. Offsets in UTF-16 units.
 */
export type SqlStatement = { from: number; to: number; end: number; text: string };

/** Returns the statements of a text in order, without empty ones. */
export function splitStatements(text: string, dialect: SqlDialect): SqlStatement[] {
  return [...SqlScript.of(text, dialect).statements];
}

type Cut = SqlStatement & {
  /** Delimiter of statements: a semicolon, or the delimiter of the last DELIMITER line. */
  delimiter: string;
  /** False for the last one of a text, if no delimiter ends it. */
  isClosed: boolean;
  /** Cached facts about its text, independent of its position. */
  known: { marks?: readonly Mark[] };
};

const TAG = /\$\w*\$/;

/**
 * A text split into its statements. After a change only the affected part is read again, so that typing in a script of
 * a megabyte is as fast as in a short one.
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

  /** Returns the script with another text. */
  with(text: string): SqlScript {
    if (text === this.text) return this;
    // In this dialect, text at the end decides whether a tag at the start opens a string.
    if (DIALECTS[this.dialect].lexical.bareTags && (TAG.test(text) || TAG.test(this.text))) {
      return SqlScript.of(text, this.dialect);
    }
    const old = this.#cuts;
    const head = commonHead(this.text, text);
    const tail = commonTail(this.text, text, head);
    const shift = text.length - this.text.length;
    // After a delimiter, nothing depends on the text before it except the delimiter itself.
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
   * Returns the statement at a cursor: the one around it, including its ends; else the one that ends before it on the
   * same line; else the next one, including its leading comments; else the last.
   * @returns null if the text has no statement
   */
  at(position: number): SqlStatement | null {
    // The first one that ends at or after the cursor.
    const index = this.#indexWhere(({ to }) => to < position);
    const [before, next] = [this.#cuts[index - 1], this.#cuts[index]];
    // Between `a;` and `b` without a space, the cursor is at the end of one and at the start of the other.
    if (next && next.from <= position) return next;
    if (before && !this.text.slice(before.to, position).includes("\n")) return before;
    return next ?? before ?? null;
  }

  /**
   * Returns the statements of a part of the text, as if the rest were missing, with the delimiter that applies there.
   */
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

  /** Returns the pieces from the start of a statement at or before `from` up to the one that reaches `to`. */
  pieces(from: number, to: number): SqlPiece[] {
    let index = this.#indexBehind(from);
    while (index > 0 && !this.#cuts[index - 1]?.isClosed) index -= 1;
    const pieces: SqlPiece[] = [];
    let start = this.#cuts[index - 1]?.end ?? 0;
    while (start < Math.min(to, this.text.length)) {
      while (this.#cuts[index] && !isOwnlyEnded(this.#cuts[index])) index += 1;
      // After a custom delimiter the script is read again, so that `//` and `*` do not form a comment.
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

  /**
   * Returns the names between {{ and }}, each once, in order. Those in strings and comments are plain text. One that is
   * only in optional clauses needs no value.
   */
  variables(): { name: string; isOptional: boolean }[] {
    const names = new Map<string, boolean>();
    for (const { known, text } of this.#cuts) {
      known.marks ??= readSqlMarks(text, this.dialect);
      for (const { name, clause } of known.marks) names.set(name, (names.get(name) ?? true) && clause !== undefined);
    }
    return [...names].map(([name, isOptional]) => ({ name, isOptional }));
  }

  /** Returns the index of the first cut that ends after a position. */
  #indexBehind(position: number): number {
    return this.#indexWhere(({ end }) => end <= position);
  }

  /** Returns the number of leading cuts that satisfy a condition; no later cut does. */
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

/** Returns whether a custom delimiter ends it, which means something else to the database. */
function isOwnlyEnded(cut: Cut | undefined): boolean {
  return cut?.isClosed === true && cut.delimiter !== ";";
}

function shifted(cut: Cut, by: number): Cut {
  const { from, to, end, text, delimiter, isClosed, known } = cut;
  return { from: from + by, to: to + by, end: end + by, text, delimiter, isClosed, known };
}

/** MySQL's clients recognise the command at the start of a statement; the rest of its line belongs to it, too. */
const DELIMITER_LINE = /delimiter[ \t]+(\S+)[^\n]*/iy;

/**
 * @param start after a delimiter, or 0
 * @param onCut receives each statement; false stops reading
 */
function cutStatements(
  text: string,
  dialect: SqlDialect,
  start: number,
  startDelimiter: string,
  onCut: (cut: Cut) => boolean,
): void {
  const { delimiterLines } = DIALECTS[dialect].lexical;
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
      // An optimizer hint may precede the first word of a statement.
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

/**
 * Finds a delimiter. Clients look for it at every character outside of quotes and comments: `END$$` is not a word to
 * them.
 */
function findDelimiter(text: string, { kind, start, end }: SqlPiece, delimiter: string): number | null {
  const isQuoted = kind === "string" || kind === "run" || (kind === "name" && text.charAt(start) === "`");
  if (isQuoted) return null;
  const at = text.slice(start, end + delimiter.length - 1).indexOf(delimiter);
  return at < 0 ? null : start + at;
}
