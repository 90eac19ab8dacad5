import { isRounded } from "@/lib/base/values/exact-json";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { isJsonText } from "@/lib/base/values/json-text";
import { precisionOf } from "@/lib/base/values/precision";
import { AppError } from "@/lib/platform/http/errors";
import type { RejectedRow } from "../../../data-source";
import type { TargetColumn } from "./table-shape";

/** A value that cannot be written to its column unchanged. */
export class CellRefused extends Error {}

/** A row of a batch that the database, or a check before it, refused. `row` is null where it is unknown. */
export class RowRefused extends Error {
  readonly row: number | null;
  readonly column: string | null;

  constructor(
    message: string,
    { row = null, column = null, cause }: { row?: number | null; column?: string | null; cause?: unknown },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.row = row;
    this.column = column;
  }
}

export type Encode<T> = (value: Exclude<WireValue, null>, column: TargetColumn) => T;

/** Yields rows in the form that a database takes. @throws RowRefused */
export function* encodedRows<T>(
  batch: Batch,
  columns: readonly TargetColumn[],
  encode: Encode<T>,
): Generator<(T | null)[]> {
  for (let row = 0; row < batch.rowCount; row += 1) {
    yield columns.map((column, index) => {
      const value = batch.columns[index]?.[row] ?? null;
      if (value === null) return null;
      try {
        return encode(value, column);
      } catch (error) {
        if (!(error instanceof CellRefused)) throw error;
        throw new RowRefused(error.message, { row, column: column.name });
      }
    });
  }
}

/** Returns only the rows of a batch at these indexes. */
function pick(batch: Batch, places: readonly number[]): Batch {
  return {
    rowCount: places.length,
    columns: batch.columns.map((column) => places.map((place) => column[place] ?? null)),
  };
}

/**
 * Finds the first refused row of a batch by bisection, where the database does not name it.
 * @param probe tries to write rows and rolls back
 */
async function searchRefused(
  batch: Batch,
  found: RowRefused,
  probe: (rows: Batch) => Promise<void>,
): Promise<RowRefused> {
  let taken = 0;
  let refused = batch.rowCount;
  let last = found;
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    try {
      await probe(
        pick(
          batch,
          Array.from({ length: middle }, (_, row) => row),
        ),
      );
      taken = middle;
    } catch (error) {
      if (!(error instanceof RowRefused)) throw error;
      if (error.row !== null) return error;
      last = error;
      refused = middle;
    }
  }
  return new RowRefused(last.message, { row: refused - 1, column: last.column, cause: last.cause });
}

/**
 * Writes a batch without the rows that the destination refuses.
 * @param write writes rows completely or not at all, and throws RowRefused for the first refused one
 * @param probe tries to write rows and rolls back, where the destination may not name the row
 * @throws AppError `query_failed` above the maximum of rejected rows, when nothing is written
 */
export async function writeAccepted(
  batch: Batch,
  rejectsMax: number,
  { write, probe }: { write: (part: Batch) => Promise<void>; probe: ((rows: Batch) => Promise<void>) | null },
): Promise<{ written: number; rejected: RejectedRow[] }> {
  const rejected: RejectedRow[] = [];
  let given = batch;
  /** Indexes of the rows that are left; null while all are. */
  let places: number[] | null = null;
  for (;;) {
    const part: Batch = places === null ? given : pick(given, places);
    try {
      await write(part);
      return { written: part.rowCount, rejected };
    } catch (error) {
      if (!(error instanceof RowRefused)) throw error;
      if (part.raw) {
        // Values tell which row and column are refused, in every destination.
        given = { rowCount: batch.rowCount, columns: batch.columns };
        continue;
      }
      const refused = error.row === null && probe ? await searchRefused(part, error, probe) : error;
      const at = refused.row;
      if (at === null) throw new AppError("query_failed", error.message, { cause: error });
      places ??= Array.from({ length: batch.rowCount }, (_, row) => row);
      const rejection = { row: places[at] ?? 0, column: refused.column, message: refused.message };
      rejected.push(rejection);
      if (rejected.length > rejectsMax) throw toRejection(rejection, error);
      places = places.filter((_, place) => place !== at);
    }
  }
}

function toRejection({ row, column, message }: RejectedRow, cause: unknown): AppError {
  const place = column === null ? `row ${row + 1}` : `row ${row + 1}, ${column}`;
  return new AppError("query_failed", `The destination rejected ${place} of the batch: ${message}`, {
    details: { row, ...(column !== null && { column }) },
    cause,
  });
}

/** @throws CellRefused for a text that would be stored differently */
export function exactText(text: string): string {
  if (!text.isWellFormed()) throw new CellRefused("The text contains an invalid character (lone surrogate).");
  return text;
}

/** Returns a value as text: numbers with all digits, lists and objects as JSON. */
export function textOf(value: Exclude<WireValue, null>): string {
  if (typeof value === "string") return exactText(value);
  return typeof value === "object" ? jsonTextOf(value) : String(value);
}

/** Returns a value as JSON text. JSON that came as text is returned unchanged. */
export function jsonTextOf(value: Exclude<WireValue, null>): string {
  return exactText(isJsonText(value) ? value.json : JSON.stringify(value));
}

/** Digits of a second that databases keep. */
const MICROS_DIGITS = 6;

/** Checks a time, since databases silently round those with more digits. @throws CellRefused */
export function exactMicros(text: string): string {
  const fraction = /:\d\d\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, "") ?? "";
  if (fraction.length <= MICROS_DIGITS) return text;
  throw new CellRefused(`${text.slice(0, 60)} has more precision than microseconds, the column's limit.`);
}

/** Checks a decimal, since databases silently round one with too many digits. @throws CellRefused */
export function exactDecimal(value: Exclude<WireValue, null>, column: Pick<TargetColumn, "dbType">): string {
  const text = plainNumber(textOf(value));
  const digits = precisionOf(column);
  const fraction = /\.(\d*)$/.exec(text)?.[1]?.replace(/0+$/, "") ?? "";
  if (digits !== null && fraction.length > digits.scale) {
    throw new CellRefused(
      `${text.slice(0, 60)} has more than ${digits.scale} decimals, the limit of ${column.dbType}.`,
    );
  }
  return text;
}

/** Expands an exponent: `1e-7` is 0.0000001. Not every database reads exponents of decimals. */
export function plainNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^([+-]?)(\d+)(?:\.(\d*))?[eE]([+-]?\d{1,3})$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${"0".repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const INT64_MAX = 9_223_372_036_854_775_807n;

/** Returns an integer of 64 bits, as a number or its digits. @throws CellRefused */
export function exactInt64(value: Exclude<WireValue, null>): number | string {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  const text = textOf(value);
  const isInteger = /^[+-]?\d{1,40}$/.test(text);
  const integer = isInteger ? BigInt(text.replace(/^\+/, "")) : 0n;
  if (!isInteger || integer > INT64_MAX || integer < -INT64_MAX - 1n) {
    throw new CellRefused(`${text.slice(0, 60)} is not a 64-bit integer.`);
  }
  return String(integer);
}

/** Returns a double, or the word for infinity and NaN. @throws CellRefused for a number that a double would round */
export function exactFloat(value: Exclude<WireValue, null>): number | string {
  if (typeof value === "number" || isNotANumber(value)) return value as number | string;
  const text = textOf(value);
  const number = /^[+-]?\d/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) throw new CellRefused(`${text.slice(0, 60)} is not a number.`);
  if (!isHeldByDouble(text)) throw new CellRefused(`${text.slice(0, 60)} exceeds the precision of a double.`);
  return number;
}

/** Returns whether the nearest double is the number itself, as far as its shortest digits tell. */
function isHeldByDouble(text: string): boolean {
  const source = text.replace(/^\+/, "");
  const number = Number(source);
  return Number.isInteger(number) && /^-?\d+$/.test(source)
    ? BigInt(source) === BigInt(number)
    : !isRounded(source, number);
}

/** Returns whether the value is one of the words for infinity and NaN. */
export function isNotANumber(value: unknown): boolean {
  return value === "NaN" || value === "Infinity" || value === "-Infinity";
}

/** Returns an ISO timestamp in UTC without its zone; any other text is unchanged. */
export function utcText(text: string): string {
  if (text.endsWith("Z")) return text.slice(0, -1);
  const [, local, sign, hours, minutes = "00"] =
    /^(.*T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (local === undefined) return text;
  const [, whole = "", fraction = ""] = /^(.*?)(\.\d+)?$/.exec(local) ?? [];
  const at = Date.parse(`${whole.length === 16 ? `${whole}:00` : whole}Z`);
  if (Number.isNaN(at)) return text;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return new Date(at - offsetMs).toISOString().replace(/\.\d+Z$/, "") + fraction;
}
