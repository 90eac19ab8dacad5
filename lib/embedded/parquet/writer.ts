import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import type { Batch, Field, FieldType, WireValue } from "../../tabular/fields.ts";
import { isBelowMicros, isUnsigned64, precisionOf } from "../../tabular/precision.ts";
import { daysOf, microsOf } from "../../tabular/stamps.ts";

type Element = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
type Cell = boolean | number | bigint | string | Uint8Array;
type Column = {
  element: Omit<Element, "name">;
  /** Undefined for a value that the column does not hold. Null never comes here. */
  toCell: (value: WireValue) => Cell | undefined;
  encoding?: ColumnSource["encoding"];
  /** How many plain cells it takes as long as. */
  weight?: number;
};

/**
 * A row group is written in one go: this many plain cells take some 20 ms, which other files wait for. Smaller ones would make
 * the file's foot, which is held until the end and names every column of every group, a large part of it.
 */
const GROUP_CELLS = 32 * 1024;
/** And this much text, so that memory and the time for a group are bounded where cells are long. */
const GROUP_CHARS = 2 * 1024 * 1024;

/** The widest decimal that readers of Parquet agree on, and the widest of those that are written as a whole number. */
const DECIMAL_DIGITS_MAX = 38;
const INT64_DIGITS_MAX = 18;
/** A whole number of 128 bits, as sums have it, is up to 39 digits wide by its type. None that is counted comes near. */
const HUGE_DIGITS = 39;

const INT32_MAX = 2n ** 31n - 1n;
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const INTEGER = /^-?\d+$/;

const TEXT: Column = {
  element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  toCell: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
};

/** What has a Parquet type that holds its values exactly; everything else is text, lists and objects as JSON. */
const COLUMNS: Partial<Record<FieldType, (field: Field) => Column>> = {
  int32: () => ({
    element: { type: "INT32" },
    toCell: (value) => toNumber(toWhole(value, -INT32_MAX - 1n, INT32_MAX)),
  }),
  int64: (field) =>
    isUnsigned64(field)
      ? {
          element: { type: "INT64", converted_type: "UINT_64" },
          toCell: (value) => {
            const whole = toWhole(value, 0n, UINT64_MAX);
            return whole === undefined ? undefined : BigInt.asIntN(64, whole);
          },
        }
      : { element: { type: "INT64" }, toCell: (value) => toWhole(value, -INT64_MAX - 1n, INT64_MAX) },
  // Plain, since a dictionary would take 0 and -0 for one value.
  float64: () => ({ element: { type: "DOUBLE" }, toCell: toFloat, encoding: "PLAIN" }),
  boolean: () => ({
    element: { type: "BOOLEAN" },
    toCell: (value) => (typeof value === "boolean" ? value : undefined),
  }),
  binary: () => ({
    element: { type: "BYTE_ARRAY" },
    toCell: (value) => (typeof value === "string" ? Uint8Array.from(Buffer.from(value, "base64")) : undefined),
  }),
  decimal: decimalColumn,
  date: () => ({ element: { type: "INT32", converted_type: "DATE" }, toCell: toDays }),
  timestamp: (field) => stampColumn(field, false),
  timestamptz: (field) => stampColumn(field, true),
};

/** A value that a Parquet column of its field's type does not hold. */
export class UnfitValue extends Error {
  readonly field: Pick<Field, "name" | "dbType">;

  constructor(field: Pick<Field, "name" | "dbType">) {
    super(field.name);
    this.field = field;
  }
}

/** A file that is being written; each part is what has come since the last. */
export type ParquetFile = { head(): Uint8Array; batch(batch: Batch): Uint8Array; tail(): Uint8Array };

/**
 * Parquet, row group by row group: what is held is one group and the foot, which grows by a line for each of them. No
 * value is rounded: one that its column does not hold ends the file with UnfitValue.
 */
export function parquetFile(fields: readonly Field[]): ParquetFile {
  const columns = fields.map((field) => COLUMNS[field.type]?.(field) ?? TEXT);
  const rowWeight = columns.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const groupRows = Math.max(1, Math.floor(GROUP_CELLS / Math.max(1, rowWeight)));
  const bytes = new ByteWriter();
  const schema: Element[] = [
    { name: "root", num_children: fields.length },
    ...fields.map(({ name }, index) => {
      return { ...(columns[index] as Column).element, name, repetition_type: "OPTIONAL" as const };
    }),
  ];
  // Without bounds of the values: they would hold up the writing and grow the foot, for files that are read whole.
  const writer = new ParquetWriter({ writer: bytes, schema, statistics: false, createdBy: "millrace" });
  let held: Batch[] = [];
  let heldRows = 0;
  let heldChars = 0;

  /** What was written since the last time; the buffer begins anew. */
  const take = () => {
    const piece = bytes.getBytes().slice();
    bytes.index = 0;
    return piece;
  };
  const writeGroup = () => {
    if (heldRows === 0 || fields.length === 0) return;
    const columnData = fields.map((field, index): ColumnSource => {
      const { toCell, encoding } = columns[index] as Column;
      const data = held.flatMap((batch) => toCells(field, toCell, batch.columns[index] ?? [], batch.rowCount));
      return { name: field.name, data, offsetIndex: false, ...(encoding && { encoding }) };
    });
    writer.write({ columnData, rowGroupSize: heldRows });
    held = [];
    heldRows = 0;
    heldChars = 0;
  };

  return {
    head: take,
    batch: (batch) => {
      for (let row = 0; row < batch.rowCount; ) {
        const end = Math.min(batch.rowCount, row + groupRows - heldRows);
        const part = partOf(batch, row, end);
        held.push(part);
        heldRows += part.rowCount;
        heldChars += charsOf(part);
        if (heldRows >= groupRows || heldChars >= GROUP_CHARS) writeGroup();
        row = end;
      }
      return take();
    },
    tail: () => {
      writeGroup();
      writer.finish();
      return take();
    },
  };
}

function partOf({ columns }: Batch, start: number, end: number): Batch {
  return { rowCount: end - start, columns: columns.map((column) => column.slice(start, end)) };
}

function charsOf({ columns }: Batch): number {
  let chars = 0;
  for (const column of columns) for (const value of column) if (typeof value === "string") chars += value.length;
  return chars;
}

function toCells(field: Field, toCell: Column["toCell"], values: WireValue[], rowCount: number): (Cell | null)[] {
  return Array.from({ length: rowCount }, (_, row) => {
    const value = values[row] ?? null;
    if (value === null) return null;
    const cell = toCell(value);
    if (cell === undefined) throw new UnfitValue(field);
    return cell;
  });
}

function decimalColumn(field: Field): Column {
  const { precision, scale } = precisionOf(field) ?? { precision: Number.POSITIVE_INFINITY, scale: 0 };
  const isHuge = precision === HUGE_DIGITS && scale === 0;
  if ((precision > DECIMAL_DIGITS_MAX && !isHuge) || scale > precision) return TEXT;
  const digits = Math.min(precision, DECIMAL_DIGITS_MAX);
  const isLong = digits > INT64_DIGITS_MAX;
  const base: Column["element"] = isLong ? { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 } : { type: "INT64" };
  return {
    element: {
      ...base,
      converted_type: "DECIMAL",
      precision: digits,
      scale,
      logical_type: { type: "DECIMAL", precision: digits, scale },
    },
    toCell: (value) => toUnscaled(value, digits, scale),
    ...(isLong && { weight: 4 }),
  };
}

/** A decimal's digits as one whole number, the last `scale` of them behind the point. */
function toUnscaled(value: WireValue, digits: number, scale: number): bigint | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(String(value));
  if (!match || value === "") return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > scale) return undefined;
  const unscaled = BigInt(`${whole}${kept.padEnd(scale, "0")}` || "0");
  if (unscaled >= 10n ** BigInt(digits)) return undefined;
  return sign === "-" ? -unscaled : unscaled;
}

function stampColumn(field: Field, isAdjustedToUTC: boolean): Column {
  if (isBelowMicros(field)) return TEXT;
  return {
    element: {
      type: "INT64",
      // The older word means an instant; a time of no zone has only the newer one.
      ...(isAdjustedToUTC && { converted_type: "TIMESTAMP_MICROS" as const }),
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC, unit: "MICROS" },
    },
    toCell: toMicros,
  };
}

/** Microseconds since 1970. What has no end is the largest number, as DuckDB writes it. */
function toMicros(value: WireValue): bigint | undefined {
  if (value === "infinity" || value === "-infinity") return value === "infinity" ? INT64_MAX : -INT64_MAX;
  return microsOf(value);
}

/** Days since 1970. */
function toDays(value: WireValue): number | undefined {
  if (value === "infinity" || value === "-infinity") return Number(value === "infinity" ? INT32_MAX : -INT32_MAX);
  return daysOf(value);
}

function toFloat(value: WireValue): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function toWhole(value: WireValue, min: bigint, max: bigint): bigint | undefined {
  const isWhole = Number.isInteger(value) || (typeof value === "string" && INTEGER.test(value));
  if (!isWhole) return undefined;
  const whole = BigInt(value as number | string);
  return whole >= min && whole <= max ? whole : undefined;
}

function toNumber(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
