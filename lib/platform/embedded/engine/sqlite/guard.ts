import { readSqlTokens, type SqlToken } from "../../../../base/sql/lexer.ts";
import {
  EMPTY_STATEMENT_MESSAGE,
  OWN_FILE_MESSAGE,
  OWN_TRANSACTION_MESSAGE,
} from "../../../../base/sql/statement-messages.ts";
import { StatementFailure } from "../failures.ts";
import { checkLength, checkSize } from "../statement-size.ts";

/*
 * SQLite's own parser decides which statements an SQLite file allows (docs/develop/api.md, Queries): `authorizer.ts`.
 * The checks here need only the text, and give better messages.
 */

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  ATTACH: OWN_FILE_MESSAGE,
  DETACH: OWN_FILE_MESSAGE,
  BEGIN: OWN_TRANSACTION_MESSAGE,
  COMMIT: OWN_TRANSACTION_MESSAGE,
  END: OWN_TRANSACTION_MESSAGE,
  ROLLBACK: OWN_TRANSACTION_MESSAGE,
  SAVEPOINT: OWN_TRANSACTION_MESSAGE,
  RELEASE: OWN_TRANSACTION_MESSAGE,
};

/**
 * Checks the text of a statement.
 * @param mayControl whether it may control transactions
 * @returns the text's tokens
 * @throws StatementFailure `invalid_request`, `not_allowed`
 */
export function checkText(query: string, mayControl = false): SqlToken[] {
  // SQLite stops at the first NUL and replaces lone surrogates, so it would read a different text.
  if (query.includes("\0")) throw new StatementFailure("invalid_request", "The statement contains a NUL character.");
  if (!query.isWellFormed())
    throw new StatementFailure("invalid_request", "The statement contains an invalid character.");
  checkLength(query);
  const tokens = readSqlTokens(query, "sqlite").filter((token) => token.kind !== "semicolon");
  const [first] = tokens;
  if (!first) throw new StatementFailure("invalid_request", EMPTY_STATEMENT_MESSAGE);
  checkSize(tokens);
  const refusal = first.kind === "word" ? REFUSED_WORDS[first.text.toUpperCase()] : undefined;
  if (refusal !== undefined && !(mayControl && refusal === OWN_TRANSACTION_MESSAGE))
    throw new StatementFailure("not_allowed", refusal);
  return tokens;
}
