import type { SqlDialect } from "./dialects/registry.ts";
import { SQL_KEYWORDS } from "./keywords.ts";
import { SqlLexer, type SqlPiece } from "./lexer.ts";

/** Colour class of a piece of SQL: `quoted` is a quoted name, `mark` a sign or a server variable. */
export type SqlColour = "keyword" | "function" | "name" | "quoted" | "string" | "number" | "comment" | "mark" | "space";
/** `from` inclusive, `to` exclusive, in UTF-16 units of the text. */
export type ColouredSql = { kind: SqlColour; from: number; to: number };

/** Words that are keywords or functions, depending on a following bracket. */
const ALSO_FUNCTIONS = new Set([
  "range",
  "left",
  "right",
  "replace",
  "date",
  "time",
  "timestamp",
  "row",
  "truncate",
  "format",
  "glob",
]);

/** Splits the whole text into coloured pieces, without gaps. */
export function colourSql(text: string, dialect: SqlDialect): ColouredSql[] {
  const coloured: ColouredSql[] = [];
  const lexer = new SqlLexer(text, dialect);
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    coloured.push({ kind: colourOf(text, piece), from: piece.start, to: piece.end });
  }
  return coloured;
}

export function colourOf(text: string, { kind, start, end }: SqlPiece): SqlColour {
  switch (kind) {
    case "word":
      return colourOfWord(text.slice(start, end).toLowerCase(), text.charAt(end) === "(");
    case "name":
      return /[\w$\u0080-\uffff]/.test(text.charAt(start)) ? "name" : "quoted";
    case "hint":
    case "run":
      return "comment";
    case "symbol":
    case "semicolon":
    case "variable":
      return "mark";
    default:
      return kind;
  }
}

function colourOfWord(word: string, isCalled: boolean): SqlColour {
  if (SQL_KEYWORDS.has(word) && !(isCalled && ALSO_FUNCTIONS.has(word))) return "keyword";
  return isCalled ? "function" : "name";
}
