import { constants, DatabaseSync } from "node:sqlite";
import { readSqlTokens } from "../../../../base/sql/lexer.ts";
import type { SyntaxFault } from "../wire.ts";
import { placeIn } from "./failures.ts";

/** Errors of SQLite's tokenizer and grammar. All others depend on tables, functions or settings. */
const NEAR = /^near "[\s\S]*": syntax error$/;
const BAD_TOKEN = /^unrecognized token: "/;
const INCOMPLETE = "incomplete input";

/** Actions that SQLite may perform before a statement runs. */
const EARLY: ReadonlySet<number> = new Set([constants.SQLITE_PRAGMA, constants.SQLITE_ATTACH, constants.SQLITE_DETACH]);

/** Maximum number of texts to prepare: more semicolons than that are in no text of people, and are not checked. */
const PREPARED_MAX = 2_000;

/**
 * Finds the first syntax error of a text with SQLite's own parser, on an empty database in memory; null without one. Each
 * statement is prepared, and none runs. A statement ends at the first semicolon at which SQLite does not wait for more:
 * triggers contain others.
 */
export function findSqliteFault(text: string): SyntaxFault | null {
  const database = new DatabaseSync(":memory:", { allowExtension: false, limits: { attach: 0 } });
  database.setAuthorizer((action) => (EARLY.has(action) ? constants.SQLITE_DENY : constants.SQLITE_OK));
  try {
    const ends = readSqlTokens(text, "sqlite").flatMap(({ kind, end }) => (kind === "semicolon" ? [end] : []));
    if (ends.at(-1) !== text.length) ends.push(text.length);
    let start = 0;
    let unfinished: SyntaxFault | null = null;
    for (const [count, end] of ends.entries()) {
      if (count >= PREPARED_MAX) return null;
      const message = errorOf(database, text.slice(start, end));
      if (message === INCOMPLETE || (message !== null && BAD_TOKEN.test(message))) {
        unfinished ??= { message, offset: message === INCOMPLETE ? null : tokenAt(text, start, message) };
        continue;
      }
      if (message !== null && NEAR.test(message)) return { message, offset: wordAt(text, start, end, message) };
      start = end;
      unfinished = null;
    }
    return unfinished;
  } finally {
    database.close();
  }
}

/** Returns the error of a statement; null for one that could be prepared, and for a text without a statement. */
function errorOf(database: DatabaseSync, statement: string): string | null {
  try {
    database.prepare(statement);
    return null;
  } catch (error) {
    return error instanceof Error && "errcode" in error ? error.message : null;
  }
}

function wordAt(text: string, start: number, end: number, message: string): number {
  const found = placeIn(text.slice(start, end), message);
  return found ? start + found.position - 1 : firstTokenAt(text, start);
}

function tokenAt(text: string, start: number, message: string): number {
  const at = text.indexOf(message.slice(message.indexOf('"') + 1, -1), start);
  return at < 0 ? firstTokenAt(text, start) : at;
}

/** Returns the start of the statement: SQLite does not report where it found an error. */
function firstTokenAt(text: string, start: number): number {
  return start + (readSqlTokens(text.slice(start), "sqlite")[0]?.start ?? 0);
}
