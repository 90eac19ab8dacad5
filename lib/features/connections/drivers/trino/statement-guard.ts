import { readSqlTokens, type SqlToken } from "../../../../base/sql/lexer.ts";
import { READ_ONLY_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { AppError } from "../../../../platform/http/errors.ts";

/*
 * The statements that Trino connections may run. Its parser takes one statement only, and a read-only one runs in a
 * transaction that the server keeps read-only for every connector: every change of data or definitions asks the
 * transaction first, and procedures do not run in one at all. This guard refuses before anything is sent, and refuses
 * what such a transaction lets through: table functions, with which connectors pass text on to other databases, and
 * statements about the session, which ends with the request.
 */

const READING = new Set(["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"]);
const CHANGING = new Set([
  ...["INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "ALTER", "DROP", "COMMENT", "ANALYZE", "REFRESH"],
  ...["GRANT", "REVOKE", "DENY"],
]);
/** Statements about the session, which ends with the request. */
const NEVER = new Set([...["SET", "RESET", "USE", "START", "COMMIT", "ROLLBACK", "PREPARE", "EXECUTE", "DEALLOCATE"]]);
/** Objects whose definition has no password. That of a catalog contains the login to its database. */
const SHOW_CREATE = new Set(["TABLE", "VIEW", "MATERIALIZED", "SCHEMA", "FUNCTION"]);
/** Table functions of the engine itself, which use only their arguments. */
const TABLE_FUNCTIONS = new Set(["sequence", "exclude_columns"]);
/** White space and comments; a nested opening would end elsewhere than it seems to. */
const PLAIN_GAP = /^(?:[ \t\n\r]|--[^\n\r]*(?:[\n\r]|$)|\/\*(?:(?!\/\*)[\s\S])*?\*\/)*$/;
const NAME_CHARS_MAX = 60;

/** Checks a statement. @throws AppError `invalid_request`, `read_only`, `not_allowed` */
export function checkStatement(query: string, readOnly: boolean): void {
  const tokens = readSqlTokens(query, "trino");
  const first = tokens.find(({ text }) => text !== "(");
  if (!first || first.kind === "semicolon") {
    throw new AppError("invalid_request", "No statement to run.");
  }
  const start = wordOf(first);
  if (NEVER.has(start)) throw notAllowed("Each statement runs in a new session, so this has no effect.");
  if (!readOnly) return;
  if (CHANGING.has(start)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (!READING.has(start)) {
    const named = first.text.slice(0, NAME_CHARS_MAX);
    throw notAllowed(`${named} is not allowed on a read-only connection. Use SELECT or SHOW.`);
  }
  if (start === "SHOW" && wordOf(tokens[1]) === "CREATE" && !SHOW_CREATE.has(wordOf(tokens[2]))) {
    throw notAllowed("SHOW CREATE on a read-only connection supports tables, views, schemas and functions only.");
  }
  refuseUnsure(query, tokens);
  refuseTableFunctions(tokens);
}

/** Refuses table functions: `TABLE(name(...))`. Only an unqualified name, or one of system.builtin, is the engine's. */
function refuseTableFunctions(tokens: readonly SqlToken[]): void {
  for (const [index, token] of tokens.entries()) {
    if (wordOf(token) !== "TABLE" || tokens[index + 1]?.text !== "(") continue;
    const end = tokens.findIndex(({ text, kind }, at) => at > index + 1 && kind === "symbol" && "()".includes(text));
    const parts = tokens.slice(index + 2, end < 0 ? undefined : end).map(({ text }) => text.toLowerCase());
    const name = parts.join("").replace(/^system\.builtin\./, "");
    // TABLE(TABLE name) and TABLE(SELECT ...) are arguments of such a function, whose name was checked before them.
    if (tokens[end]?.text === ")" || wordOf(tokens[index + 2]) === "SELECT") continue;
    if (!TABLE_FUNCTIONS.has(name)) {
      throw notAllowed(
        `Table function ${name.slice(0, NAME_CHARS_MAX)} can pass SQL to another database and is not allowed on a read-only connection.`,
      );
    }
  }
}

/** @throws AppError `not_allowed` for text that the server could parse differently */
function refuseUnsure(query: string, tokens: readonly SqlToken[]): void {
  let at = 0;
  for (const token of tokens) {
    if (!PLAIN_GAP.test(query.slice(at, token.start))) throw unsure(query.slice(at, token.end));
    at = token.end;
    const source = query.slice(token.start, token.end);
    if (token.kind === "string" && !/^(?:[uU]&|[xX])?'[\s\S]*'$/.test(source)) throw unsure(source);
    if (token.kind === "name" && (source.length < 2 || !/^".*"$/s.test(source))) throw unsure(source);
    // No name starts so, and the server may see a quote where we do not.
    if (token.kind === "symbol" && /[`$\\]/.test(source)) throw unsure(source);
  }
  if (!PLAIN_GAP.test(query.slice(at))) throw unsure(query.slice(at));
}

function unsure(text: string): AppError {
  return notAllowed(
    `This is ambiguous and not allowed on a read-only connection: ${text.trim().slice(0, NAME_CHARS_MAX)}`,
  );
}

function notAllowed(message: string): AppError {
  return new AppError("not_allowed", message);
}

function wordOf(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}
