import {
  Field as ArrowField,
  Binary,
  Bool,
  type Data,
  type DataType,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Uint64,
  Utf8,
} from "apache-arrow";
import { toBoolean, toBytes, toFloat64, toInt32, toInt64, toUint64 } from "@/lib/base/values/exact-cells";
import type { Batch, ByteColumn, Field, FieldType, RowBytes, WireValue } from "@/lib/base/values/fields";
import { isUnsigned64 } from "@/lib/base/values/precision";
import { textOf } from "@/lib/base/values/text-of";
import { AppError } from "@/lib/platform/http/errors";
import type { BinaryFormat } from "./byte-stream";
import {
  BooleanColumn,
  type ColumnOfBytes,
  fillColumns,
  NumberColumn,
  readFloat,
  readInteger,
  TextColumn,
  UnfitCell,
  UnfitValue,
  ValueColumn,
} from "./column-bytes";

/** Size of the continuation mark and the length before each message of the stream format. */
const MESSAGE_PREFIX_BYTES = 8;
/** Size of a continuation mark with a length of zero. */
const END_OF_STREAM_BYTES = 8;

type Column = {
  type: DataType;
  toData: (values: readonly WireValue[]) => Data;
  /** Returns a column for rows as bytes; absent or null: for values. */
  ofBytes?: (rowCount: number, column: ByteColumn) => ColumnOfBytes | null;
};

const TEXT: Column = {
  type: new Utf8(),
  toData: toTextData,
  ofBytes: (rowCount, column) => (column.form === "other" ? null : new TextColumn(rowCount, column)),
};
const int64Column =
  (toCell: (value: WireValue) => bigint | undefined): Column["ofBytes"] =>
  (rowCount, { form, decode }) =>
    form === "integer" || form === "int64"
      ? new NumberColumn(new BigInt64Array(rowCount), readInteger, (text) => toCell(decode(text)))
      : null;
const INT64: Column = {
  type: new Int64(),
  ofBytes: int64Column(toInt64),
  toData: (values) => fixed(new Int64(), values, BigInt64Array.from(cellsOf(values, toInt64, 0n))),
};
const UINT64: Column = {
  type: new Uint64(),
  ofBytes: int64Column((value) => {
    const whole = toUint64(value);
    return whole === undefined ? undefined : BigInt.asIntN(64, whole);
  }),
  toData: (values) => fixed(new Uint64(), values, BigUint64Array.from(cellsOf(values, toUint64, 0n))),
};
/**
 * Types whose Arrow type holds every value exactly. Decimals and times stay text, as in JSON: their Arrow types need a
 * scale or a unit for the whole column, and have no infinity. The neutral and the database's type names are in each
 * field's metadata. The library's builders process one value at a time and take ten times as long.
 */
const COLUMNS: Partial<Record<FieldType, (field: Field) => Column>> = {
  int32: () => ({
    type: new Int32(),
    toData: (values) => fixed(new Int32(), values, Int32Array.from(cellsOf(values, toInt32, 0))),
    ofBytes: (rowCount, { form, decode }) =>
      form === "integer"
        ? new NumberColumn(new Int32Array(rowCount), readInteger, (text) => toInt32(decode(text)))
        : null,
  }),
  int64: (field) => (isUnsigned64(field) ? UINT64 : INT64),
  float64: () => ({
    type: new Float64(),
    toData: (values) => fixed(new Float64(), values, Float64Array.from(cellsOf(values, toFloat64, 0))),
    ofBytes: (rowCount, { form, decode }) =>
      form === "float"
        ? new NumberColumn(new Float64Array(rowCount), readFloat, (text) => toFloat64(decode(text)))
        : null,
  }),
  boolean: () => ({
    type: new Bool(),
    toData: (values) =>
      fixed(
        new Bool(),
        values,
        toBits(cellsOf(values, toBoolean, false), (value) => value),
      ),
    ofBytes: (rowCount, { form }) => (form === "boolean" ? new BooleanColumn(rowCount) : null),
  }),
  binary: () => ({ type: new Binary(), toData: toBinaryData }),
};

/**
 * Returns the cells of a column, with `empty` in place of null.
 * @throws UnfitValue, since nothing may be rounded
 */
function cellsOf<T>(values: readonly WireValue[], toCell: (value: WireValue) => T | undefined, empty: T): T[] {
  return values.map((value) => {
    const cell = value === null ? empty : toCell(value);
    if (cell === undefined) throw new UnfitValue();
    return cell;
  });
}

/** Apache Arrow's IPC stream: the schema, one record batch for each batch, and the end mark. */
export function arrow(fields: readonly Field[]): BinaryFormat {
  const columns = fields.map((field) => COLUMNS[field.type]?.(field) ?? TEXT);
  const schema = new Schema(
    fields.map(({ name, type, dbType }, index) => {
      const metadata = new Map([
        ["type", type],
        ["dbType", dbType],
      ]);
      return new ArrowField(name, (columns[index] as Column).type, true, metadata);
    }),
  );
  const empty = tableToIPC(new Table(schema), "stream");
  const headBytes = MESSAGE_PREFIX_BYTES + new DataView(empty.buffer, empty.byteOffset).getInt32(4, true);

  return {
    head: () => empty.subarray(0, headBytes),
    batch: (batch, rowCount) => {
      const whole = tableToIPC(new Table(schema, [toRecordBatch(schema, columns, batch, rowCount)]), "stream");
      return whole.subarray(headBytes, whole.length - END_OF_STREAM_BYTES);
    },
    tail: () => empty.subarray(empty.length - END_OF_STREAM_BYTES),
  };
}

function toRecordBatch(schema: Schema, columns: Column[], batch: Batch, rowCount: number): RecordBatch {
  const children =
    (batch.raw && dataOfBytes(schema, columns, batch.raw, rowCount)) || dataOf(schema, columns, batch, rowCount);
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: rowCount, nullCount: 0, children }),
  );
}

function dataOf(schema: Schema, columns: Column[], batch: Batch, rowCount: number): Data[] {
  return columns.map(({ toData }, index) => {
    const values = batch.columns[index] ?? [];
    try {
      return toData(values.length > rowCount ? values.slice(0, rowCount) : values);
    } catch (error) {
      throw error instanceof UnfitValue ? unfit(schema, index) : error;
    }
  });
}

/** Returns the same data from rows as bytes; null when a text is not UTF-8. */
function dataOfBytes(schema: Schema, columns: Column[], raw: RowBytes, rowCount: number): Data[] | null {
  const filled = columns.map(({ ofBytes }, index) => {
    const column = raw.columns[index] as ByteColumn;
    return ofBytes?.(rowCount, column) ?? new ValueColumn(rowCount, column.decode);
  });
  try {
    if (!fillColumns(raw, rowCount, filled)) return null;
  } catch (error) {
    throw error instanceof UnfitCell ? unfit(schema, error.column) : error;
  }
  return columns.map(({ type, toData }, index) => {
    const column = filled[index] as ColumnOfBytes;
    if (column instanceof ValueColumn) {
      try {
        return toData(column.values);
      } catch (error) {
        throw error instanceof UnfitValue ? unfit(schema, index) : error;
      }
    }
    const { length, nullCount, valid } = column;
    const nulls = { length, nullCount, nullBitmap: nullCount === 0 ? null : valid };
    const data = { data: (column as TextColumn | BooleanColumn | NumberColumn<Float64Array>).data };
    const offsets = column instanceof TextColumn && { valueOffsets: column.offsets };
    return makeData({ type, ...nulls, ...data, ...offsets } as Parameters<typeof makeData>[0]);
  });
}

function unfit(schema: Schema, index: number): AppError {
  return new AppError(
    "query_failed",
    `The column ${schema.fields[index]?.name ?? ""} has a value that its Arrow type can't hold. Cast it to text, or use another format.`,
  );
}

/** Returns the validity bitmap and the number of nulls. */
function validity(values: readonly WireValue[]): { nullCount: number; nullBitmap: Uint8Array | null } {
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
  return { nullCount, nullBitmap: nullCount === 0 ? null : toBits(values, (value) => value !== null) };
}

/** Packs one bit a value, lowest first. */
function toBits<T>(values: readonly T[], isSet: (value: T) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (const [at, value] of values.entries()) if (isSet(value)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  return bits;
}

function fixed(
  type: Int32 | Int64 | Uint64 | Float64 | Bool,
  values: readonly WireValue[],
  data: Int32Array | BigInt64Array | BigUint64Array | Float64Array | Uint8Array,
): Data {
  // The library's types require a type known at compile time; the pairs are created above.
  return makeData({ type, length: values.length, ...validity(values), data } as Parameters<typeof makeData>[0]);
}

function toTextData(values: readonly WireValue[]): Data {
  const texts = values.map((value) => (value === null ? "" : textOf(value)));
  const joined = texts.join("");
  const whole = Buffer.from(joined);
  // ASCII characters are one byte each, so the whole column is converted at once; otherwise text by text.
  const isPlain = whole.length === joined.length;
  const data = isPlain ? whole : Buffer.concat(texts.map((text) => Buffer.from(text)));
  const valueOffsets = toOffsets(texts, isPlain ? (text) => text.length : Buffer.byteLength);
  return makeData({ type: new Utf8(), length: values.length, ...validity(values), valueOffsets, data });
}

function toBinaryData(values: readonly WireValue[]): Data {
  const cells = cellsOf(values, toBytes, new Uint8Array(0));
  const valueOffsets = toOffsets(cells, (cell) => cell.length);
  const data = Buffer.concat(cells);
  return makeData({ type: new Binary(), length: values.length, ...validity(values), valueOffsets, data });
}

/** Returns the start of each value, and the end of the last. */
function toOffsets<T>(values: readonly T[], bytesOf: (value: T) => number): Int32Array {
  const offsets = new Int32Array(values.length + 1);
  let at = 0;
  for (const [index, value] of values.entries()) {
    at += bytesOf(value);
    offsets[index + 1] = at;
  }
  return offsets;
}
