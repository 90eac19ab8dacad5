import { StatementType } from "@duckdb/node-api";
import { readSqlTokens, type SqlToken, wordOf } from "../../../base/sql/lexer.ts";
import {
  EMPTY_STATEMENT_MESSAGE,
  ONE_STATEMENT_MESSAGE,
  OWN_FILE_MESSAGE,
  OWN_TRANSACTION_MESSAGE,
  READ_ONLY_MESSAGE,
} from "../../../base/sql/statement-messages.ts";
import { splitStatements } from "../../../base/sql/statements.ts";
import { StatementFailure } from "./failures.ts";
import {
  ALLOWED_PRAGMAS,
  ALLOWED_TABLE_FUNCTIONS,
  ALLOWED_VIEWS,
  REFUSED_SCALAR_FUNCTIONS,
  TELLING_FUNCTIONS,
} from "./functions.ts";
import { OWN_SCHEMA } from "./own-schema.ts";
import { checkLength, checkSize } from "./statement-size.ts";

/** Built-in DuckDB names that statements may not use, in lower case. */
export type Refused = { functions: ReadonlySet<string>; views: ReadonlySet<string> };

/*
 * Rules for statements (docs/develop/api.md, Queries; T40). Three checks, none of which relies on the text alone:
 * 1. The engine's settings: no external access, no extensions, a locked configuration, a read-only transaction.
 * 2. The engine's parser and planner: the type of the prepared statement, the functions in its tree, its plan.
 * 3. The words of the text, for a helpful message, and for statements whose tree DuckDB does not provide.
 */

const READING: ReadonlySet<StatementType> = new Set([StatementType.SELECT, StatementType.EXPLAIN]);
const WRITING: ReadonlySet<StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO,
  StatementType.CREATE,
  StatementType.CREATE_FUNC,
  StatementType.ALTER,
  StatementType.DROP,
  StatementType.ANALYZE,
  StatementType.VACUUM,
]);

const SETTINGS = "Settings can't be changed because each statement runs in a new session.";
const OWN_RECORDS = `Schema ${OWN_SCHEMA} has records of Millrace. Use another schema.`;
const PREPARED = "Prepared statements are not supported. Use `params` instead.";
const CALLS = "CALL is not supported. Use SELECT * FROM function(...).";

/** First keywords of statements that are always refused, each with its message. */
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  ATTACH: OWN_FILE_MESSAGE,
  DETACH: OWN_FILE_MESSAGE,
  COPY: OWN_FILE_MESSAGE,
  EXPORT: OWN_FILE_MESSAGE,
  IMPORT: OWN_FILE_MESSAGE,
  INSTALL: OWN_FILE_MESSAGE,
  LOAD: OWN_FILE_MESSAGE,
  SET: SETTINGS,
  RESET: SETTINGS,
  USE: SETTINGS,
  BEGIN: OWN_TRANSACTION_MESSAGE,
  START: OWN_TRANSACTION_MESSAGE,
  COMMIT: OWN_TRANSACTION_MESSAGE,
  END: OWN_TRANSACTION_MESSAGE,
  ROLLBACK: OWN_TRANSACTION_MESSAGE,
  ABORT: OWN_TRANSACTION_MESSAGE,
  PREPARE: PREPARED,
  EXECUTE: PREPARED,
  DEALLOCATE: PREPARED,
  CALL: CALLS,
  CHECKPOINT: CALLS,
  FORCE: OWN_FILE_MESSAGE,
};

/** Keywords between CREATE or DROP and the kind of object. */
const CREATE_MODIFIERS = new Set(["OR", "REPLACE", "TEMP", "TEMPORARY", "PERSISTENT"]);

/**
 * Tokenises the text and refuses what the words alone show.
 * @param mayControl whether it may begin and end transactions
 * @throws StatementFailure `invalid_request` for an empty text, `query_failed` for several statements, `not_allowed`
 */
export function checkText(query: string, mayControl = false): SqlToken[] {
  checkLength(query);
  const tokens = readSqlTokens(query, "duckdb");
  const first = tokens.find((token) => token.kind !== "semicolon");
  if (!first) throw new StatementFailure("invalid_request", EMPTY_STATEMENT_MESSAGE);
  checkSize(tokens);
  const count = splitStatements(query, "duckdb").length;
  if (count > 1) {
    throw new StatementFailure("query_failed", `${ONE_STATEMENT_MESSAGE} This text has ${count}.`);
  }
  checkSchemas(tokens);
  const [word = "", second = ""] = tokens.filter((token) => token.kind !== "semicolon").map(wordOf);
  const refusal = REFUSED_WORDS[word];
  if (refusal && !(mayControl && refusal === OWN_TRANSACTION_MESSAGE))
    throw new StatementFailure("not_allowed", refusal);
  if (word === "UPDATE" && second === "EXTENSIONS") throw new StatementFailure("not_allowed", OWN_FILE_MESSAGE);
  if (word === "PRAGMA" && !ALLOWED_PRAGMAS.has(second.toLowerCase())) {
    throw new StatementFailure("not_allowed", SETTINGS);
  }
  if (word === "CREATE" || word === "DROP") {
    const kind = tokens
      .slice(1)
      .map(wordOf)
      .find((each) => !CREATE_MODIFIERS.has(each));
    if (kind === "SECRET") throw new StatementFailure("not_allowed", OWN_FILE_MESSAGE);
  }
  return tokens;
}

/**
 * Refuses the schema of Millrace's records by its name: a search path can't be set. `checkPlan` refuses it in the views
 * and macros of an uploaded file. A plan without a scan, such as a count, and functions that take a table's name as text
 * may tell its columns and statistics, but no rows.
 * @throws StatementFailure `not_allowed`
 */
export function checkSchemas(tokens: readonly SqlToken[]): void {
  const isNamed = tokens.some(({ kind, text }) => {
    return (kind === "word" || kind === "name") && text.toLowerCase() === OWN_SCHEMA;
  });
  if (isNamed) throw new StatementFailure("not_allowed", OWN_RECORDS);
}

/** @throws StatementFailure `not_allowed`, `read_only` */
export function checkType(type: StatementType, readOnly: boolean, mayControl = false): void {
  if (READING.has(type) || (mayControl && type === StatementType.TRANSACTION)) return;
  if (!WRITING.has(type)) {
    throw new StatementFailure("not_allowed", `${nameOf(type)} statements are not supported. ${OWN_FILE_MESSAGE}`);
  }
  if (readOnly) throw new StatementFailure("read_only", READ_ONLY_MESSAGE);
}

/**
 * Checks the parse tree of a query.
 * @throws StatementFailure `not_allowed`
 */
export function checkTree(node: unknown, refused: Refused): void {
  if (Array.isArray(node)) {
    for (const item of node) checkTree(item, refused);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { function_name: name, table_name: table, ...rest } = node as { function_name?: unknown; table_name?: unknown };
  if (typeof name === "string") refuseFunction(name, refused);
  if (typeof table === "string") refuseView(table, refused);
  for (const value of Object.values(rest)) checkTree(value, refused);
}

/**
 * Checks statements whose tree DuckDB does not provide: every name before an opening bracket, and every name and string
 * that could be a view's.
 * @throws StatementFailure `not_allowed`
 */
export function checkNames(tokens: readonly SqlToken[], refused: Refused): void {
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "word" || token.kind === "name" || token.kind === "string") refuseView(token.text, refused);
    const isCall = tokens[index + 1]?.text === "(" && (token.kind === "word" || token.kind === "name");
    if (isCall) refuseFunction(token.text, refused);
  }
}

/**
 * Checks a plan in DuckDB's JSON form, in which the bodies of views and macros replace their names.
 * @param mayTell allows functions that reveal the path, because DuckDB's own views use them but omit the path
 * @throws StatementFailure `not_allowed`
 */
export function checkPlan(node: unknown, refused: Refused, mayTell: boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) checkPlan(item, refused, mayTell);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { name, extra_info: info, children } = node as Record<string, unknown>;
  const { Function: called, Table: table } =
    typeof info === "object" && info !== null ? (info as Record<string, unknown>) : {};
  // The table's name follows those of the database and the schema.
  if (typeof table === "string" && table.toLowerCase().includes(`.${OWN_SCHEMA}.`)) {
    throw new StatementFailure("not_allowed", OWN_RECORDS);
  }
  for (const each of [name, called]) {
    if (typeof each !== "string" || (mayTell && TELLING_FUNCTIONS.has(each.trim().toLowerCase()))) continue;
    refuseFunction(each.trim(), refused);
  }
  checkPlan(children, refused, mayTell);
}

/** Returns the tables and views that a parse tree names, in lower case. */
export function namesIn(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const item of node) namesIn(item, found);
  else if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      if ((key === "table_name" || key === "function_name") && typeof value === "string")
        found.add(value.toLowerCase());
      else namesIn(value, found);
    }
  }
  return found;
}

/**
 * Returns the statement inside an EXPLAIN ANALYZE, which runs it; null for other statements and for a plain EXPLAIN.
 * Options may be in brackets, `EXPLAIN (ANALYZE, FORMAT json) ...`.
 */
export function explainedText(query: string, tokens: readonly SqlToken[]): string | null {
  if (wordOf(tokens[0]) !== "EXPLAIN") return null;
  let index = 1;
  let analyzes = false;
  if (tokens[index]?.text === "(") {
    const close = tokens.findIndex((token) => token.text === ")");
    analyzes = tokens.slice(index, close).some((token) => wordOf(token) === "ANALYZE");
    index = close + 1;
  }
  while (["ANALYZE", "ANALYSE", "VERBOSE"].includes(wordOf(tokens[index]))) {
    analyzes ||= wordOf(tokens[index]) !== "VERBOSE";
    index += 1;
  }
  const start = tokens[index]?.start;
  return analyzes && start !== undefined ? query.slice(start) : null;
}

/** Returns true for statements that store a query under a name, which later statements can run. */
export function definesCode(tokens: readonly SqlToken[]): boolean {
  const words = tokens.slice(0, 8).map(wordOf);
  return words[0] === "CREATE" && words.some((word) => word === "VIEW" || word === "MACRO" || word === "FUNCTION");
}

/** Returns the functions and views of this DuckDB that statements may not name. */
export function refusedAmong(tableFunctions: readonly string[], views: readonly string[]): Refused {
  const functions = new Set([...REFUSED_SCALAR_FUNCTIONS, ...TELLING_FUNCTIONS]);
  for (const name of tableFunctions) if (!ALLOWED_TABLE_FUNCTIONS.has(name)) functions.add(name);
  return { functions, views: new Set(views.filter((name) => !ALLOWED_VIEWS.has(name))) };
}

function refuseFunction(name: string, refused: Refused): void {
  if (!refused.functions.has(name.toLowerCase())) return;
  throw new StatementFailure("not_allowed", `Function ${name.toLowerCase()} is not allowed. ${OWN_FILE_MESSAGE}`);
}

function refuseView(name: string, refused: Refused): void {
  if (!refused.views.has(name.toLowerCase())) return;
  throw new StatementFailure("not_allowed", `View ${name.toLowerCase()} is not allowed. ${OWN_FILE_MESSAGE}`);
}

function nameOf(type: StatementType): string {
  return (StatementType[type] ?? "Such").replaceAll("_", " ");
}
