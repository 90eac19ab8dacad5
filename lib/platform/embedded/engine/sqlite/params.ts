import type { SqlToken } from "../../../../base/sql/lexer.ts";
import { formatCountOf } from "../../../../base/values/amounts.ts";
import { ExactNumber } from "../../../../base/values/exact-json.ts";
import { StatementFailure } from "../failures.ts";
import type { SqliteValue } from "./values.ts";

/** Arguments of `StatementSync`: values by position, or one object of values by name. */
export type Bindings = (SqliteValue | Record<string, SqliteValue>)[];

/**
 * Converts values for `?` and `?1`, or by name for `:name`, `@name` and `$name`. Whole numbers are bound as integers.
 * Lists and objects become JSON, as SQLite's JSON functions expect. SQLite binds NULL to a placeholder without a value,
 * so those are counted here; it rejects values without a placeholder itself.
 * @throws StatementFailure `invalid_request`
 */
export function toBindings(
  params: unknown[] | Record<string, unknown> | undefined,
  tokens: readonly SqlToken[],
): Bindings {
  const { count, names } = placeholdersIn(tokens);
  if (params !== undefined && !Array.isArray(params)) {
    const named = new Map(
      Object.entries(params).map(([name, value]) => [name.replace(/^[:@$]/, ""), toSqlite(value)] as const),
    );
    const missing = count > 0 ? "?" : [...names].find((name) => !named.has(name));
    if (missing !== undefined) throw unfit(`placeholder ${missing} has no value in params`);
    return [Object.fromEntries(named)];
  }
  const values = (params ?? []).map(toSqlite);
  const [name] = names;
  if (name !== undefined) throw unfit(`placeholder ${name} is named, so params must be an object`);
  if (values.length < count)
    throw unfit(
      `it has ${formatCountOf(count, "placeholder")}, and params has ${formatCountOf(values.length, "value")}`,
    );
  return values;
}

export function unfit(reason: string): StatementFailure {
  return new StatementFailure("invalid_request", `The values do not match the statement: ${reason}.`);
}

/**
 * Returns the placeholders of a statement. `count` is the highest number of an unnamed one; a `?` takes the number
 * after the highest before it.
 */
function placeholdersIn(tokens: readonly SqlToken[]): { count: number; names: Set<string> } {
  const names = new Set<string>();
  let count = 0;
  for (const [index, { kind, text, end }] of tokens.entries()) {
    if (kind !== "symbol") continue;
    if (text === "?") {
      const next = tokens[index + 1];
      const number = next?.kind === "number" && next.start === end ? Number(next.text) : count + 1;
      count = Math.max(count, number);
    } else if (text.length > 1) names.add(text.slice(1));
  }
  return { count, names };
}

function toSqlite(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value instanceof ExactNumber) return toNumber(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.isWellFormed()) return text;
  throw new StatementFailure("invalid_request", "A text parameter contains an invalid character (lone surrogate).");
}

/**
 * Returns a number as SQLite stores it: a 64-bit integer, or the double with the same text, as in a REAL column.
 * @throws StatementFailure for a number that SQLite would round
 */
function toNumber(number: ExactNumber): bigint | number {
  if (number.isInt64) return BigInt(number.text);
  const double = Number(number.text);
  if (String(double) === number.text) return double;
  throw new StatementFailure(
    "invalid_request",
    `SQLite can't represent ${number.text.slice(0, 60)} as a 64-bit integer or double. Send it as text.`,
  );
}
