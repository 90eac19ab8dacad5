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

/** A statement that controls the transaction. `savepoint` sets, releases or returns to one. */
export type TransactionStep = "begin" | "commit" | "rollback" | "savepoint";

const STEP_OF: Readonly<Record<string, TransactionStep | undefined>> = {
  BEGIN: "begin",
  START: "begin",
  COMMIT: "commit",
  END: "commit",
  ROLLBACK: "rollback",
  ABORT: "rollback",
  SAVEPOINT: "savepoint",
  RELEASE: "savepoint",
};
/** Words that a plain BEGIN, COMMIT or ROLLBACK may consist of. Everything else is an option. */
const PLAIN_WORDS = new Set([...Object.keys(STEP_OF), "TRANSACTION", "WORK", "READ", "ONLY"]);
/** Longest step: ROLLBACK TRANSACTION TO SAVEPOINT a. */
const STEP_TOKENS_MAX = 5;

/**
 * Returns the step of a statement that controls the transaction; null for any other statement.
 * @returns `isPlain` false for a step with options other than READ ONLY
 */
export function transactionStepOf(
  text: string,
  dialect: SqlDialect,
): { step: TransactionStep; isPlain: boolean } | null {
  const lexer = new SqlLexer(text, dialect);
  const words: string[] = [];
  for (let piece = lexer.next(); piece && words.length <= STEP_TOKENS_MAX; piece = lexer.next()) {
    const token = toSqlToken(text, dialect, piece);
    if (!token || token.kind === "semicolon") continue;
    words.push(token.kind === "word" ? upper(token.text) : token.kind === "name" ? "" : ".");
    if (words.length === 1 && !STEP_OF[words[0] ?? ""]) return null;
  }
  const [first = ""] = words;
  const step = STEP_OF[first];
  if (!step) return null;
  const to = words.indexOf("TO");
  const isTo = first === "ROLLBACK" && to > 0;
  if (step !== "savepoint" && !isTo) return { step, isPlain: words.every((word) => PLAIN_WORDS.has(word)) };
  const named = words.slice(isTo ? to + 1 : 1).filter((word, index) => index > 0 || word !== "SAVEPOINT");
  return { step: "savepoint", isPlain: named.length === 1 && named[0] !== "." };
}
