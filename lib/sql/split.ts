import { readSqlTokens, type SqlDialect, type SqlToken } from "./tokens";

/** One statement of a text: `from` is its first token, `to` the end of its last one, `end` includes the semicolon. */
export type StatementRange = { from: number; to: number; end: number; text: string };

/** `END IF` and its kind close no BEGIN of ours: they belong to MySQL's control flow, whose openers are not counted. */
const CONTROL_FLOW_ENDS = new Set(["IF", "LOOP", "WHILE", "REPEAT"]);
const ROUTINE_KINDS = new Set(["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"]);

/**
 * The statements of a text in order, without empty ones. Semicolons inside strings, comments, dollar quotes and the
 * bodies of triggers and routines do not split. Safe to import in the browser.
 */
export function splitStatements(text: string, dialect: SqlDialect = "duckdb"): StatementRange[] {
  const statements: StatementRange[] = [];
  let current: SqlToken[] = [];
  let blockDepth = 0;
  let isRoutine = false;
  const close = (end: number) => {
    const [first, last] = [current[0], current.at(-1)];
    if (first && last) {
      statements.push({ from: first.start, to: last.end, end, text: text.slice(first.start, last.end) });
    }
    current = [];
    blockDepth = 0;
    isRoutine = false;
  };
  const tokens = readSqlTokens(text, dialect);
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "semicolon" && blockDepth === 0) {
      close(token.end);
      continue;
    }
    current.push(token);
    if (token.kind !== "word") continue;
    const word = token.text.toUpperCase();
    const isCreate = current[0]?.text.toUpperCase() === "CREATE";
    if (isCreate && ROUTINE_KINDS.has(word)) isRoutine = true;
    if (!isRoutine) continue;
    if (word === "BEGIN" || (word === "CASE" && blockDepth > 0)) blockDepth += 1;
    if (word === "END" && blockDepth > 0) {
      const next = tokens[index + 1]?.text.toUpperCase() ?? "";
      if (!CONTROL_FLOW_ENDS.has(next)) blockDepth -= 1;
    }
  }
  const last = current.at(-1);
  if (last) close(last.end);
  return statements;
}

/**
 * The statement that a cursor at `position` means: the one that it stands in or right behind; on a line of its own
 * between two statements, the one that follows. Null when the text holds no statement.
 */
export function statementAt(text: string, position: number, dialect: SqlDialect = "duckdb"): StatementRange | null {
  const statements = splitStatements(text, dialect);
  const following = statements.findIndex((statement) => position <= statement.end);
  if (following < 0) return statements.at(-1) ?? null;
  const next = statements[following];
  const previous = statements[following - 1];
  if (next === undefined) return null;
  const isBehindPrevious =
    previous !== undefined && position < next.from && !text.slice(previous.end, position).includes("\n");
  return isBehindPrevious ? previous : next;
}
