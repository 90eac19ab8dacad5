import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDecimalValue,
  type DuckDBPreparedStatement,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { formatCountOf } from "../../../base/values/amounts.ts";
import { ExactNumber } from "../../../base/values/exact-json.ts";
import { StatementFailure } from "./failures.ts";

/** Digits of DuckDB's widest decimal. */
const DECIMAL_DIGITS_MAX = 38;

/**
 * Binds values to the placeholders of a statement: an array to `?` and `$1`, an object to `$name`. Values never become
 * part of the text.
 * @throws StatementFailure `invalid_request` when values and placeholders do not match
 */
export function bindParams(
  statement: DuckDBPreparedStatement,
  params: unknown[] | Record<string, unknown> | undefined,
): void {
  const count = statement.parameterCount;
  const names = Array.from({ length: count }, (_, index) => statement.parameterName(index + 1));
  const values =
    params === undefined ? [] : Array.isArray(params) ? fromArray(params, names) : fromObject(params, names);
  if (values.length !== count) {
    throw new StatementFailure(
      "invalid_request",
      `The statement has ${formatCountOf(count, "placeholder")}, and ${formatCountOf(values.length, "value")} came in params.`,
    );
  }
  for (const [index, value] of values.entries()) bindOne(statement, index + 1, value);
}

function bindOne(statement: DuckDBPreparedStatement, at: number, value: unknown): void {
  if (value === null || value === undefined) statement.bindNull(at);
  else if (typeof value === "string") statement.bindVarchar(at, wellFormed(value));
  else if (typeof value === "boolean") statement.bindBoolean(at, value);
  else if (typeof value === "number") bindNumber(statement, at, value);
  else if (value instanceof Uint8Array) statement.bindBlob(at, value);
  else if (value instanceof ExactNumber) bindExact(statement, at, value);
  else if (Array.isArray(value)) bindList(statement, at, value);
  // An object is bound as its JSON text, which casts to STRUCT, MAP and JSON.
  else statement.bindVarchar(at, JSON.stringify(value));
}

/** Rejects lone surrogates, which UTF-8 cannot encode: the engine would store a replacement character (T51). */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new StatementFailure("invalid_request", "A text parameter contains an invalid character (lone surrogate).");
}

function bindNumber(statement: DuckDBPreparedStatement, at: number, value: number): void {
  if (!Number.isSafeInteger(value)) statement.bindDouble(at, value);
  else if (value === (value | 0)) statement.bindInteger(at, value);
  else statement.bindBigInt(at, BigInt(value));
}

/** @throws StatementFailure for more digits than a decimal can hold */
function bindExact(statement: DuckDBPreparedStatement, at: number, number: ExactNumber): void {
  if (number.isInt64) {
    statement.bindBigInt(at, BigInt(number.text));
    return;
  }
  const integer = number.isInteger ? BigInt(number.text) : null;
  if (integer !== null && BigInt.asIntN(128, integer) === integer) {
    statement.bindHugeInt(at, integer);
    return;
  }
  if (integer !== null && BigInt.asUintN(128, integer) === integer) {
    statement.bindUHugeInt(at, integer);
    return;
  }
  const [, sign = "", whole = "", fraction = ""] = /^(-?)0*(\d*)(?:\.(\d+))?$/.exec(number.text) ?? [];
  const digits = whole + fraction;
  if (digits === "" || digits.length > DECIMAL_DIGITS_MAX) {
    throw new StatementFailure(
      "invalid_request",
      `${number.text.slice(0, 60)} exceeds the decimal precision of DuckDB, or has an exponent. Send it as text.`,
    );
  }
  const decimal = new DuckDBDecimalValue(BigInt(`${sign}${digits}`), DECIMAL_DIGITS_MAX, fraction.length);
  statement.bindDecimal(at, decimal);
}

/** Binds a list, which has one type. Values of several types become text, as do an empty list and a list of nulls. */
function bindList(statement: DuckDBPreparedStatement, at: number, items: readonly unknown[]): void {
  const present = items.filter((item) => item !== null);
  const bind = (type: DuckDBType, convert: (item: unknown) => DuckDBValue) =>
    statement.bindList(at, listValue(items.map((item) => (item === null ? null : convert(item)))), LIST(type));
  if (present.length > 0 && present.every((item) => typeof item === "boolean")) bind(BOOLEAN, Boolean);
  else if (present.length > 0 && present.every(Number.isSafeInteger)) bind(BIGINT, (item) => BigInt(item as number));
  else if (present.length > 0 && present.every((item) => typeof item === "number")) bind(DOUBLE, Number);
  else bind(VARCHAR, (item) => (typeof item === "object" ? JSON.stringify(item) : String(item)));
}

function fromArray(params: unknown[], names: readonly string[]): unknown[] {
  const named = names.find((name) => !/^\d+$/.test(name));
  if (named !== undefined) {
    throw new StatementFailure("invalid_request", `Placeholder $${named} is named. Send params as an object.`);
  }
  return params;
}

function fromObject(params: Record<string, unknown>, names: readonly string[]): unknown[] {
  const given = new Map(
    Object.entries(params).map(([name, value]) => [name.replace(/^[$:@]/, "").toLowerCase(), value]),
  );
  const values = names.map((name) => {
    if (!given.has(name.toLowerCase())) {
      throw new StatementFailure("invalid_request", `Placeholder $${name} has no value in params.`);
    }
    return given.get(name.toLowerCase());
  });
  const known = new Set(names.map((name) => name.toLowerCase()));
  const extra = [...given.keys()].find((name) => !known.has(name));
  if (extra !== undefined) {
    throw new StatementFailure("invalid_request", `Unknown placeholder $${extra} in params.`);
  }
  return values;
}
