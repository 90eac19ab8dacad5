import { SQL_KEYWORDS } from "@/lib/sql/keywords";

export type SqlTokenKind =
  | "keyword"
  | "function"
  | "name"
  | "quoted"
  | "string"
  | "number"
  | "comment"
  | "mark"
  | "space";
/** `from` inclusive, `to` exclusive, in UTF-16 units of the text. */
export type SqlToken = { kind: SqlTokenKind; from: number; to: number };

// One pattern, tried from the left at each place; an unclosed quote or comment runs to the end of the text.
const TOKEN = new RegExp(
  [
    /(?<space>\s+)/u,
    /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))/u,
    /(?<dollar>\$(?<tag>[A-Za-z_]\w*|)\$[\s\S]*?(?:\$\k<tag>\$|$))/u,
    /(?<string>[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$))/u,
    /(?<quoted>"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$))/u,
    /(?<number>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)/u,
    /(?<word>[\p{L}_][\p{L}\p{N}_$]*)/u,
    /(?<mark>[\s\S])/u,
  ]
    .map((part) => part.source)
    .join("|"),
  "gu",
);

/** Cuts SQL into tokens that cover the whole text. It knows no grammar: good for colours, statements and names in scope. */
export function lexSql(text: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const from = match.index;
    const to = from + match[0].length;
    tokens.push({ kind: toKind(match.groups ?? {}, text, to), from, to });
  }
  return tokens;
}

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

function toKind(groups: Record<string, string | undefined>, text: string, to: number): SqlTokenKind {
  if (groups.word !== undefined) {
    const word = groups.word.toLowerCase();
    const isCalled = text[to] === "(";
    if (SQL_KEYWORDS.has(word) && !(isCalled && ALSO_FUNCTIONS.has(word))) return "keyword";
    return isCalled ? "function" : "name";
  }
  if (groups.dollar !== undefined) return "string";
  for (const kind of ["space", "comment", "string", "quoted", "number"] as const) {
    if (groups[kind] !== undefined) return kind;
  }
  return "mark";
}
