import type { SqlDialect } from "./dialects/registry.ts";
import { SqlLexer, toSqlToken, upper } from "./lexer.ts";

/** Statements that change rows, by their verb. */
export const CHANGE_VERBS = ["insert", "update", "delete", "merge", "replace"] as const;
export type ChangeVerb = (typeof CHANGE_VERBS)[number];

const VERB_OF: Readonly<Record<string, ChangeVerb | undefined>> = {
  INSERT: "insert",
  UPDATE: "update",
  DELETE: "delete",
  MERGE: "merge",
  REPLACE: "replace",
};
/** Verbs that may follow the list of a WITH; any other word ends the search. */
const AFTER_WITH = new Set([...Object.keys(VERB_OF), "SELECT", "VALUES", "TABLE", "FROM"]);

/**
 * Returns the verb of a statement that changes rows, also after a WITH. Null for a query, for DDL, and for a statement
 * that only explains or calls another one.
 */
export function changeVerbOf(text: string, dialect: SqlDialect): ChangeVerb | null {
  const lexer = new SqlLexer(text, dialect);
  let depth = 0;
  let isBehindWith = false;
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const token = toSqlToken(text, dialect, piece);
    if (!token) continue;
    if (token.kind === "symbol" && token.text === "(") depth += 1;
    else if (token.kind === "symbol" && token.text === ")") depth -= 1;
    if (token.kind !== "word" || (isBehindWith && depth > 0)) continue;
    const word = upper(token.text);
    if (!isBehindWith && word === "WITH") isBehindWith = true;
    else if (!isBehindWith || AFTER_WITH.has(word)) return VERB_OF[word] ?? null;
  }
  return null;
}

/** Returns the first word of a statement in capitals; empty if it starts with something else. */
export function firstWordOf(text: string, dialect: SqlDialect): string {
  const lexer = new SqlLexer(text, dialect);
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const token = toSqlToken(text, dialect, piece);
    if (token) return token.kind === "word" ? upper(token.text) : "";
  }
  return "";
}
