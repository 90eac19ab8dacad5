import type { SqlDialect } from "./dialects/registry.ts";
import { colourSql } from "./highlight.ts";

/**
 * Position of the error of a failed query. `line` and `column` are 1-based, in the console's text; `from`../..`to` is
 * the range to mark.
 */
export type ErrorPlace = { line: number; column: number; from: number; to: number };

/** The statement as sent: its start in the console's text, and its dialect. */
type SentStatement = { from: number; text: string; dialect: SqlDialect };

/** A correction of a statement: `replacement` replaces the text from offset `from` to `to`; people read `text`. */
export type QuerySuggestion = { text: string; replacement: string; from: number; to: number };

/** `details` of the answer (docs/develop/api.md, Queries): places are 1-based, offsets 0-based, in the text as sent. */
export type QueryErrorDetails = {
  position?: number;
  line?: number;
  column?: number;
  candidates?: string[];
  suggestions?: QuerySuggestion[];
};

export type QueryErrorDescription = {
  title: string;
  name: string | null;
  unknown?: "column" | "table" | "function";
  /** Several tables have the column. */
  isAmbiguous?: true;
};

const COLUMN = [
  /referenced column "([^"]+)" (?:not found|was not found)/i,
  /does not have a column named "([^"]+)"/i,
  /column "?(?:[\w$]+\.)?([^"\s]+?)"? does not exist/i,
  /unknown column '(?:[^'.]+\.)*([^'.]+)'/i,
  /no such column: (?:\w+\.)?(\S+)/i,
  /unknown (?:expression )?identifier [`'"]?([\w.]+)/i,
  /column '(?:[^'.]+\.)*([^'.]+)' cannot be resolved/i,
];
const TABLE = [
  /table with name (\S+?) does not exist/i,
  /relation "([^"]+)" does not exist/i,
  /table '(?:[^'.]+\.)*([^'.]+)' (?:doesn't|does not) exist/i,
  /no such table: (\S+)/i,
  /unknown table expression identifier '([^']+)'/i,
  /referenced table "([^"]+)" not found/i,
];
const FUNCTION = [
  /scalar function with name (\S+) does not exist/i,
  /(?:aggregate|table|macro) function with name (\S+) does not exist/i,
  /function (?:\w+\.)*(\w+)\([^)]*\) does not exist/i,
  /function (?:\w+\.)*(\w+) does not exist/i,
  /function with name [`'"]?(\w+)[`'"]? does not exist/i,
  /function '(\w+)' not registered/i,
  /no such function: (\w+)/i,
];
const AMBIGUOUS = [
  /column reference "([^"]+)" is ambiguous/i,
  /ambiguous reference to column name "([^"]+)"/i,
  /ambiguous (?:column name|identifier):? '?(?:\w+\.)*(\w+)/i,
  /column '([^']+)' (?:in [\w ]+ )?is ambiguous/i,
];
const SYNTAX = [/syntax error at or near "([^"]+)"/i, /near "([^"]+)": syntax error/i, /syntax to use near '([^']+)'/i];
const SYNTAX_AT_END = /syntax error at end of input|incomplete input/i;

/**
 * Describes a failed query: in words for the most frequent errors, by the first line of the database's message
 * otherwise. The full message is always shown below.
 * @returns `name` is the table, column, function or word that caused the error; null if the database names none.
 * `unknown` is the kind of a name that does not exist.
 */
export function describeQueryError(message: string): QueryErrorDescription {
  const first = (patterns: RegExp[]) => patterns.map((p) => p.exec(message)?.[1]).find((hit) => hit !== undefined);
  const column = first(COLUMN);
  if (column !== undefined) return { title: `Unknown column "${column}"`, name: column, unknown: "column" };
  const table = first(TABLE);
  if (table !== undefined) {
    return { title: `Unknown table "${stripMark(table)}"`, name: stripMark(table), unknown: "table" };
  }
  const called = first(FUNCTION);
  // With types, since it may exist for others.
  const typed = /function (?:\w+\.)*(\w+\([^)]+\)) does not exist/i.exec(message)?.[1];
  if (called !== undefined)
    return { title: `Unknown function "${typed ?? called}"`, name: called, unknown: "function" };
  const ambiguous = first(AMBIGUOUS);
  if (ambiguous !== undefined) return { title: `Ambiguous column "${ambiguous}"`, name: ambiguous, isAmbiguous: true };
  const word = first(SYNTAX);
  if (word !== undefined) return { title: `Syntax error at "${word}"`, name: word };
  if (SYNTAX_AT_END.test(message)) return { title: "Unexpected end of query", name: null };
  return { title: message.split("\n")[0]?.trim() || "The database rejected the query", name: null };
}

/**
 * Locates an error in the console's text.
 * @param content the console's text when it was run
 * @param name that caused the error: searched for if the answer has no position
 * @returns null if neither the details nor the name lead to a position
 */
export function locateError(
  content: string,
  sent: SentStatement,
  details: QueryErrorDetails,
  name: string | null,
): ErrorPlace | null {
  const { from: statementFrom, text: statement } = sent;
  let offset: number | null = null;
  if (details.position !== undefined) offset = details.position - 1;
  else if (details.line !== undefined) offset = toOffset(statement, details.line, details.column ?? 1);
  else if (name !== null) offset = findName(sent, name);
  if (offset === null) return null;
  const at = Math.min(Math.max(0, offset), Math.max(0, statement.length - 1));
  const token = wordAt(sent, at, name);
  const from = statementFrom + token.from;
  const before = content.slice(0, from);
  const line = before.split("\n").length;
  return { line, column: from - (before.lastIndexOf("\n") + 1) + 1, from, to: statementFrom + token.to };
}

function stripMark(name: string): string {
  return name.replace(/[!"'`]+$/g, "").replace(/^["'`]+/g, "");
}

function toOffset(text: string, line: number, column: number): number {
  let start = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  return start + column - 1;
}

function findName({ text: statement, dialect }: SentStatement, name: string): number | null {
  const folded = name.toLowerCase();
  const token = colourSql(statement, dialect).find(({ kind, from, to }) => {
    if (kind === "comment" || kind === "string") return false;
    return (
      statement
        .slice(from, to)
        .replace(/^["`[]|["`\]]$/g, "")
        .toLowerCase() === folded
    );
  });
  return token?.from ?? null;
}

/**
 * Returns the token at a position. Databases point at `p.nam` as a whole, or at its start: the wrong name is marked.
 */
function wordAt(sent: SentStatement, at: number, name: string | null): { from: number; to: number } {
  const { text: statement, dialect } = sent;
  const tokens = colourSql(statement, dialect);
  const index = tokens.findIndex(({ from, to }) => at >= from && at < to);
  const token = tokens[index];
  if (token === undefined) return { from: at, to: Math.min(statement.length, at + 1) };
  const isDot = (t: typeof token | undefined) => t !== undefined && statement.slice(t.from, t.to) === ".";
  const afterDot = tokens[index + 2];
  const matches = (t: typeof token) =>
    name !== null && statement.slice(t.from, t.to).toLowerCase() === name.toLowerCase();
  if (isDot(tokens[index + 1]) && afterDot !== undefined && matches(afterDot) && !matches(token)) return afterDot;
  return token;
}
