import type { SqlDialect } from "./dialects.ts";
import { SQL_KEYWORDS } from "./keywords.ts";
import { SqlLexer, type SqlPiece } from "./lexer.ts";

/** What a piece of SQL is to a reader: `quoted` is a name in quotes, `mark` a sign or a variable of the server. */
export type SqlColour = "keyword" | "function" | "name" | "quoted" | "string" | "number" | "comment" | "mark" | "space";
/** `from` inclusive, `to` exclusive, in UTF-16 units of the text. */
export type ColouredSql = { kind: SqlColour; from: number; to: number };

/** Words that are keywords in one place and functions in another: a bracket behind them decides. */
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

/** The whole text in coloured pieces, without gaps. */
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
