import { type CellValue, type ColumnDef, writeXlsxStream } from "hucre/xlsx";
import type { Batch, Field, FieldType, WireValue } from "@/lib/base/values/fields";
import { precisionOf } from "@/lib/base/values/precision";
import { daysOf, microsOf } from "@/lib/base/values/stamps";
import { textOf } from "@/lib/base/values/text-of";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import type { PipedFormat } from "./byte-stream";

/** Limits of spreadsheets: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3 */
const COLUMNS_MAX = 16_384;
const CELL_CHARS_MAX = 32_767;
const DIGITS_MAX = 15;
/** Days from day 0 of spreadsheets, 1899-12-30, to 1970. */
const FIRST_DAY = 25_569;
/**
 * First valid day, 1900-03-01: before it, spreadsheets count a day that did not exist. After 9999-12-31 they count
 * none.
 */
const DAYS_MIN = 61;
const DAYS_MAX = 2_958_465;
const DAY_MICROS = 86_400_000_000;
const MILLI_MICROS = 1000n;
/** Widths in characters. The sheet cuts longer names. */
const WIDTH_MIN = 10;
const WIDTH_MAX = 40;

type Kind = {
  numFmt?: string;
  width?: number;
  /** Returns the cell; undefined for a value that does not fit the cell type. It is then text, as in JSON. */
  toCell?: (value: WireValue) => CellValue | undefined;
};

const KINDS: Partial<Record<FieldType, (field: Field) => Kind>> = {
  int32: () => ({ numFmt: "0", toCell: toExactNumber }),
  int64: () => ({ numFmt: "0", toCell: toExactNumber }),
  decimal: (field) => {
    const scale = precisionOf(field)?.scale ?? null;
    return { ...(scale !== null && { numFmt: scale > 0 ? `0.${"0".repeat(scale)}` : "0" }), toCell: toExactNumber };
  },
  float64: () => ({ toCell: toSheetNumber }),
  boolean: () => ({ toCell: (value) => (typeof value === "boolean" ? value : undefined) }),
  date: () => ({ numFmt: "yyyy-mm-dd", width: 12, toCell: (value) => toSerial(daysOf(value)) }),
  time: () => ({ numFmt: "hh:mm:ss", toCell: toTimeOfDay }),
  timestamp: () => ({ numFmt: "yyyy-mm-dd hh:mm:ss", width: 21, toCell: toStamp }),
  timestamptz: () => ({ numFmt: "yyyy-mm-dd hh:mm:ss", width: 21, toCell: toStamp }),
};

/**
 * Returns the format of Excel workbooks. Numbers, booleans, dates and times have cells of their types. All else is
 * text, which no program takes for a formula. A number of more than 15 digits, which a spreadsheet would round, is
 * text, and so is a date outside its range. Instants are in UTC, and the column's name says so. After 1,048,575 rows a
 * new sheet starts.
 * @throws AppError `query_failed` for more columns than a sheet has
 */
export function xlsx(fields: readonly Field[]): PipedFormat {
  if (fields.length > COLUMNS_MAX) {
    throw new AppError(
      "query_failed",
      `The result has ${fields.length} columns. Excel allows ${COLUMNS_MAX}. Select fewer, or use another format.`,
    );
  }
  const kinds = fields.map((field) => KINDS[field.type]?.(field) ?? {});
  const columns = fields.map(({ name, type }, index): ColumnDef => {
    const { numFmt, width = WIDTH_MIN } = kinds[index] ?? {};
    const header = type === "timestamptz" ? `${name} (UTC)` : name;
    return {
      header: fitting(header, name),
      width: Math.min(WIDTH_MAX, Math.max(width, header.length + 2)),
      ...(numFmt && { numFmt }),
    };
  });
  async function* rows(batches: AsyncIterable<Batch>): AsyncGenerator<CellValue[]> {
    const pacer = new Pacer();
    for await (const batch of batches) {
      for (let row = 0; row < batch.rowCount; row += 1) {
        yield fields.map((field, index) => toCell(batch.columns[index]?.[row] ?? null, kinds[index] ?? {}, field));
        if (pacer.isDue()) await pacer.rest();
      }
    }
  }
  return {
    pipe: (batches) => writeXlsxStream(rows(batches), { name: "Result", columns, freezePane: { rows: 1 } }),
  };
}

function toCell(value: WireValue, kind: Kind, { name }: Field): CellValue {
  if (value === null) return null;
  return kind.toCell?.(value) ?? fitting(textOf(value), name);
}

/** Returns whether a cell can hold the text of a value. */
export function fitsCell(value: WireValue): boolean {
  return typeof value === "number" || typeof value === "boolean" || textOf(value).length <= CELL_CHARS_MAX;
}

function fitting(text: string, column: string): string {
  if (text.length <= CELL_CHARS_MAX) return escaped(text);
  throw tooLong(column, text.length);
}

export function tooLong(column: string, chars: number): AppError {
  return new AppError(
    "query_failed",
    `The column ${column} has a value of ${chars} characters. Excel allows ${CELL_CHARS_MAX}. Shorten it, or use another format.`,
  );
}

/** Characters that XML 1.0 lacks, a carriage return, which XML readers turn into a line feed, and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const NOT_IN_XML = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * Returns the text with `_xHHHH_` for characters that a sheet's XML cannot hold (ECMA-376 part 1, 22.9.2.19,
 * ST_Xstring).
 */
function escaped(text: string): string {
  // Text that looks like such a code is read as one, so its underscore is escaped, too.
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_")
    .replace(NOT_IN_XML, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}

/** The smallest double that spreadsheets do not treat as zero. */
const NORMAL_MIN = 2.2250738585072014e-308;

/** Returns a double as a sheet stores it; undefined for values that it treats as zero, and for negative zero. */
function toSheetNumber(value: WireValue): number | undefined {
  if (typeof value !== "number" || Object.is(value, -0)) return undefined;
  return value === 0 || Math.abs(value) >= NORMAL_MIN ? value : undefined;
}

/** Returns integers and decimals whose digits a spreadsheet keeps. */
function toExactNumber(value: WireValue): number | undefined {
  const match = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (!match) return undefined;
  const digits = `${match[1]}${(match[2] ?? "").replace(/0+$/, "")}`.replace(/^0+/, "");
  // "-0" and "-0.00" are text: a sheet has no negative zero.
  if (digits.length > DIGITS_MAX || (digits === "" && String(value).startsWith("-"))) return undefined;
  return Number(value);
}

function toStamp(value: WireValue): number | undefined {
  const micros = microsOf(value);
  // With 15 digits a sheet resolves milliseconds, and nothing finer.
  return micros === undefined || micros % MILLI_MICROS !== 0n ? undefined : toSerial(Number(micros) / DAY_MICROS);
}

/** @param days days since 1970, with the time of day as their fraction */
function toSerial(days: number | undefined): number | undefined {
  if (days === undefined) return undefined;
  const serial = days + FIRST_DAY;
  return serial >= DAYS_MIN && serial < DAYS_MAX + 1 ? serial : undefined;
}

/** Readers of sheets round times to milliseconds, which would turn the last microseconds of a day into midnight. */
function toTimeOfDay(value: WireValue): number | undefined {
  const match = /^([01]\d|2[0-3]):(\d\d)(?::(\d\d(?:\.\d{1,3}0*)?))?$/.exec(String(value));
  if (!match) return undefined;
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) / 86_400;
}
