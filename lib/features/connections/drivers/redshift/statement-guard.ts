import type { SqlDialect } from "../../../../base/sql/dialects/registry.ts";
import { readSqlTokens, type SqlToken, upper } from "../../../../base/sql/lexer.ts";
import { changeVerbOf } from "../../../../base/sql/statement-kind.ts";
import { READ_ONLY_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { AppError } from "../../../../platform/http/errors.ts";
import { checkStart, notAllowed, quoted, refuseUnsure } from "../shared/statements/refusals.ts";

/*
 * The statements that Redshift connections may run (T50). On a read-only connection this is the first of three guards:
 * the transaction is BEGIN READ ONLY, and it is always rolled back. This one refuses what the others let through:
 * statements that commit by themselves (TRUNCATE, CALL, UNLOAD), and functions that act outside of the transaction.
 */

const READING = new Set(["SELECT", "WITH", "SHOW", "EXPLAIN"]);
const CHANGING = new Set([
  ...["INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "ALTER", "DROP", "COMMENT", "GRANT", "REVOKE"],
  ...["COPY", "UNLOAD", "ANALYZE", "ANALYSE", "VACUUM", "REFRESH", "CALL", "LOCK", "ATTACH", "DETACH"],
]);
/** Statements about the session or the transaction, which end with the request. */
const NEVER = new Set([
  ...["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SET", "RESET", "USE", "CLOSE", "DECLARE", "FETCH"],
  ...["PREPARE", "EXECUTE", "DEALLOCATE", "CANCEL"],
]);
/** Functions named `pg_...` that only read. The others include those that end sessions. */
const READING_FUNCTIONS = new Set([
  ...["pg_backend_pid", "pg_client_encoding", "pg_get_cols", "pg_get_constraintdef", "pg_get_expr"],
  ...["pg_get_grantee_by_iam_role", "pg_get_iam_role_by_user", "pg_get_indexdef", "pg_get_late_binding_view_cols"],
  ...["pg_get_session_roles", "pg_get_userbyid", "pg_get_viewdef", "pg_last_copy_count", "pg_last_copy_id"],
  ...["pg_last_query_id", "pg_last_unload_count", "pg_last_unload_id", "pg_table_is_visible"],
]);
const ACTING_FUNCTION = /^(?:pg_|lo_|dblink|set_config$|setval$|nextval$|change_|database_to_|query_to_|table_to_xml)/;
/** White space and comments; a nested opening could end elsewhere than it seems to. */
const PLAIN_GAP = /^(?:[ \t\n\r\f\v]|--[^\n\r]*(?:[\n\r]|$)|\/\*(?:(?!\/\*)[\s\S])*?\*\/)*$/;
/** A backslash ends or continues a string, by a setting of the server: a text with one is checked in both readings. */
const READINGS: readonly SqlDialect[] = ["redshift", "postgres"];

/** Checks a statement. @throws AppError `invalid_request`, `read_only`, `not_allowed` */
export function checkStatement(query: string, readOnly: boolean): void {
  const readings = query.includes("\\") ? READINGS : READINGS.slice(0, 1);
  for (const dialect of readings) checkReading(query, readOnly, dialect);
}

function checkReading(query: string, readOnly: boolean, dialect: SqlDialect): void {
  const tokens = readSqlTokens(query, dialect);
  checkStart(tokens, readOnly, {
    reading: READING,
    changing: CHANGING,
    never: NEVER,
    advice: "SELECT, SHOW or EXPLAIN",
    wordOf,
    isChange: () => changeVerbOf(query, dialect) !== null,
  });
  if (!readOnly) return;
  refuseUnsure(query, tokens, PLAIN_GAP, (token, source) => isUnsure(query, token, source));
  refuseSecond(tokens);
  for (const [at, token] of tokens.entries()) refuseToken(token, tokens, at);
}

function refuseToken(token: SqlToken, tokens: readonly SqlToken[], at: number): void {
  const word = wordOf(token);
  const before = tokens[at - 1];
  const isStart = before?.text === "(" || wordOf(before) === "EXPLAIN" || wordOf(before) === "VERBOSE";
  // SELECT ... INTO creates a table; the word is reserved.
  if (word === "INTO" || (isStart && CHANGING.has(word) && tokens[at + 1]?.text !== "(")) {
    throw new AppError("read_only", READ_ONLY_MESSAGE);
  }
  const isName = token.kind === "word" || token.kind === "name";
  // `value.name` calls a function too, unless it names a relation of the catalogue.
  const isAttribute = before?.text === "." && tokens[at - 2]?.text.toLowerCase() !== "pg_catalog";
  const name = token.text.toLowerCase();
  const isCall = isName && name !== "pg_catalog" && (isAttribute || tokens[at + 1]?.text === "(");
  if (isCall && ACTING_FUNCTION.test(name) && !READING_FUNCTIONS.has(name)) {
    throw notAllowed(`The function ${quoted(name)} is not allowed on a read-only connection.`);
  }
}

function refuseSecond(tokens: readonly SqlToken[]): void {
  const end = tokens.findIndex(({ kind }) => kind === "semicolon");
  if (end >= 0 && tokens.slice(end).some(({ kind }) => kind !== "semicolon")) {
    throw notAllowed("Run one statement at a time on a read-only connection.");
  }
}

/** Returns whether the server could read a token differently, or the text to quote. */
function isUnsure(query: string, token: SqlToken, source: string): boolean | string {
  // A tag such as $$ is no quote everywhere.
  if (token.kind === "string" && !/'$/.test(source)) return true;
  if (token.kind === "symbol" && /[`\\]/.test(source)) return true;
  // U&"..." and U&'...' have different escapes.
  const isEscaped = source === "&" && /^["']$/.test(query.charAt(token.end)) && /u$/i.test(query.slice(0, token.start));
  return isEscaped && query.slice(token.start - 1);
}

function wordOf(token: SqlToken | undefined): string {
  return token?.kind === "word" ? upper(token.text) : "";
}
