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
  const tokens = readSqlTokens(withRunComments(text, dialect, 0), dialect);
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

/** MySQL and MariaDB run the text within such comments. */
function withRunComments(text: string, dialect: SqlDialect, depth: number): string {
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
    opened += text.slice(from, piece.start) + inner;
    from = piece.end;
  }
  return from === 0 ? text : withRunComments(opened + text.slice(from), dialect, depth + 1);
}

function writeOf(statement: readonly SqlToken[]): StatementWrite | null {
  const tokens = withoutExplain(statement);
  if (tokens === null) return null;
  const start = tokens.findIndex((token) => !isSign(token, "("));
  const first = wordOf(tokens[start]);
  if (start < 0) return null;
  let found: StatementWrite | null = null;
  if (first === "DROP" || first === "TRUNCATE") {
    found = { reason: first === "DROP" ? "drop" : "truncate", table: tableAt(tokens, start + 1) };
  } else if (!READING.has(first)) {
    found = { reason: "write", table: VERBS.has(first) ? tableAt(tokens, start + 1) : null };
  }
  // A routine's body runs later.
  if (first === "CREATE") return found;
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSign(token, "(")) depth += 1;
    else if (isSign(token, ")")) depth -= 1;
    const before = tokens[index - 1];
    const isStart = index === start || isSign(before, "(") || (first === "WITH" && isSign(before, ")"));
    const word = wordOf(token);
    if (isStart && VERBS.has(word) && !isSign(tokens[index + 1], "(")) {
      found = worse(found, verbWrite(tokens, index, word));
    }
    if (word === "INTO" && depth === 0 && first !== "WITH" && READING.has(first)) {
      found = worse(found, { reason: "write", table: tableAt(tokens, index + 1) });
    }
  }
  return found;
}

/** Returns the statement that an EXPLAIN ANALYZE runs; null for one that is only explained. */
function withoutExplain(tokens: readonly SqlToken[]): readonly SqlToken[] | null {
  const first = wordOf(tokens[0]);
  const isPlan = first === "EXPLAIN" || first === "DESCRIBE" || first === "DESC";
  if (!isPlan && first !== "ANALYZE") return tokens;
  const words = tokens.map(wordOf);
  const verb = words.findIndex((word, index) => index > 0 && (VERBS.has(word) || word === "WITH" || word === "SELECT"));
  const isRun = words.slice(0, verb < 0 ? undefined : verb).includes("ANALYZE");
  return isRun && verb > 0 ? tokens.slice(verb) : null;
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
  while (BEFORE_TABLE.has(wordOf(tokens[at]))) at += 1;
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
