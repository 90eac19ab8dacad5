import type { SqlToken } from "../../../base/sql/lexer.ts";
import { StatementFailure } from "./failures.ts";
import {
  CONDITIONS_MAX,
  PREFIXES_MAX,
  SET_OPERATIONS_MAX,
  STATEMENT_CHARS_MAX,
  STATEMENT_DEPTH_MAX,
} from "./limits.ts";

const CONDITIONS = new Set(["AND", "OR"]);
const SET_OPERATIONS = new Set(["UNION", "INTERSECT", "EXCEPT"]);
const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);
const PREFIX_SIGNS = new Set(["+", "-", "~", "!"]);

/**
 * Rejects a text that is too long to parse.
 * @throws StatementFailure `query_failed`
 */
export function checkLength(query: string): void {
  if (query.length <= STATEMENT_CHARS_MAX) return;
  throw tooLarge(`has more than ${STATEMENT_CHARS_MAX.toLocaleString("en")} characters`);
}

/**
 * Rejects a statement that would block a file engine's parser or planner for seconds, where it does not check for
 * interrupts.
 * @throws StatementFailure `query_failed`
 */
export function checkSize(tokens: readonly SqlToken[]): void {
  let depth = 0;
  let cases = 0;
  let conditions = 0;
  let setOperations = 0;
  let prefixes = 0;
  for (const { kind, text } of tokens) {
    if (kind === "semicolon") {
      conditions = 0;
      setOperations = 0;
    }
    const word = kind === "word" ? text.toUpperCase() : "";
    const isSymbol = kind === "symbol";
    if (isSymbol && OPENING.has(text)) depth += 1;
    if (isSymbol && CLOSING.has(text)) depth -= 1;
    if (word === "CASE") cases += 1;
    if (word === "END") cases = Math.max(0, cases - 1);
    if (CONDITIONS.has(word)) conditions += 1;
    if (SET_OPERATIONS.has(word)) setOperations += 1;
    prefixes = word === "NOT" || (isSymbol && PREFIX_SIGNS.has(text)) ? prefixes + 1 : 0;
    if (depth + cases > STATEMENT_DEPTH_MAX || prefixes > PREFIXES_MAX) {
      throw tooLarge(`is nested deeper than ${STATEMENT_DEPTH_MAX} levels`);
    }
    if (conditions > CONDITIONS_MAX) {
      throw tooLarge(
        `has more than ${CONDITIONS_MAX.toLocaleString("en")} ANDs and ORs. Use IN, or join a list of values`,
      );
    }
    if (setOperations > SET_OPERATIONS_MAX) {
      throw tooLarge(
        `has more than ${SET_OPERATIONS_MAX.toLocaleString("en")} set operations. Use VALUES for constant rows`,
      );
    }
  }
}

function tooLarge(what: string): StatementFailure {
  return new StatementFailure("query_failed", `The statement ${what}. Make it simpler, or split it.`);
}
