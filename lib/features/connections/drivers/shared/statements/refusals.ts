import type { SqlToken } from "../../../../../base/sql/lexer.ts";
import { READ_ONLY_MESSAGE } from "../../../../../base/sql/statement-messages.ts";
import { AppError } from "../../../../../platform/http/errors.ts";

/** Number of characters that a message quotes of a statement. */
const QUOTED_CHARS_MAX = 60;

/** Statements by their first keyword. */
export type StartRules = {
  /** Allowed on a read-only connection. */
  reading: ReadonlySet<string>;
  /** Refused on a read-only connection as changes. */
  changing: ReadonlySet<string>;
  /** Statements about the session or the transaction, which end with the request. */
  never: ReadonlySet<string>;
  /** Names some of `reading` in a message. */
  advice: string;
  /** Returns the keyword that the token may be, in capitals. */
  wordOf: (token: SqlToken) => string;
  /** Returns whether a statement changes something elsewhere than at its start. */
  isChange?: () => boolean;
};

/**
 * Checks the start of a statement.
 * @returns its first keyword
 * @throws AppError `invalid_request`, `read_only`, `not_allowed`
 */
export function checkStart(tokens: readonly SqlToken[], readOnly: boolean, rules: StartRules): string {
  const first = tokens.find(({ text }) => text !== "(");
  if (!first || first.kind === "semicolon") throw new AppError("invalid_request", "No statement to run.");
  const start = rules.wordOf(first);
  if (rules.never.has(start)) throw notAllowed("Each statement runs in a new session, so this has no effect.");
  if (!readOnly) return start;
  if (rules.changing.has(start) || rules.isChange?.()) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (rules.reading.has(start)) return start;
  throw notAllowed(`${quoted(first.text)} is not allowed on a read-only connection. Use ${rules.advice}.`);
}

/**
 * Checks that a text has one reading only.
 * @param gap white space and comments
 * @param isUnsure returns whether the server could read a token differently; a text to quote instead of the token
 * @throws AppError `not_allowed`
 */
export function refuseUnsure(
  query: string,
  tokens: readonly SqlToken[],
  gap: RegExp,
  isUnsure: (token: SqlToken, source: string) => boolean | string,
): void {
  let at = 0;
  for (const token of tokens) {
    if (!gap.test(query.slice(at, token.start))) throw unsure(query.slice(at, token.end));
    at = token.end;
    const source = query.slice(token.start, token.end);
    const answer = (token.kind === "name" && !/^".*"$/s.test(source)) || isUnsure(token, source);
    if (answer !== false) throw unsure(answer === true ? source : answer);
  }
  if (!gap.test(query.slice(at))) throw unsure(query.slice(at));
}

export function notAllowed(message: string): AppError {
  return new AppError("not_allowed", message);
}

/** Returns the beginning of a text, for a message. */
export function quoted(text: string): string {
  return text.slice(0, QUOTED_CHARS_MAX);
}

function unsure(text: string): AppError {
  return notAllowed(`This is ambiguous and not allowed on a read-only connection: ${quoted(text.trim())}`);
}
