import type { EntityColumn } from "@/lib/base/values/fields";
import { isLongNumber } from "@/lib/base/values/long-number";
import { AppError } from "@/lib/platform/http/errors";

/*
 * The order and equality of a column's values, as its database defines them. Every driver declares them for its types,
 * so that paging and filtering need no engine-specific code.
 */

/** Binds a value to the statement and returns its placeholder. */
export type Bind = { text(value: string): string; number(value: number): string };
export type ComparisonSign = ">=" | "<=" | ">" | "<";

/** The SQL that orders rows, and that stores and finds a row's position in that order. */
export type ColumnOrder = {
  /** An expression with the order of the rows. */
  value: string;
  /** The exact text of `value`, which `read` converts back. */
  text: string;
  read(text: string, bind: Bind): string;
  /** Rows without a value have a substitute here, which sorts last. */
  isNeverNull?: true;
};

/** The SQL for one column. */
export type ColumnValues = {
  /** Usually one; later ones break ties. Null for a type without an order. */
  order: ColumnOrder[] | null;
  /** The exact text of the whole value, for an order that reads only a prefix of it. */
  exactText?: string;
  /** Returns a condition for rows whose value a page shows as this text. @throws AppError `invalid_request` */
  is(text: string, bind: Bind): string;
  /** Returns a comparison with a value. @throws AppError `invalid_request` */
  compare(sign: ComparisonSign, text: string, bind: Bind): string;
  isNull: string;
  /**
   * Returns the text as a value to store, which the database converts to the column's type. JSON is JSON text. Absent
   * where values cannot be edited. @throws AppError `invalid_request`
   */
  store?(text: string, bind: Bind): string;
};

/** The order and comparison of a driver's values. */
export type TableValues = {
  /** @param name the column as a statement writes it */
  of(column: EntityColumn, name: string): ColumnValues;
  /**
   * Suffix of an expression in ORDER BY that puts rows without a value last; null where that needs a separate
   * expression.
   */
  nullsLast: string | null;
  /** The `orderBytes` of a statement with this order. */
  orderBytes?: number;
  /** The primary key is not unique here, and only orders rows. */
  keysRepeat?: true;
  /**
   * Returns an expression that is equal for rows with equal columns; absent where the engine has none.
   * @param texts exact texts of the columns, as expressions
   */
  digest?(texts: readonly string[]): string;
  /** The way to change single rows in a transaction; absent where rows cannot be edited. */
  edits?: {
    /** The end of an INSERT of a row of defaults. */
    emptyRow: string;
    /** UPDATE can set a column to its default. */
    setsDefault: boolean;
    /** Statement that makes a session refuse values that do not fit; absent where it always does. */
    strict?: string;
  };
};

export function badValue({ name, type }: Pick<EntityColumn, "name" | "type">, wanted: string): AppError {
  return new AppError("invalid_request", `Column ${name} (${type}) takes ${wanted}.`);
}

/** Refuses to compare a column whose values have no order. @throws AppError `invalid_request` */
export function refuseComparison(column: EntityColumn): never {
  throw badValue(column, "only is and not, because its values have no order");
}

/**
 * Requires a text that starts with a date.
 * @param form pattern of the date, within the years of the database
 * @throws AppError `invalid_request` for another text
 */
export function requireTime(text: string, column: EntityColumn, form: RegExp): void {
  if (!form.test(text)) throw badValue(column, "a time such as 2026-10-23 18:00");
}

/** Dates, including years beyond 9999 and before 1, and infinity. */
export const ANY_TIME = /^(?:[+-]\d{6}|\d{4,})-\d\d-\d\d|^-?infinity$/;

/** Returns a time with its year in the database's form: ISO's year 0 is 1 BC, and longer years have a sign. */
export function toEra(text: string): { text: string; isBc: boolean } {
  const [, sign, digits, rest = ""] = /^([+-])(\d{6})(-.*)$/.exec(text) ?? [];
  if (digits === undefined) {
    const isBc = text.startsWith("0000-");
    return { text: isBc ? `0001${text.slice(4)}` : text, isBc };
  }
  const year = Number(digits);
  if (sign === "+") return { text: `${year}${rest}`, isBc: false };
  return { text: `${String(year + 1).padStart(4, "0")}${rest}`, isBc: true };
}

/** Rejects text that is not a number. @throws AppError `invalid_request` */
export function requireNumber(text: string, column: EntityColumn): void {
  if (text.trim() === "" || !/^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|-?inf(?:inity)?)$/i.test(text)) {
    throw badValue(column, "a number");
  }
}

/** Rejects text that is not an integer: some databases round it. @throws AppError `invalid_request` */
export function requireInteger(text: string, column: EntityColumn): void {
  if (!/^[+-]?\d+$/.test(text)) throw badValue(column, "an integer");
}

/** Parses a boolean. @throws AppError `invalid_request` */
export function requireBoolean(text: string, column: EntityColumn): boolean {
  if (!/^(?:true|false)$/i.test(text)) throw badValue(column, "true or false");
  return /^true$/i.test(text);
}

/** Decodes base64, in which a page shows bytes. @throws AppError `invalid_request` */
export function requireBytes(text: string, column: EntityColumn): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw badValue(column, "bytes in base64");
  return bytes;
}

/**
 * Maximum number of readings, which differ in the texts that stand for numbers beyond a double: a page shows both
 * alike.
 */
const JSON_READINGS_MAX = 16;

/**
 * Returns the JSON texts that a page may show as this text. A JSON string is shown as its text, everything else as
 * JSON, and a number beyond a double as text.
 */
export function jsonReadings(shown: string): string[] {
  const readings = new Set<string>();
  try {
    for (const each of readingsOf(JSON.parse(shown))) readings.add(each);
  } catch {
    // Not JSON, so it is a text.
  }
  if (isLongNumber(shown)) readings.add(shown);
  readings.add(JSON.stringify(shown));
  return [...readings];
}

function readingsOf(value: unknown): string[] {
  if (typeof value === "string") return isLongNumber(value) ? [JSON.stringify(value), value] : [JSON.stringify(value)];
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map(readingsOf)
    : Object.entries(value).map(([key, item]) => readingsOf(item).map((text) => `${JSON.stringify(key)}:${text}`));
  let texts = [""];
  for (const [index, options] of parts.entries()) {
    const comma = index === 0 ? "" : ",";
    const extended = texts.flatMap((text) => options.map((option) => `${text}${comma}${option}`));
    texts = extended.slice(0, JSON_READINGS_MAX);
  }
  return texts.map((text) => (isList ? `[${text}]` : `{${text}}`));
}
