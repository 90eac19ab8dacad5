import { readSqlTokens, type SqlDialect, type SqlToken } from "@/lib/sql/tokens";
import { VARIABLE_NAME } from "./schema";
import type { Mark } from "./variable-types";

/** The `{{name}}` of SQL text outside of strings, quoted names and comments. Space is allowed around the name. */
export function readSqlMarks(text: string, dialect: SqlDialect): Mark[] {
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
