import type { SqlDialect } from "./dialects/registry.ts";
import { readSqlTokens, type SqlToken } from "./lexer.ts";

/** A `{{name}}` in a text; offsets in UTF-16 units, `end` exclusive. */
export type Mark = { name: string; start: number; end: number };

/** Name between {{ and }}. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Returns the `{{name}}` of SQL text outside of strings, quoted names and comments. Spaces around the name are allowed.
 */
export function readSqlMarks(text: string, dialect: SqlDialect): Mark[] {
  if (!text.includes("{{")) return [];
  const tokens = readSqlTokens(text, dialect);
  const marks: Mark[] = [];
  for (let at = 0; at + 4 < tokens.length; at++) {
    const [open, open2, name, close, close2] = tokens.slice(at, at + 5);
    if (!open || !open2 || !name || !close || !close2) break;
    const isMark =
      isPair(open, open2, "{") && name.kind === "word" && VARIABLE_NAME.test(name.text) && isPair(close, close2, "}");
    if (!isMark) continue;
    marks.push({ name: name.text, start: open.start, end: close2.end });
    at += 4;
  }
  return marks;
}

function isPair(first: SqlToken, second: SqlToken, text: string): boolean {
  return [first, second].every((token) => token.kind === "symbol" && token.text === text) && first.end === second.start;
}
