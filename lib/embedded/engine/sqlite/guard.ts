import { readSqlTokens, type SqlToken } from "../../../sql/tokens.ts";
import { READ_ONLY_MESSAGE, StatementFailure } from "../failures.ts";

/*
 * What a statement may be on an SQLite file (docs/api.md, Queries). The library itself refuses several statements in one
 * text, opens the file without the right to write where nothing may be written, and knows whether a prepared statement
 * writes; extensions cannot be loaded. This list refuses what would reach other files.
 */

const FILES = "This connection works on its own file only: other files, databases and extensions are out of reach.";
const SETTINGS = "Settings cannot be changed here: they would end with the statement.";
const ALONE = "Each statement runs in a transaction of its own, so there is nothing to begin, commit or roll back.";

const REFUSED_WORDS: Readonly<Record<string, string>> = {
  ATTACH: FILES,
  DETACH: FILES,
  BEGIN: ALONE,
  COMMIT: ALONE,
  END: ALONE,
  ROLLBACK: ALONE,
  SAVEPOINT: ALONE,
  RELEASE: ALONE,
};

/** PRAGMAs that only tell about the file; those with an argument take the name of a table or an index. */
const PRAGMAS = new Set([
  ...["table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"],
  ...["foreign_key_check", "collation_list", "function_list", "module_list", "pragma_list"],
  ...["compile_options", "integrity_check", "quick_check"],
]);
/** PRAGMAs that tell without an argument and set with one. */
const READ_PRAGMAS = new Set([
  ...["user_version", "application_id", "schema_version", "data_version", "encoding", "page_size", "page_count"],
  ...["freelist_count", "foreign_keys", "auto_vacuum", "cache_size", "synchronous"],
]);
/** Virtual tables that keep their rows in the file itself. */
const MODULES = new Set(["fts3", "fts4", "fts5", "fts5vocab", "fts4aux", "rtree", "rtree_i32", "geopoly"]);
const REFUSED_FUNCTIONS = new Set([
  ...["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fsdir", "zipfile", "sqlite_dbpage"],
]);

/**
 * @returns the text's tokens
 * @throws StatementFailure `invalid_request`, `query_failed`, `not_allowed`
 */
export function checkText(query: string): SqlToken[] {
  const tokens = readSqlTokens(query, "sqlite").filter((token) => token.kind !== "semicolon");
  const words = tokens.map(upperWord);
  const [first = ""] = words;
  if (tokens.length === 0) {
    throw new StatementFailure("invalid_request", "There is no statement to run. Write one first.");
  }
  const refusal = REFUSED_WORDS[first];
  if (refusal !== undefined) throw new StatementFailure("not_allowed", refusal);
  const isExplained = first === "EXPLAIN";
  if (words.includes("PRAGMA") && (first === "PRAGMA" || isExplained)) checkPragma(tokens);
  if (first === "VACUUM" && words.includes("INTO")) throw new StatementFailure("not_allowed", FILES);
  if (first === "CREATE" && words.includes("VIRTUAL")) checkModule(tokens, words);
  for (const [index, token] of tokens.entries()) checkName(token, tokens[index + 1]);
  return tokens;
}

/** @throws StatementFailure `read_only` */
export function checkWrites(isReading: boolean, readOnly: boolean): void {
  if (readOnly && !isReading) throw new StatementFailure("read_only", READ_ONLY_MESSAGE);
}

/** `PRAGMA [schema.]name`, with `(value)` or `= value` behind it. */
function checkPragma(tokens: readonly SqlToken[]): void {
  const at = tokens.findIndex((token) => upperWord(token) === "PRAGMA");
  const hasSchema = tokens[at + 2]?.text === ".";
  const nameAt = at + (hasSchema ? 3 : 1);
  const name = (tokens[nameAt]?.text ?? "").toLowerCase();
  const hasValue = tokens.length > nameAt + 1;
  if (PRAGMAS.has(name) && tokens[nameAt + 1]?.text !== "=") return;
  if (READ_PRAGMAS.has(name) && !hasValue) return;
  throw new StatementFailure("not_allowed", `PRAGMA ${name.slice(0, 60)} cannot be used here. ${SETTINGS}`);
}

function checkModule(tokens: readonly SqlToken[], words: readonly string[]): void {
  const module = tokens[words.indexOf("USING") + 1]?.text.toLowerCase() ?? "";
  if (!MODULES.has(module))
    throw new StatementFailure("not_allowed", `The module ${module} cannot be used here. ${FILES}`);
}

/** Names of functions, and those of PRAGMAs that are read as tables. */
function checkName(token: SqlToken, next: SqlToken | undefined): void {
  if (token.kind !== "word" && token.kind !== "quotedName") return;
  const name = token.text.toLowerCase();
  const pragma = /^pragma_(.+)$/.exec(name)?.[1];
  if (pragma !== undefined && !PRAGMAS.has(pragma) && !READ_PRAGMAS.has(pragma)) {
    throw new StatementFailure("not_allowed", `${name.slice(0, 60)} cannot be used here. ${SETTINGS}`);
  }
  const isCalled = next?.text === "(" || name === "sqlite_dbpage";
  if (isCalled && REFUSED_FUNCTIONS.has(name)) {
    throw new StatementFailure("not_allowed", `The function ${name} cannot be used here. ${FILES}`);
  }
}

function upperWord(token: SqlToken): string {
  return token.kind === "word" ? token.text.toUpperCase() : "";
}
