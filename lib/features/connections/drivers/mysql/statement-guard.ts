import { type SqlToken as Token, upper } from "../../../../base/sql/lexer.ts";
import {
  ONE_STATEMENT_MESSAGE,
  OWN_TRANSACTION_MESSAGE,
  READ_ONLY_MESSAGE,
} from "../../../../base/sql/statement-messages.ts";
import { formatCountOf } from "../../../../base/values/amounts.ts";
import { AppError } from "../../../../platform/http/errors.ts";
import { positionOf } from "../shared/text-position.ts";
import { PLAN_HINTS } from "./functions.ts";
import { type Comment, type Reading, readMysqlText } from "./reading.ts";
import {
  isSymbol,
  NAMES_MAX,
  notAllowed,
  type Reference,
  type References,
  readReferences,
  tooManyNames,
  wordOf,
} from "./references.ts";
import { refuseSecretShow, type ShownOptions } from "./secrets.ts";

/*
 * The statements that MySQL and MariaDB connections may run (T50). The session's read-only transaction refuses writes
 * to tables; this guard refuses what such a transaction lets through: server files, settings, locks and other sessions.
 * It parses as the server does (`reading.ts`). A read-only connection does not run text where that is uncertain.
 */

const SESSION = "The session is reset after each statement, so this has no effect.";

/** Statements that every connection refuses. */
const NEVER: Readonly<Record<string, string>> = {
  BEGIN: OWN_TRANSACTION_MESSAGE,
  START: OWN_TRANSACTION_MESSAGE,
  COMMIT: OWN_TRANSACTION_MESSAGE,
  ROLLBACK: OWN_TRANSACTION_MESSAGE,
  SAVEPOINT: OWN_TRANSACTION_MESSAGE,
  RELEASE: OWN_TRANSACTION_MESSAGE,
  XA: OWN_TRANSACTION_MESSAGE,
  USE: `${SESSION} Qualify the table with its database.`,
  PREPARE: `${SESSION} Use params instead.`,
  EXECUTE: `${SESSION} Use params instead.`,
  DEALLOCATE: SESSION,
  LOCK: SESSION,
  UNLOCK: SESSION,
  HANDLER: SESSION,
};

/** Statements that a session for manual transactions takes. A BEGIN with a block is none of them. */
const IN_SESSION = new Set(["BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "USE", "SET"]);

/** Keywords after which SET changes more than the session. */
const OF_SERVER = new Set(["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD", "ROLE"]);
const QUERIES = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);
const EXPLAINING = new Set(["EXPLAIN", "DESCRIBE", "DESC", "ANALYZE"]);
const CHANGING = new Set([
  ...["INSERT", "UPDATE", "DELETE", "REPLACE", "TRUNCATE", "CREATE", "ALTER", "DROP", "RENAME", "GRANT", "REVOKE"],
  ...["OPTIMIZE", "REPAIR", "IMPORT"],
]);
/** Words after SHOW that are allowed; none of them runs anything. */
const SHOWN = new Set([
  ...["TABLES", "COLUMNS", "FIELDS", "INDEX", "INDEXES", "KEYS", "TABLE", "CREATE", "DATABASES", "SCHEMAS", "TRIGGERS"],
  ...["EVENTS", "FUNCTION", "PROCEDURE", "PACKAGE", "SEQUENCES", "VARIABLES", "STATUS", "WARNINGS", "ERRORS", "COUNT"],
  ...["CHARACTER", "CHARSET", "COLLATION", "ENGINE", "ENGINES", "STORAGE", "PLUGINS", "PRIVILEGES", "GRANTS"],
  ...["PROCESSLIST", "OPEN", "PROFILE", "PROFILES", "EXPLAIN", "ANALYZE", "LOCALES", "BINARY", "MASTER", "SLAVE"],
  ...["SLAVES", "REPLICA", "REPLICAS", "ALL"],
]);
const BEFORE_SHOWN = new Set(["FULL", "EXTENDED", "GLOBAL", "SESSION", "LOCAL"]);
/** Tokens of `DESCRIBE a.b 'c%'`. */
const DESCRIBED_TOKENS_MAX = 4;

/** The text to send, of the same length as the original, and the names in it. */
export type CheckedStatement = { text: string; references: References; shows: ShownOptions | null };

/**
 * Checks a statement.
 * @param valueCount number of values for its placeholders
 * @param isInSession the statement runs in a session for manual transactions that may write
 * @returns for a read-only connection the text without its comments, so that unchecked text is not sent
 * @throws AppError `invalid_request`, `query_failed`, `read_only`, `not_allowed`
 */
export function checkStatement(
  query: string,
  readOnly: boolean,
  valueCount = 0,
  isInSession = false,
): CheckedStatement {
  const reading = readMysqlText(query);
  const { tokens } = reading;
  if (readOnly) refuseDoubt(query, reading);
  const last = tokens.findLastIndex((token) => token.kind !== "semicolon");
  const first = tokens.findIndex((token) => token.kind !== "semicolon");
  if (first < 0) throw new AppError("invalid_request", "No statement to run.");
  const words = tokens.slice(first, last + 1);
  const start = wordOf(words.find((token) => !isSymbol(token, "(")));
  // Only routine bodies contain semicolons.
  if (start !== "CREATE" && words.some((token) => token.kind === "semicolon")) {
    throw new AppError("query_failed", ONE_STATEMENT_MESSAGE);
  }
  const isBlock = start === "BEGIN" && words.length > 1 && wordOf(words[1]) !== "WORK";
  const isOfSession = isInSession && IN_SESSION.has(start) && !isBlock;
  const refusal = isOfSession ? undefined : NEVER[start];
  if (refusal !== undefined) throw notAllowed(refusal);
  if (start === "SET" && !isOfSession && !words.some((token) => OF_SERVER.has(wordOf(token)))) {
    throw notAllowed(SESSION);
  }
  if (start === "LOAD" && words.some((token) => wordOf(token) === "LOCAL")) {
    throw notAllowed("LOAD DATA LOCAL is not supported.");
  }
  const references = readOnly ? eachOnce(checkReading(words, start)) : { calls: [], tables: [] };
  const placeholders = words.filter((token) => isSymbol(token, "?")).length;
  if (placeholders !== valueCount) {
    throw new AppError(
      "invalid_request",
      `The statement has ${formatCountOf(placeholders, "placeholder")}, but params has ${formatCountOf(valueCount, "value")}.`,
    );
  }
  const text = readOnly ? withoutComments(query, reading, words) : query;
  return { text, references, shows: readOnly && start === "SHOW" ? shownOptions(words) : null };
}

function shownOptions(words: readonly Token[]): ShownOptions | null {
  const [shown = "", next = ""] = words.slice(shownAt(words)).map(wordOf);
  if (shown === "CREATE") return next === "TABLE" ? "definition" : null;
  return shown === "TABLE" && next === "STATUS" ? "tables" : null;
}

function shownAt(words: readonly Token[]): number {
  return words.findIndex((token, index) => index > 0 && !BEFORE_SHOWN.has(wordOf(token)));
}

/** Removes duplicates, of which a long statement has any number. */
function eachOnce({ calls, tables }: References): References {
  return { calls: distinct(calls), tables: distinct(tables) };
}

function distinct<T extends Reference>(references: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const each of references) {
    const key = JSON.stringify(each);
    if (!byName.has(key)) byName.set(key, each);
    if (byName.size > NAMES_MAX) throw tooManyNames();
  }
  return [...byName.values()];
}

function refuseDoubt(query: string, { doubt, comments }: Reading): void {
  if (doubt?.isOpen) throw new AppError("query_failed", doubt.message, { details: positionOf(query, doubt.at) });
  if (doubt) throw new AppError("not_allowed", doubt.message, { details: positionOf(query, doubt.at) });
  for (const comment of comments) if (comment.kind === "hint") checkHint(query, comment);
}

function checkHint(query: string, { start, end }: Comment): void {
  for (const [, name = ""] of query.slice(start, end).matchAll(/([\w$]+)\s*\(/g)) {
    if (!PLAN_HINTS.has(upper(name))) {
      throw notAllowed(`Hint ${name} is not allowed on a read-only connection.`);
    }
  }
}

/** Replaces comments, and semicolons at both ends, with blanks, so that positions in the text stay the same. */
function withoutComments(query: string, { tokens, comments }: Reading, judged: readonly Token[]): string {
  const gone: { start: number; end: number }[] = [
    ...comments.filter(({ kind }) => kind !== "hint"),
    ...tokens.filter((token) => token.kind === "semicolon"),
  ].sort((one, other) => one.start - other.start);
  let text = "";
  let at = 0;
  for (const { start, end } of gone) {
    text += query.slice(at, start) + query.slice(start, end).replace(/[^\n]/g, " ");
    at = end;
  }
  text += query.slice(at);
  // A blank may change the meaning of its neighbours, such as `--` before a comment: then it is not what was checked.
  const sent = readMysqlText(text);
  const isSame =
    sent.comments.every(({ kind }) => kind === "hint") &&
    sent.tokens.length === judged.length &&
    sent.tokens.every(({ start, end, kind }, index) => {
      const token = judged[index];
      return token?.start === start && token.end === end && token.kind === kind;
    });
  if (!isSame) throw notAllowed("Ambiguous --. Put a space between the minus signs.");
  return text;
}

function checkReading(words: readonly Token[], start: string): References {
  if (CHANGING.has(start)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (QUERIES.has(start)) return readReferences(words);
  if (EXPLAINING.has(start)) return checkExplained(words, start);
  if (start !== "SHOW") {
    throw notAllowed(`${start || "This statement"} is not allowed on a read-only connection. Use SELECT or SHOW.`);
  }
  const shown = shownAt(words);
  if (!SHOWN.has(wordOf(words[shown])))
    throw notAllowed("This SHOW statement is not allowed on a read-only connection.");
  refuseSecretShow(wordOf(words[shown]), wordOf(words[shown + 1]));
  // Its WHERE may call functions; its tables and views are described, not run.
  const condition = words.findIndex((token) => wordOf(token) === "WHERE");
  return condition < 0 ? { calls: [], tables: [] } : readReferences(words.slice(condition));
}

/** Checks the statement after EXPLAIN like any other: MariaDB's ANALYZE runs it, and plans run parts of it. */
function checkExplained(words: readonly Token[], start: string): References {
  let at = words.findIndex((token) => wordOf(token) === start) + 1;
  for (let isOption = true; isOption; ) {
    const word = wordOf(words[at]);
    if (word === "FORMAT" && isSymbol(words[at + 1], "=")) at += 3;
    else if (word === "EXTENDED" || word === "PARTITIONS" || (word === "ANALYZE" && start !== "ANALYZE")) at += 1;
    else isOption = false;
  }
  const about = words.slice(at);
  const word = wordOf(about.find((token) => !isSymbol(token, "(")));
  const writesStatistics = start === "ANALYZE" && word === "TABLE";
  if (QUERIES.has(word) && !writesStatistics) return readReferences(about);
  if (CHANGING.has(word) || start === "ANALYZE") throw new AppError("read_only", READ_ONLY_MESSAGE);
  const isTable = about.length <= DESCRIBED_TOKENS_MAX && about.every(isPartOfName);
  const isSession = word === "FOR" && wordOf(about[1]) === "CONNECTION" && about[2]?.kind === "number";
  if (isTable || isSession) return { calls: [], tables: [] };
  throw notAllowed("On a read-only connection, EXPLAIN supports SELECT only.");
}

function isPartOfName(token: Token): boolean {
  return token.kind === "word" || token.kind === "name" || token.kind === "string" || isSymbol(token, ".");
}
