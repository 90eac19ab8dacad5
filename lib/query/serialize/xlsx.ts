import { type CellValue, type ColumnDef, writeXlsxStream } from "hucre/xlsx";
import { AppError } from "@/lib/http/errors";
import type { Batch, Field, FieldType, WireValue } from "@/lib/tabular/fields";
import { precisionOf } from "@/lib/tabular/precision";
import { daysOf, microsOf } from "@/lib/tabular/stamps";
import type { PipedFormat } from "./byte-stream";
import { Pacer } from "./pacer";

/** What spreadsheets hold: https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3 */
const COLUMNS_MAX = 16_384;
const CELL_CHARS_MAX = 32_767;
const DIGITS_MAX = 15;
/** Days between the first that spreadsheets count, 1899-12-30, and 1970. */
const FIRST_DAY = 25_569;
/** 1900-03-01: before it, spreadsheets count a day that there was not. Behind 9999-12-31 they count none. */
const DAYS_MIN = 61;
const DAYS_MAX = 2_958_465;
const DAY_MICROS = 86_400_000_000;
/** Widths in characters. A name that is longer is cut by the sheet, not by us. */
const WIDTH_MIN = 10;
const WIDTH_MAX = 40;

type Kind = {
  numFmt?: string;
  width?: number;
  /** Undefined for a value that the type's own cells do not hold: it is then text, as in JSON. */
  toCell?: (value: WireValue) => CellValue | undefined;
};

const KINDS: Partial<Record<FieldType, (field: Field) => Kind>> = {
  int32: () => ({ numFmt: "0", toCell: toExactNumber }),
  int64: () => ({ numFmt: "0", toCell: toExactNumber }),
  decimal: (field) => {
    const scale = precisionOf(field)?.scale ?? null;
    return { ...(scale !== null && { numFmt: scale > 0 ? `0.${"0".repeat(scale)}` : "0" }), toCell: toExactNumber };
  },
  float64: () => ({ toCell: (value) => (typeof value === "number" ? value : undefined) }),
  boolean: () => ({ toCell: (value) => (typeof value === "boolean" ? value : undefined) }),
  date: () => ({ numFmt: "yyyy-mm-dd", width: 12, toCell: (value) => toSerial(daysOf(value)) }),
  time: () => ({ numFmt: "hh:mm:ss", toCell: toTimeOfDay }),
  timestamp: () => ({ numFmt: "yyyy-mm-dd hh:mm:ss", width: 21, toCell: toStamp }),
  timestamptz: () => ({ numFmt: "yyyy-mm-dd hh:mm:ss", width: 21, toCell: toStamp }),
};

/**
 * A workbook of Excel: numbers, booleans, dates and times in cells of their own types, all else text, which no program
 * takes for a formula. A number of more than 15 digits, which a spreadsheet would round, is text, and so is a day that it
 * does not count. Instants are in UTC, and their column's name says so. After 1,048,575 rows a new sheet begins.
 * @throws AppError `query_failed` for more columns than a sheet has
 */
export function xlsx(fields: readonly Field[]): PipedFormat {
  if (fields.length > COLUMNS_MAX) {
    throw new AppError(
      "query_failed",
      `A sheet has ${COLUMNS_MAX} columns at the most, and the result has ${fields.length}. Select fewer, or take another format.`,
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
  return kind.toCell?.(value) ?? fitting(typeof value === "string" ? value : JSON.stringify(value), name);
}

function fitting(text: string, column: string): string {
  // What looks like the code of a character is one to a spreadsheet; the library writes it as it is.
  if (text.length <= CELL_CHARS_MAX) return text.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_");
  throw new AppError(
    "query_failed",
    `The column ${column} has a text of ${text.length} characters, and a cell of a sheet has ${CELL_CHARS_MAX} at the most. Shorten it in the query, or take another format.`,
  );
}

/** Whole numbers and decimals whose digits a spreadsheet keeps. */
function toExactNumber(value: WireValue): number | undefined {
  const match = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (!match) return undefined;
  const digits = `${match[1]}${(match[2] ?? "").replace(/0+$/, "")}`.replace(/^0+/, "");
  return digits.length <= DIGITS_MAX ? Number(value) : undefined;
}

function toStamp(value: WireValue): number | undefined {
  const micros = microsOf(value);
  return micros === undefined ? undefined : toSerial(Number(micros) / DAY_MICROS);
}

/** @param days since 1970, with the time of day as their fraction */
function toSerial(days: number | undefined): number | undefined {
  if (days === undefined) return undefined;
  const serial = days + FIRST_DAY;
  return serial >= DAYS_MIN && serial < DAYS_MAX + 1 ? serial : undefined;
}

function toTimeOfDay(value: WireValue): number | undefined {
  const match = /^([01]\d|2[0-3]):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?$/.exec(String(value));
  if (!match) return undefined;
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) / 86_400;
}
