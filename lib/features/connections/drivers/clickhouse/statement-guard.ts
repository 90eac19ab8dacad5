import { readSqlTokens, type SqlToken, wordOf } from "../../../../base/sql/lexer.ts";
import { ONE_STATEMENT_MESSAGE, READ_ONLY_MESSAGE } from "../../../../base/sql/statement-messages.ts";
import { AppError } from "../../../../platform/http/errors.ts";
import { notAllowed, quoted } from "../shared/statements/refusals.ts";
import { ALLOWED_FUNCTIONS, ALLOWED_TABLE_FUNCTIONS, REFUSED_FUNCTIONS, STRUCTURE_FUNCTIONS } from "./functions.ts";

/*
 * The statements that ClickHouse connections may run. The setting readonly=1 refuses writes, DDL, other settings and
 * most table functions. This guard refuses what it lets through: functions that read the server's files or query other
 * servers. The server's EXPLAIN AST is no substitute: it omits functions in APPLY and in strings. So the text is parsed
 * here, and text that server versions parse differently is refused first.
 */

const READING = new Set(["SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS", "VALUES", "FROM"]);
const CHANGING = new Set([
  ...["INSERT", "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "OPTIMIZE", "DELETE", "UPDATE", "EXCHANGE", "UNDROP"],
  ...["GRANT", "REVOKE"],
]);
/** Statements about the session, which ends with the request. */
const NEVER = new Set(["SET", "USE", "BEGIN", "COMMIT", "ROLLBACK"]);
/** White space and comments that end at the same place in every version. */
const PLAIN_GAP = /^(?:[ \t\n\r\f\v]|--[^\n]*(?:\n|$)|#[ !][^\n]*(?:\n|$)|\/\*(?:(?!\/\*)[\s\S])*?\*\/)*$/;
const HEX_LITERAL = /^[xXbB]'[0-9a-fA-F]*'$/;
/** Keywords in a column description that add more than a name and a type. */
const EXPRESSION_WORDS = /\b(?:alias|default|materialized|ephemeral|codec|ttl|statistics|primary|constraint|index)\b/i;

/** A server's functions that statements may not use; see `refusedAmong`. */
export type RefusedFunctions = {
  /** Returns whether a call is refused. The name is in lower case. */
  isCallRefused(name: string): boolean;
  /** Returns whether a bare name is refused, which higher-order functions and APPLY call. Case-sensitive. */
  isNameRefused(name: string): boolean;
};

export type ServerFunction = { name: string; kind: "System" | "SQLUserDefined" | "table" | string };

/** @param functions of this server; null when it does not list them: then everything unlisted here is refused */
export function refusedAmong(functions: readonly ServerFunction[] | null): RefusedFunctions {
  if (functions === null) {
    return { isCallRefused: (name) => !isListed(name), isNameRefused: (name) => !isAllowedBare(name) };
  }
  const called = new Set(REFUSED_FUNCTIONS);
  const bare = new Set<string>();
  for (const { name, kind } of functions) {
    const lower = name.toLowerCase();
    // SQL of a user-defined function was approved by those who may create functions on this server.
    if (kind === "SQLUserDefined") continue;
    if (kind === "table" ? !ALLOWED_TABLE_FUNCTIONS.has(lower) : kind !== "System" || !ALLOWED_FUNCTIONS.has(lower)) {
      if (!(kind === "table" && ALLOWED_FUNCTIONS.has(lower))) called.add(lower);
      if (kind !== "table") bare.add(name);
    }
  }
  return {
    isCallRefused: (name) => called.has(name),
    isNameRefused: (name) => bare.has(name) || REFUSED_FUNCTIONS.has(name.toLowerCase()),
  };
}

const SYSTEM_DATABASE = "system";
/** System tables with password hashes of users, or with passwords of other servers. */
const SECRET_TABLES = new Set(["users", "named_collections", "user_directories", "certificates", "tokens"]);
/** The same names within a text that is not a name, such as a pattern of `merge`. */
const SECRET_IN_TEXT = /user|named|collection|director|cert|token|\.[*+]|^$/i;
/** Kinds of objects whose definition contains a password hash. */
const SHOW_CREATE_SECRETS = new Set(["USER", "USERS", "NAMED", "ACCESS"]);

/**
 * Refuses statements that print password hashes. Where names are not written out, both parts of a name count anywhere.
 * @param params values of `{name:Identifier}` count as names
 * @param database the default database
 * @throws AppError `not_allowed`
 */
export function checkSecrets(
  words: readonly SqlToken[],
  params: readonly (readonly [name: string, value: string])[],
  database: string,
): void {
  const start = words.findIndex((token) => token.text !== "(");
  const shown = wordOf(words[start]) === "SHOW" ? wordOf(words[start + 1]) : "";
  if (shown === "ACCESS" || (shown === "CREATE" && SHOW_CREATE_SECRETS.has(wordOf(words[start + 2])))) {
    throw notAllowed("This can expose password hashes and is not allowed on a read-only connection.");
  }
  const texts = params.map(([, value]) => value);
  const names = [...words.flatMap(({ kind, text }) => (kind === "word" || kind === "name" ? [text] : [])), ...texts];
  const strings = words.flatMap(({ kind, text }) => (kind === "string" ? [text] : []));
  const isSystem = database === SYSTEM_DATABASE || [...names, ...strings].includes(SYSTEM_DATABASE);
  if (!isSystem) return;
  const isByPattern = words.some((token, index) => wordOf(token) === "MERGE" && words[index + 1]?.text === "(");
  const found =
    names.find((name) => SECRET_TABLES.has(name)) ??
    (isByPattern ? [...strings, ...texts].find((text) => SECRET_IN_TEXT.test(text)) : undefined);
  if (found === undefined) return;
  throw notAllowed(`system.${quoted(found)} can't be read on a read-only connection because it can contain passwords.`);
}

/** Keywords before a parenthesis that are not functions. */
const SYNTAX = new Set(
  `select from where prewhere having by on using in and or not between as with over join all any union intersect except
  limit offset when then else case distinct interval array tuple nullable lowcardinality map decimal fixedstring enum8
  enum16 datetime datetime64 time64 enum variant dynamic json simpleaggregatefunction aggregatefunction explain view
  values columns replace apply sets rollup cube fill interpolate exists cast extract qualify window sample settings`.split(
    /\s+/,
  ),
);

function isListed(name: string): boolean {
  return (
    !REFUSED_FUNCTIONS.has(name) &&
    (ALLOWED_FUNCTIONS.has(name) || ALLOWED_TABLE_FUNCTIONS.has(name) || SYNTAX.has(name))
  );
}

function isAllowedBare(name: string): boolean {
  return !REFUSED_FUNCTIONS.has(name.toLowerCase());
}

/**
 * @param refused the refused functions of the server; only used for a read-only statement
 * @throws AppError `invalid_request`, `query_failed`, `read_only`, `not_allowed`
 */
export function checkStatement(query: string, readOnly: boolean): SqlToken[] {
  const tokens = readSqlTokens(query, "clickhouse");
  const last = tokens.findLastIndex((token) => token.kind !== "semicolon");
  const words = tokens.slice(0, last + 1);
  if (words.length === 0) throw new AppError("invalid_request", "No statement to run.");
  const start = wordOf(words.find((token) => token.text !== "("));
  if (words.some((token) => token.kind === "semicolon")) throw new AppError("query_failed", ONE_STATEMENT_MESSAGE);
  if (NEVER.has(start)) throw notAllowed("Each statement runs in a new session, so this has no effect.");
  if (start !== "INSERT") refuseFormat(words);
  if (!readOnly) return words;
  if (CHANGING.has(start)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (!READING.has(start)) {
    throw notAllowed(`${start || "This statement"} is not allowed on a read-only connection. Use SELECT or SHOW.`);
  }
  refuseUnsure(query, tokens);
  return words;
}

/**
 * Checks the functions that a read-only statement calls.
 * @param params values of `{name:Identifier}` count as names
 * @throws AppError `not_allowed`
 */
export function checkFunctions(
  words: readonly SqlToken[],
  params: readonly (readonly [name: string, value: string])[],
  refused: RefusedFunctions,
): void {
  let depth = 0;
  for (const [index, token] of words.entries()) {
    if (token.text === "(" && token.kind === "symbol") depth += 1;
    if (token.text === ")" && token.kind === "symbol") depth -= 1;
    if (token.kind !== "word" && token.kind !== "name") continue;
    const isCalled = words[index + 1]?.text === "(" && words[index + 1]?.kind === "symbol";
    if (isCalled) {
      if (refused.isCallRefused(token.text.toLowerCase())) throw refusedFunction(token.text);
      if (STRUCTURE_FUNCTIONS.has(token.text.toLowerCase())) checkStructure(token.text, words, index + 2);
    } else if (isFunctionName(words, index, depth) && refused.isNameRefused(token.text)) {
      throw notAllowed(
        `${quoted(token.text)} is not allowed on a read-only connection. If it is a column, qualify it: t.${quoted(token.text)}.`,
      );
    }
  }
  const takesNames = words.some((token) => wordOf(token) === "IDENTIFIER");
  for (const [, value] of params) if (takesNames && refused.isNameRefused(value)) throw refusedFunction(value);
}

/** Returns whether a bare name may be a function: after APPLY, and as an argument of a higher-order function. */
function isFunctionName(words: readonly SqlToken[], index: number, depth: number): boolean {
  const before = words[index - 1];
  return wordOf(before) === "APPLY" || (depth > 0 && before?.text !== ".");
}

/**
 * Checks a column description, which is a string: `b String ALIAS file('/a')` in it calls a function. So it must be a
 * literal with only names and types.
 */
function checkStructure(name: string, words: readonly SqlToken[], from: number): void {
  const isValues = name.toLowerCase() === "values";
  let at = from;
  while (isValues && words[at]?.text === "(" && words[at]?.kind === "symbol") at += 1;
  const first = words[at];
  const next = words[at + 1]?.text;
  if (first === undefined || first.kind === "number" || (first.kind === "symbol" && ")[-".includes(first.text))) return;
  const isWhole = first.kind === "string" && (next === "," || next === ")");
  if (isWhole && !first.text.includes("\\") && !EXPRESSION_WORDS.test(first.text)) return;
  throw notAllowed(
    `The first argument of ${quoted(name)} must be a string of names and types, without defaults or aliases.`,
  );
}

/** @throws AppError `not_allowed` for text that server versions parse differently */
function refuseUnsure(query: string, tokens: readonly SqlToken[]): void {
  if (query.includes("\0") || !query.isWellFormed()) throw notAllowed("The statement contains an invalid character.");
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    refuseGap(query.slice(at, token.start));
    at = token.end;
    const source = query.slice(token.start, token.end);
    const next = tokens[index + 1];
    const adjoinsWord = token.kind === "number" && next?.kind === "word" && next.start === token.end;
    if (token.kind === "string" ? !isPlainString(source) : !isPlainName(source, token) || adjoinsWord) {
      throw unsure(source);
    }
  }
  refuseGap(query.slice(at));
}

function isPlainString(source: string): boolean {
  return (source.length > 1 && source.startsWith("'") && source.endsWith("'")) || HEX_LITERAL.test(source);
}

function isPlainName(source: string, token: SqlToken): boolean {
  if (token.kind === "name") {
    return source.length > 1 && /^["`]/.test(source) && source.at(-1) === source[0] && !source.includes("\\");
  }
  // Beyond ASCII there are spaces, quotes and symbols that only some versions know; `$` may start a heredoc.
  return (
    /^[\x20-\x7e]+$/.test(source) &&
    !/[$#\\]/.test(source) &&
    !/^\d+[A-Za-z_]/.test(token.kind === "word" ? source : "")
  );
}

function refuseGap(gap: string): void {
  if (!PLAIN_GAP.test(gap)) throw unsure(gap.trim());
}

function unsure(text: string): AppError {
  return notAllowed(
    `ClickHouse versions parse this differently, so it is not allowed on a read-only connection: ${quoted(text)}`,
  );
}

function refusedFunction(name: string): AppError {
  return notAllowed(`${quoted(name)} can access files or other servers and is not allowed on a read-only connection.`);
}

/** Refuses `FORMAT name` at the end, which would change the response format. */
function refuseFormat(words: readonly SqlToken[]): void {
  const at = words.findIndex((token, index) => {
    const next = words[index + 1];
    return wordOf(token) === "FORMAT" && next?.kind === "word" && words[index - 1]?.text !== ".";
  });
  const isClause = at > 0 && words.slice(at + 2).every((token, index) => index > 0 || wordOf(token) === "SETTINGS");
  if (isClause) throw notAllowed("FORMAT is not supported. Remove it.");
  if (words.some((token, index) => wordOf(token) === "INTO" && wordOf(words[index + 1]) === "OUTFILE")) {
    throw notAllowed("INTO OUTFILE is not supported. Export the result instead.");
  }
}
