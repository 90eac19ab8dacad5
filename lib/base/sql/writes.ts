import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import { readSqlTokens, SqlLexer, type SqlToken, wordOf } from "./lexer.ts";

/** Effects of a statement that a person should confirm: the first four lose data that no condition selects. */
export const WRITE_REASONS = ["update_without_where", "delete_without_where", "drop", "truncate", "write"] as const;
export type WriteReason = (typeof WRITE_REASONS)[number];

/** A statement that writes, and the first table that it names; null where it names none. */
export type StatementWrite = { reason: WriteReason; table: { schema: string | null; name: string } | null };

export function isRisky({ reason }: StatementWrite): boolean {
  return reason !== "write";
}

/** Returns the more severe of two writes; the first of equal ones. */
export function worse(a: StatementWrite | null, b: StatementWrite | null): StatementWrite | null {
  if (a === null || b === null) return a ?? b;
  return isRisky(b) && !isRisky(a) ? b : a;
}

const VERBS = new Set(["INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"]);
/** First words of statements that change no data. All others write. */
const READING = new Set(
  (
    "SELECT VALUES TABLE FROM SHOW DESCRIBE DESC EXPLAIN SUMMARIZE PRAGMA USE SET RESET EXISTS PIVOT UNPIVOT ANALYZE " +
    "CHECKSUM HELP BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE END ABORT WITH"
  ).split(" "),
);
const EXPLAINS = new Set(["EXPLAIN", "DESCRIBE", "DESC"]);
const ANALYZES = new Set(["ANALYZE", "ANALYSE"]);
const AFTER_ANALYZE = new Set(["SELECT", "WITH", "VALUES"]);
/** Words of a SET that changes the server, not the session. */
const OF_SERVER = new Set(["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD"]);
/** Words before an UPDATE that locks rows of a SELECT. */
const BEFORE_LOCK = new Set(["FOR", "KEY"]);
/** Words between a verb and its table. */
const BEFORE_TABLE = new Set(
  (
    "FROM INTO ONLY LOW_PRIORITY HIGH_PRIORITY DELAYED QUICK IGNORE OR ROLLBACK ABORT FAIL REPLACE OVERWRITE " +
    "TEMPORARY TEMP MATERIALIZED TABLE TABLES VIEW INDEX SEQUENCE SCHEMA DATABASE FUNCTION PROCEDURE TRIGGER TYPE " +
    "DICTIONARY IF EXISTS CONCURRENTLY"
  ).split(" "),
);
/** Maximum nesting of MySQL's executable comments. */
const RUN_COMMENTS_MAX = 3;

/**
 * Returns the write of a text, the most severe if it has several statements; null if it only reads. A text that a
 * database rejects may be either.
 */
export function findSqlWrite(text: string, dialect: SqlDialect): StatementWrite | null {
  const opened = findIn(withRunComments(text, dialect, "opened"), dialect);
  if (!DIALECTS[dialect].lexical.runComments) return opened;
  // Which of them a server runs depends on its kind and version.
  return worse(opened, findIn(withRunComments(text, dialect, "removed"), dialect));
}

function findIn(text: string, dialect: SqlDialect): StatementWrite | null {
  const tokens = readSqlTokens(text, dialect);
  let found: StatementWrite | null = null;
  for (let from = 0; from < tokens.length; ) {
    const isBody = wordOf(tokens[from]) === "CREATE";
    let to = from;
    while (to < tokens.length && (isBody || tokens[to]?.kind !== "semicolon")) to += 1;
    found = worse(found, writeOf(tokens.slice(from, to)));
    from = to + 1;
  }
  return found;
}

/** Returns the text with or without the comments that MySQL and MariaDB run. */
function withRunComments(text: string, dialect: SqlDialect, way: "opened" | "removed", depth = 0): string {
  if (!DIALECTS[dialect].lexical.runComments || depth === RUN_COMMENTS_MAX) return text;
  const lexer = new SqlLexer(text, dialect);
  let opened = "";
  let from = 0;
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    if (piece.kind !== "run") continue;
    const inner = text
      .slice(piece.start, piece.end)
      .replace(/^\/\*M?!\d*/, " ")
      .replace(/\*\/$/, " ");
    opened += text.slice(from, piece.start) + (way === "opened" ? inner : " ");
    from = piece.end;
  }
  return from === 0 ? text : withRunComments(opened + text.slice(from), dialect, way, depth + 1);
}

function writeOf(statement: readonly SqlToken[]): StatementWrite | null {
  const tokens = withoutWrapper(statement);
  if (tokens === null) return null;
  const start = tokens.findIndex((token) => !isSign(token, "("));
  const first = wordOf(tokens[start]);
  if (start < 0) return null;
  let found: StatementWrite | null = null;
  if (first === "DROP" || first === "TRUNCATE") {
    found = { reason: first === "DROP" ? "drop" : "truncate", table: tableAt(tokens, start + 1) };
  } else if (first === "CREATE") {
    // A routine's body runs later.
    return createWrite(tokens.slice(start));
  } else if (first === "SET") {
    return tokens.some((token) => OF_SERVER.has(wordOf(token))) ? { reason: "write", table: null } : null;
  } else if (!READING.has(first)) {
    found = { reason: "write", table: VERBS.has(first) ? tableAt(tokens, start + 1) : null };
  }
  let depth = 0;
  let hasVerb = false;
  for (const [index, token] of tokens.entries()) {
    if (isSign(token, "(")) depth += 1;
    else if (isSign(token, ")")) depth -= 1;
    const word = wordOf(token);
    const before = tokens[index - 1];
    const isMain = index === start || (first === "WITH" && depth === 0 && !hasVerb && !BEFORE_LOCK.has(wordOf(before)));
    const isInner = isSign(before, "(") || (first === "WITH" && isSign(before, ")"));
    if ((isMain || isInner) && VERBS.has(word) && (index === start || !isSign(tokens[index + 1], "("))) {
      found = worse(found, verbWrite(tokens, index, word));
      hasVerb ||= depth === 0;
    }
    if (word === "INTO" && depth === 0 && !hasVerb && READING.has(first)) {
      found = worse(found, { reason: "write", table: tableAt(tokens, index + 1) });
    }
  }
  return found;
}

/** CREATE OR REPLACE TABLE drops the table that it replaces. */
function createWrite(tokens: readonly SqlToken[]): StatementWrite {
  const words = tokens.slice(0, 5).map(wordOf);
  const table = words.indexOf("TABLE");
  const isReplaced = words[1] === "OR" && words[2] === "REPLACE" && table > 0;
  return isReplaced ? { reason: "drop", table: tableAt(tokens, table + 1) } : { reason: "write", table: null };
}

/**
 * Returns the statement that an EXPLAIN ANALYZE or MariaDB's SET STATEMENT runs; null for one that is only explained.
 */
function withoutWrapper(tokens: readonly SqlToken[]): readonly SqlToken[] | null {
  const words = tokens.map(wordOf);
  if (words[0] === "SET" && words[1] === "STATEMENT") {
    const statement = words.indexOf("FOR");
    return statement < 0 ? tokens : withoutWrapper(tokens.slice(statement + 1));
  }
  if (words[0] === "ANALYZE") {
    const at = afterFormat(tokens, 1);
    // MariaDB's form of EXPLAIN ANALYZE. Others read a table.
    return VERBS.has(words[at] ?? "") || AFTER_ANALYZE.has(words[at] ?? "") ? tokens.slice(at) : null;
  }
  if (!EXPLAINS.has(words[0] ?? "")) return tokens;
  let at = 1;
  let isRun = false;
  if (isSign(tokens[at], "(")) {
    const end = tokens.findIndex((token) => isSign(token, ")"));
    isRun = words.slice(at, end).some((word) => ANALYZES.has(word));
    at = end + 1;
  }
  for (let next = at; ; at = next) {
    isRun ||= ANALYZES.has(words[at] ?? "");
    next = ANALYZES.has(words[at] ?? "") || words[at] === "VERBOSE" ? at + 1 : afterFormat(tokens, at);
    if (next === at) break;
  }
  return isRun ? tokens.slice(at) : null;
}

/** Returns the index after `FORMAT = word`, or the same without it. */
function afterFormat(tokens: readonly SqlToken[], at: number): number {
  if (wordOf(tokens[at]) !== "FORMAT") return at;
  return at + (isSign(tokens[at + 1], "=") ? 3 : 2);
}

function verbWrite(tokens: readonly SqlToken[], index: number, word: string): StatementWrite {
  const table = tableAt(tokens, index + 1);
  const isAll = (word === "UPDATE" || word === "DELETE") && !hasWhere(tokens, index);
  if (!isAll) return { reason: "write", table };
  return { reason: word === "UPDATE" ? "update_without_where" : "delete_without_where", table };
}

/** Whether the statement that starts at a token has its own WHERE, not only one in a subquery. */
function hasWhere(tokens: readonly SqlToken[], start: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(start)) {
    if (isSign(token, "(")) depth += 1;
    else if (isSign(token, ")")) depth -= 1;
    if (depth < 0) return false;
    if (depth === 0 && wordOf(token) === "WHERE") return true;
  }
  return false;
}

function tableAt(tokens: readonly SqlToken[], start: number): StatementWrite["table"] {
  let at = start;
  while (BEFORE_TABLE.has(wordOf(tokens[at])) || isSign(tokens[at], "(")) at += 1;
  const path: string[] = [];
  for (let token = tokens[at]; token && (token.kind === "word" || token.kind === "name"); token = tokens[at]) {
    path.push(token.text);
    if (!isSign(tokens[at + 1], ".")) break;
    at += 2;
  }
  const name = path.at(-1);
  return name === undefined ? null : { schema: path.at(-2) ?? null, name };
}

function isSign(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}
