import { lexSql } from "@/lib/sql/lexer";

/** One statement of a console: from its first word to its last, without leading comments and without its semicolon. */
export type SqlStatement = { from: number; to: number; text: string };

/** Every statement of a text, in order. Semicolons in strings, comments and dollar quotes do not end one. */
export function splitStatements(text: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let from = -1;
  let to = -1;
  const close = () => {
    if (from >= 0) statements.push({ from, to, text: text.slice(from, to) });
    from = -1;
  };
  for (const token of lexSql(text)) {
    if (token.kind === "mark" && text[token.from] === ";") close();
    else if (token.kind !== "space" && token.kind !== "comment") {
      if (from < 0) from = token.from;
      to = token.to;
    }
  }
  close();
  return statements;
}

/**
 * The statement that the cursor is in: the one around it, else the one that ends before it on the same line, else the
 * one that begins after it, else the last.
 * @returns null when the text has no statement
 */
export function findStatementAt(text: string, position: number): SqlStatement | null {
  const statements = splitStatements(text);
  const around = statements.find(({ from, to }) => position >= from && position <= to);
  if (around) return around;
  const before = statements.filter(({ to }) => to < position).at(-1);
  if (before && !text.slice(before.to, position).includes("\n")) return before;
  return statements.find(({ from }) => from > position) ?? before ?? null;
}
