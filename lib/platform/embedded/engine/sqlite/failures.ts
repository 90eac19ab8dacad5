import { readSqlTokens } from "../../../../base/sql/lexer.ts";
import { READ_ONLY_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { StatementFailure } from "../failures.ts";
import type { EngineFailure } from "../wire.ts";

// Mask of SQLite's primary result codes (its page "Result and Error Codes"); the upper bits give details.
const PRIMARY_CODE = 0xff;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const AUTH = 23;
const RANGE = 25;
const READONLY_RECOVERY = 264;
const READONLY_ROLLBACK = 776;

/** Returns true for the error of a read-only connection after a writer was killed. */
export function isUnfinishedJournal(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? error.errcode : null;
  return code === READONLY_RECOVERY || code === READONLY_ROLLBACK;
}

/** Converts an error of SQLite or of its library into one for the caller. @param query the text of the statement */
export function toSqliteFailure(error: unknown, query: string): EngineFailure {
  if (error instanceof StatementFailure) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & PRIMARY_CODE : null;
  if (code === READONLY) return { kind: "read_only", message: READ_ONLY_MESSAGE };
  if (code === BUSY || code === LOCKED) {
    return {
      kind: "unavailable",
      message: "Another transaction is writing to this file. Commit or roll it back, or try again in a moment.",
    };
  }
  if (code === AUTH) return { kind: "not_allowed", message: "This is not allowed." };
  // The runtime's own errors about values have no SQLite code.
  const isBinding = code === RANGE || (code === null && error instanceof Error && "code" in error);
  if (isBinding) return { kind: "invalid_request", message: `The values do not match the statement: ${message}.` };
  const place = placeIn(query, message);
  return { kind: "query_failed", message, ...(place && { details: place }) };
}

/**
 * Returns the position of the word that SQLite names in an error. SQLite gives no offset, so the position is
 * undefined unless the word occurs exactly once.
 */
export function placeIn(query: string, message: string) {
  const word =
    /^near "([\s\S]+)": syntax error$/.exec(message)?.[1] ??
    /^no such (?:column|table|function): (.+)$/.exec(message)?.[1];
  if (word === undefined) return undefined;
  const last = word.split(".").at(-1);
  const places = readSqlTokens(query, "sqlite").filter((token) => token.text === word || token.text === last);
  const [only] = places;
  if (!only || places.length > 1) return undefined;
  const before = query.slice(0, only.start);
  return {
    position: only.start + 1,
    line: before.split("\n").length,
    column: before.length - before.lastIndexOf("\n"),
  };
}
