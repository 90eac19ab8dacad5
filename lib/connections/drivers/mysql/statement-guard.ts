import { AppError } from "@/lib/http/errors";
import { readSqlTokens, type SqlToken } from "@/lib/sql/tokens";
import { ONE_STATEMENT_MESSAGE, READ_ONLY_MESSAGE } from "../shared/failures";

/*
 * What a statement may be on MySQL and MariaDB (T50). The read-only transaction of the session refuses writes to tables;
 * this list refuses what such a transaction lets through: the server's files, settings, locks and other sessions.
 * Sessions have no ANSI_QUOTES and no NO_BACKSLASH_ESCAPES (`session.ts`), so that the server cuts a text into words
 * where this file does.
 */

const ALONE = "Each statement runs in a transaction of its own, so there is nothing to begin, commit or roll back.";
const SESSION = "Each statement runs in a session that is reset before and after it, so this would have no effect.";
const SERVER = "It reaches beyond the tables of this database: its server's files, settings, locks or other sessions.";

/** On every connection. */
const NEVER: Readonly<Record<string, string>> = {
  BEGIN: ALONE,
  START: ALONE,
  COMMIT: ALONE,
  ROLLBACK: ALONE,
  SAVEPOINT: ALONE,
  RELEASE: ALONE,
  XA: ALONE,
  USE: `${SESSION} Write the database before the name of the table.`,
  PREPARE: `${SESSION} Send the query with params instead.`,
  EXECUTE: `${SESSION} Send the query with params instead.`,
  DEALLOCATE: SESSION,
  LOCK: SESSION,
  UNLOCK: SESSION,
  HANDLER: SESSION,
};

const READING = new Set(["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "ANALYZE"]);
const CHANGING = new Set([
  ...["INSERT", "UPDATE", "DELETE", "REPLACE", "TRUNCATE", "CREATE", "ALTER", "DROP", "RENAME", "GRANT", "REVOKE"],
  ...["OPTIMIZE", "REPAIR", "IMPORT"],
]);
/** ANALYZE of these runs a query; ANALYZE TABLE writes statistics. */
const QUERY_STARTS = new Set(["SELECT", "WITH"]);

const REFUSED_FUNCTIONS = new Set([
  ...["LOAD_FILE", "GET_LOCK", "RELEASE_LOCK", "RELEASE_ALL_LOCKS", "SETVAL", "NEXTVAL"],
  ...["MASTER_POS_WAIT", "SOURCE_POS_WAIT", "MASTER_GTID_WAIT", "WAIT_FOR_EXECUTED_GTID_SET"],
  ...["WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS"],
]);
/** Plug-ins whose functions run programs, write files or change the server. */
const REFUSED_PREFIXES = [
  ...["SYS_EXEC", "SYS_EVAL", "SYS_SET", "SYS_GET", "KEYRING_", "AUDIT_LOG_", "GROUP_REPLICATION_", "WSREP_"],
  ...["ASYNCHRONOUS_CONNECTION_FAILOVER_", "VERSION_TOKENS_", "SERVICE_GET_", "SERVICE_RELEASE_", "MYSQL_FIREWALL_"],
  ...["SET_FIREWALL_", "GEN_BLOCKLIST", "HTTP_", "LIB_MYSQLUDF_"],
];

/**
 * @param valueCount how many values came for its placeholders
 * @throws AppError `invalid_request`, `query_failed`, `read_only`, `not_allowed`
 */
export function checkStatement(query: string, readOnly: boolean, valueCount = 0): void {
  const tokens = readSqlTokens(query, "mysql");
  const last = tokens.findLastIndex((token) => token.kind !== "semicolon");
  const first = tokens.findIndex((token) => token.kind !== "semicolon");
  if (first < 0) throw new AppError("invalid_request", "There is no statement to run. Write one first.");
  const words = tokens.slice(first, last + 1);
  const start = wordOf(words.find((token) => token.text !== "("));
  // The bodies of routines hold semicolons of their own; nothing else does.
  if (start !== "CREATE" && words.some((token) => token.kind === "semicolon")) {
    throw new AppError("query_failed", ONE_STATEMENT_MESSAGE);
  }
  const refusal = NEVER[start];
  if (refusal !== undefined) throw notAllowed(refusal);
  if (start === "SET" && !words.some((token) => /^(?:GLOBAL|PERSIST|PERSIST_ONLY|PASSWORD|ROLE)$/i.test(token.text))) {
    throw notAllowed(SESSION);
  }
  if (start === "LOAD" && words.some((token) => wordOf(token) === "LOCAL")) {
    throw notAllowed("LOAD DATA LOCAL reads files of this server, which are not for statements.");
  }
  if (readOnly) checkReading(query, words, start);
  const placeholders = words.filter((token) => token.kind === "symbol" && token.text === "?").length;
  if (placeholders !== valueCount) {
    throw new AppError(
      "invalid_request",
      `The statement has ${placeholders} placeholders, and ${valueCount} values came in params.`,
    );
  }
}

function checkReading(query: string, words: readonly SqlToken[], start: string): void {
  refuseExecutableComments(query, words);
  if (CHANGING.has(start)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (!READING.has(start)) {
    throw notAllowed(
      `${start || "This"} begins no statement that a read-only connection runs. Begin with SELECT or SHOW.`,
    );
  }
  if (start === "ANALYZE") checkAnalyze(words);
  let depth = 0;
  for (const [index, token] of words.entries()) {
    if (token.text === "(" && token.kind === "symbol") depth += 1;
    if (token.text === ")" && token.kind === "symbol") depth -= 1;
    const next = wordOf(words[index + 1]);
    const isCalled = words[index + 1]?.text === "(" && words[index + 1]?.kind === "symbol";
    if (isCalled && (token.kind === "word" || token.kind === "quotedName")) refuseFunction(token.text);
    if (token.kind !== "word") continue;
    const word = wordOf(token);
    // A column of this name has to be quoted: the word is reserved.
    if (word === "INTO")
      throw notAllowed("SELECT ... INTO writes files of the server, or variables that nobody reads.");
    const isLocking = (word === "FOR" && (next === "UPDATE" || next === "SHARE")) || (word === "LOCK" && next === "IN");
    if (isLocking) {
      throw new AppError("read_only", "A read-only connection locks no rows: leave FOR UPDATE and its like out.");
    }
    if (word === "NEXT" && next === "VALUE") throw new AppError("read_only", READ_ONLY_MESSAGE);
    const isStatement = depth === 0 && start === "WITH" && !isCalled;
    if (isStatement && (word === "UPDATE" || word === "DELETE" || word === "INSERT" || word === "REPLACE")) {
      throw new AppError("read_only", READ_ONLY_MESSAGE);
    }
  }
}

/** MariaDB's ANALYZE runs the statement behind it; ANALYZE TABLE writes statistics. */
function checkAnalyze(words: readonly SqlToken[]): void {
  const isFormat = wordOf(words[1]) === "FORMAT";
  const about = words.slice(isFormat ? 4 : 1).find((token) => token.text !== "(");
  if (!QUERY_STARTS.has(wordOf(about))) throw new AppError("read_only", READ_ONLY_MESSAGE);
}

// What begins with `/*!` is run by the server although it looks like a comment, so nothing here has read it.
function refuseExecutableComments(query: string, words: readonly SqlToken[]): void {
  let at = 0;
  const gaps = words.map((token) => {
    const gap = query.slice(at, token.start);
    at = token.end;
    return gap;
  });
  gaps.push(query.slice(at));
  if (gaps.some((gap) => /\/\*M?!/.test(gap))) {
    throw notAllowed("Comments that the server runs (/*! ... */) cannot be used on a read-only connection.");
  }
}

function refuseFunction(name: string): void {
  const upper = name.toUpperCase();
  if (REFUSED_FUNCTIONS.has(upper) || REFUSED_PREFIXES.some((prefix) => upper.startsWith(prefix))) {
    throw notAllowed(`The function ${name} cannot be used here. ${SERVER}`);
  }
}

function notAllowed(message: string): AppError {
  return new AppError("not_allowed", message);
}

function wordOf(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}
