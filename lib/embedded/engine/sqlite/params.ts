import { StatementFailure } from "../failures.ts";
import type { SqliteValue } from "./values.ts";

/**
 * Values for `?`, `?1`, or by name for `:name`, `@name` and `$name`. Whole numbers are bound as such; lists and objects
 * are JSON, as SQLite's own functions of JSON take them.
 */
export function toBindings(
  params: unknown[] | Record<string, unknown> | undefined,
): (SqliteValue | Record<string, SqliteValue>)[] {
  if (params === undefined) return [];
  if (Array.isArray(params)) return params.map(toSqlite);
  const named = Object.entries(params).map(([name, value]) => [name.replace(/^[:@$]/, ""), toSqlite(value)] as const);
  return [Object.fromEntries(named)];
}

function toSqlite(value: unknown): SqliteValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.isWellFormed()) return text;
  throw new StatementFailure(
    "invalid_request",
    "A text holds half of a character (a lone surrogate), which cannot be stored.",
  );
}
