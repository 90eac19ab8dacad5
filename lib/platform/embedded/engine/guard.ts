import { StatementType } from "@duckdb/node-api";
import { readSqlTokens, type SqlToken } from "../../../base/sql/lexer.ts";
import { splitStatements } from "../../../base/sql/statements.ts";
import { READ_ONLY_MESSAGE, StatementFailure } from "./failures.ts";
import {
  ALLOWED_PRAGMAS,
  ALLOWED_TABLE_FUNCTIONS,
  ALLOWED_VIEWS,
  REFUSED_SCALAR_FUNCTIONS,
  TELLING_FUNCTIONS,
} from "./functions.ts";
import { checkLength, checkSize } from "./statement-size.ts";

/** What there is in DuckDB itself that statements may not name, in lower case. */
export type Refused = { functions: ReadonlySet<string>; views: ReadonlySet<string> };

/*
 * What a statement may be (docs/develop/api.md, Queries; T40). Three judges, of which none is the text alone:
 * 1. The engine's settings: no external access, no extensions, a locked configuration, a read-only transaction.
 * 2. The engine's parser and planner: the type of the prepared statement, the functions in its tree, its plan.
 * 3. The words of the text, for a message that says what to do, and for statements whose tree DuckDB does not show.
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

const FILES = "This connection works on its own file only: other files, databases and extensions are out of reach.";
const SETTINGS = "Settings cannot be changed here: each statement runs in a session of its own.";
const ALONE = "Each statement runs in a transaction of its own, so there is nothing to begin, commit or roll back.";
const PREPARED = "Prepared statements do not outlive a statement. Send the query with `params` instead.";
const CALLS = "Procedures cannot be called here. Use SELECT * FROM function(...).";

/** The first words of statements that are refused whatever follows. */
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  ATTACH: FILES,
  DETACH: FILES,
  COPY: FILES,
  EXPORT: FILES,
  IMPORT: FILES,
  INSTALL: FILES,
  LOAD: FILES,
  SET: SETTINGS,
  RESET: SETTINGS,
  USE: SETTINGS,
  BEGIN: ALONE,
  START: ALONE,
  COMMIT: ALONE,
  END: ALONE,
  ROLLBACK: ALONE,
  ABORT: ALONE,
  PREPARE: PREPARED,
  EXECUTE: PREPARED,
  DEALLOCATE: PREPARED,
  CALL: CALLS,
  CHECKPOINT: CALLS,
  FORCE: FILES,
};

/** Words that may stand between CREATE or DROP and the kind of thing. */
const CREATE_MODIFIERS = new Set(["OR", "REPLACE", "TEMP", "TEMPORARY", "PERSISTENT"]);

/**
 * Reads the text's words and refuses what needs no look by the engine.
 * @throws StatementFailure `invalid_request` for an empty text, `query_failed` for several statements, `not_allowed`
 */
export function checkText(query: string): SqlToken[] {
  checkLength(query);
  const tokens = readSqlTokens(query, "duckdb");
  const first = tokens.find((token) => token.kind !== "semicolon");
  if (!first) throw new StatementFailure("invalid_request", "There is no statement to run. Write one first.");
  checkSize(tokens);
  const count = splitStatements(query, "duckdb").length;
  if (count > 1) {
    throw new StatementFailure(
      "query_failed",
      `Send one statement at a time: this text has ${count}. Run them one after the other.`,
    );
  }
  const [word = "", second = ""] = tokens.filter((token) => token.kind !== "semicolon").map(upperWord);
  const refusal = REFUSED_WORDS[word];
  if (refusal) throw new StatementFailure("not_allowed", refusal);
  if (word === "UPDATE" && second === "EXTENSIONS") throw new StatementFailure("not_allowed", FILES);
  if (word === "PRAGMA" && !ALLOWED_PRAGMAS.has(second.toLowerCase())) {
    throw new StatementFailure("not_allowed", SETTINGS);
  }
  if (word === "CREATE" || word === "DROP") {
    const kind = tokens
      .slice(1)
      .map(upperWord)
      .find((each) => !CREATE_MODIFIERS.has(each));
    if (kind === "SECRET") throw new StatementFailure("not_allowed", FILES);
  }
  return tokens;
}

/** @throws StatementFailure `not_allowed`, `read_only` */
export function checkType(type: StatementType, readOnly: boolean): void {
  if (READING.has(type)) return;
  if (!WRITING.has(type)) {
    throw new StatementFailure("not_allowed", `${nameOf(type)} statements cannot be run here. ${FILES}`);
  }
  if (readOnly) throw new StatementFailure("read_only", READ_ONLY_MESSAGE);
}

/**
 * Walks the tree that DuckDB's parser made of a query.
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
 * For statements whose tree DuckDB does not show: every name before an opening bracket, and every name and string that
 * could be a view's.
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
 * Walks a plan in DuckDB's JSON form: here the bodies of views and macros have been put in place of their names.
 * @param mayTell DuckDB's own views, which leave the path out, stand on functions that tell it; false refuses those, too
 * @throws StatementFailure `not_allowed`
 */
export function checkPlan(node: unknown, refused: Refused, mayTell: boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) checkPlan(item, refused, mayTell);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { name, extra_info: info, children } = node as Record<string, unknown>;
  const called = typeof info === "object" && info !== null ? (info as Record<string, unknown>).Function : undefined;
  for (const each of [name, called]) {
    if (typeof each !== "string" || (mayTell && TELLING_FUNCTIONS.has(each.trim().toLowerCase()))) continue;
    refuseFunction(each.trim(), refused);
  }
  checkPlan(children, refused, mayTell);
}

/** The tables and views that a tree of DuckDB's parser names, in lower case. */
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
 * The statement that an EXPLAIN ANALYZE runs, since it runs it: null for other statements and for a plain EXPLAIN.
 * Options may come in brackets, `EXPLAIN (ANALYZE, FORMAT json) ...`.
 */
export function explainedText(query: string, tokens: readonly SqlToken[]): string | null {
  if (upperWord(tokens[0]) !== "EXPLAIN") return null;
  let index = 1;
  let analyzes = false;
  if (tokens[index]?.text === "(") {
    const close = tokens.findIndex((token) => token.text === ")");
    analyzes = tokens.slice(index, close).some((token) => upperWord(token) === "ANALYZE");
    index = close + 1;
  }
  while (["ANALYZE", "ANALYSE", "VERBOSE"].includes(upperWord(tokens[index]))) {
    analyzes ||= upperWord(tokens[index]) !== "VERBOSE";
    index += 1;
  }
  const start = tokens[index]?.start;
  return analyzes && start !== undefined ? query.slice(start) : null;
}

/** True for statements that put a query away under a name, to be run by later ones. */
export function definesCode(tokens: readonly SqlToken[]): boolean {
  const words = tokens.slice(0, 8).map(upperWord);
  return words[0] === "CREATE" && words.some((word) => word === "VIEW" || word === "MACRO" || word === "FUNCTION");
}

/** What statements may not name, out of all that there is in this DuckDB. */
export function refusedAmong(tableFunctions: readonly string[], views: readonly string[]): Refused {
  const functions = new Set([...REFUSED_SCALAR_FUNCTIONS, ...TELLING_FUNCTIONS]);
  for (const name of tableFunctions) if (!ALLOWED_TABLE_FUNCTIONS.has(name)) functions.add(name);
  return { functions, views: new Set(views.filter((name) => !ALLOWED_VIEWS.has(name))) };
}

function refuseFunction(name: string, refused: Refused): void {
  if (!refused.functions.has(name.toLowerCase())) return;
  throw new StatementFailure("not_allowed", `The function ${name.toLowerCase()} cannot be used here. ${FILES}`);
}

function refuseView(name: string, refused: Refused): void {
  if (!refused.views.has(name.toLowerCase())) return;
  throw new StatementFailure("not_allowed", `The view ${name.toLowerCase()} cannot be read here. ${FILES}`);
}

function upperWord(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}

function nameOf(type: StatementType): string {
  return (StatementType[type] ?? "Such").replaceAll("_", " ");
}
