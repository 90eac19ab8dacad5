import { readSqlTokens, type SqlToken, wordOf } from "../../../../base/sql/lexer.ts";
import { checkStart, notAllowed, quoted, refuseUnsure } from "../shared/statements/refusals.ts";

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

/** Checks a statement. @throws AppError `invalid_request`, `read_only`, `not_allowed` */
export function checkStatement(query: string, readOnly: boolean): void {
  const tokens = readSqlTokens(query, "trino");
  const rules = { reading: READING, changing: CHANGING, never: NEVER, advice: "SELECT or SHOW", wordOf };
  const start = checkStart(tokens, readOnly, rules);
  if (!readOnly) return;
  if (start === "SHOW" && wordOf(tokens[1]) === "CREATE" && !SHOW_CREATE.has(wordOf(tokens[2]))) {
    throw notAllowed("SHOW CREATE on a read-only connection supports tables, views, schemas and functions only.");
  }
  refuseUnsure(query, tokens, PLAIN_GAP, isUnsure);
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
        `Table function ${quoted(name)} can pass SQL to another database and is not allowed on a read-only connection.`,
      );
    }
  }
}

/** Returns whether the server could parse a token differently. */
function isUnsure({ kind }: SqlToken, source: string): boolean {
  if (kind === "string") return !/^(?:[uU]&|[xX])?'[\s\S]*'$/.test(source);
  // No name starts so, and the server may see a quote where we do not.
  return kind === "symbol" && /[`$\\]/.test(source);
}
