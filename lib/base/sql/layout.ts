import type { SqlDialect } from "./dialects/registry.ts";
import { SqlLexer } from "./lexer.ts";

/** Operators of several characters. */
const OPERATOR = /\|\||<=>|<>|[<>!]=|::|->>?|#>>?|[:=]=|=>|@>|<@|\{\{|\}\}|!?~~?\*?|\?[|&]|&&|<<|>>|\*\*|\/\//y;

/**
 * Returns whether two texts differ in their layout alone: the same words, names, strings and comments in the same
 * order. Checks that the formatter did not change the meaning.
 */
export function isSameSql(one: string, other: string, dialect: SqlDialect): boolean {
  const [pieces, others] = [readPieces(one, dialect), readPieces(other, dialect)];
  return pieces.length === others.length && pieces.every((piece, at) => piece === others[at]);
}

/** Returns the cursor position in a text that was formatted again: after the same number of non-space characters. */
export function placeInLayout(before: string, position: number, after: string): number {
  let left = before.slice(0, position).replace(/\s/g, "").length;
  let at = 0;
  while (left > 0 && at < after.length) {
    if (!/\s/.test(after.charAt(at))) left -= 1;
    at += 1;
  }
  return at;
}

function readPieces(text: string, dialect: SqlDialect): string[] {
  const pieces: string[] = [];
  const lexer = new SqlLexer(text, dialect);
  let behindOperator = 0;
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    if (piece.start < behindOperator) continue;
    let source = text.slice(piece.start, piece.end);
    OPERATOR.lastIndex = piece.start;
    if (piece.kind === "symbol" && OPERATOR.test(text)) {
      behindOperator = OPERATOR.lastIndex;
      source = text.slice(piece.start, behindOperator);
    }
    // A block comment is indented like the statement around it.
    const isComment = piece.kind === "comment" || piece.kind === "hint" || piece.kind === "run";
    if (piece.kind !== "space") pieces.push(isComment ? source.trim().replace(/\s+/g, " ") : source);
  }
  return pieces;
}
