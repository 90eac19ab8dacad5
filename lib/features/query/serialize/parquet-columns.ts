import {
  decimalOf,
  INT64_DIGITS_MAX,
  toDays,
  toFloat64,
  toInt32,
  toInt64,
  toMicros,
  toUint64,
  toUnscaled,
} from "@/lib/base/values/exact-cells";
import type { ByteColumn, Field, FieldType, RowBytes } from "@/lib/base/values/fields";
import { isBelowMicros, isUnsigned64 } from "@/lib/base/values/precision";
import type { FilledColumn } from "@/lib/platform/embedded/parquet/messages";
import {
  BooleanColumn,
  type ColumnOfBytes,
  fillColumns,
  NumberColumn,
  type Read,
  readDate,
  readDecimal,
  readFloat,
  readInteger,
  readTimestamp,
  TextColumn,
  ValueColumn,
} from "./column-bytes";

/** Reads nearly all texts of a column as the number that Parquet stores; absent where Parquet stores text. */
const READS: Partial<Record<FieldType, (field: Field, column: ByteColumn) => Read | null>> = {
  int32: (_, { form }) => (form === "integer" ? readInteger : null),
  int64: (_, { form }) => (form === "integer" || form === "int64" ? readInteger : null),
  float64: (_, { form }) => (form === "float" ? readFloat : null),
  decimal: (field, { form }) => {
    const decimal = decimalOf(field);
    const isShort = decimal !== null && decimal.precision <= INT64_DIGITS_MAX;
    return form === "plain" && isShort ? readDecimal(decimal) : null;
  },
  date: (_, { form }) => (form === "date" ? readDate : null),
  timestamp: (field, { form }) => (form === "timestamp" && !isBelowMicros(field) ? readTimestamp : null),
  timestamptz: (field, { form }) => (form === "timestamp" && !isBelowMicros(field) ? readTimestamp : null),
};
/** Types that are text in Parquet for some of their columns. */
const IS_TEXT: Partial<Record<FieldType, (field: Field) => boolean>> = {
  int32: () => false,
  int64: () => false,
  float64: () => false,
  boolean: () => false,
  binary: () => false,
  decimal: (field) => decimalOf(field) === null,
  date: () => false,
  timestamp: isBelowMicros,
  timestamptz: isBelowMicros,
};

/** Returns a function that reads a cell as a number; null for a column whose cells are not read as numbers. */
export function parquetReadOf(field: Field, column: ByteColumn): Read | null {
  return READS[field.type]?.(field, column) ?? null;
}

/**
 * Returns the columns of rows as bytes; null when a text is not UTF-8.
 * @throws UnfitCell for a value that its column cannot hold
 */
export function fillParquetColumns(
  fields: readonly Field[],
  raw: RowBytes,
  rowCount: number,
): { columns: FilledColumn[]; transfer: ArrayBuffer[] } | null {
  const filled = fields.map((field, index) => columnOf(field, raw.columns[index] as ByteColumn, rowCount));
  if (!fillColumns(raw, rowCount, filled)) return null;
  const columns = filled.map(toFilled);
  const transfer = columns.flatMap((column) =>
    "values" in column
      ? []
      : [column.data, column.valid, ...(column.offsets ? [column.offsets] : [])].map(
          (each) => each.buffer as ArrayBuffer,
        ),
  );
  return { columns, transfer };
}

function columnOf(field: Field, column: ByteColumn, rowCount: number): ColumnOfBytes {
  const { decode } = column;
  const read = parquetReadOf(field, column);
  const { type } = field;
  if (type === "boolean" && column.form === "boolean") return new BooleanColumn(rowCount);
  if (read === null) {
    const isText = IS_TEXT[type]?.(field) ?? true;
    return isText && column.form !== "other" ? new TextColumn(rowCount, column) : new ValueColumn(rowCount, decode);
  }
  if (type === "int32") return new NumberColumn(new Int32Array(rowCount), read, (text) => toInt32(decode(text)));
  if (type === "date") return new NumberColumn(new Int32Array(rowCount), read, (text) => toDays(decode(text)));
  if (type === "float64") return new NumberColumn(new Float64Array(rowCount), read, (text) => toFloat64(decode(text)));
  return new NumberColumn(new BigInt64Array(rowCount), read, int64Of(field, decode));
}

function int64Of(field: Field, decode: ByteColumn["decode"]): (text: string) => bigint | undefined {
  const decimal = field.type === "decimal" ? decimalOf(field) : null;
  if (decimal) return (text) => toUnscaled(decode(text), decimal.precision, decimal.scale);
  if (field.type !== "int64") return (text) => toMicros(decode(text));
  if (!isUnsigned64(field)) return (text) => toInt64(decode(text));
  return (text) => {
    const whole = toUint64(decode(text));
    return whole === undefined ? undefined : BigInt.asIntN(64, whole);
  };
}

function toFilled(column: ColumnOfBytes): FilledColumn {
  if (column instanceof ValueColumn) return { values: column.values };
  const { nullCount, valid } = column;
  if (column instanceof TextColumn) return { nullCount, valid, data: column.data, offsets: column.offsets };
  if (column instanceof BooleanColumn) return { nullCount, valid, data: column.data };
  return { nullCount, valid, data: (column as NumberColumn<Float64Array>).data };
}
