import {
  Field as ArrowField,
  Binary,
  Bool,
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
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import type { Batch, Field, FieldType, WireValue } from "@/lib/connections/data-source";
import type { BinaryFormat } from "./byte-stream";

/** The continuation mark and the length in front of each message of the stream format. */
const MESSAGE_PREFIX_BYTES = 8;
/** A continuation mark with a length of zero. */
const END_OF_STREAM_BYTES = 8;

type Column = { type: DataType; toArrow: (value: NonNullable<WireValue>) => unknown };

const TEXT: Column = {
  type: new Utf8(),
  toArrow: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
};
/**
 * What has an Arrow type that holds every value exactly gets it. Decimals and times stay text, as in JSON: their
 * Arrow types need a scale or a unit for the whole column, and have no infinity. The neutral and the database's own
 * type names stand in each field's metadata.
 */
const COLUMNS: Partial<Record<FieldType, Column>> = {
  int32: { type: new Int32(), toArrow: Number },
  int64: { type: new Int64(), toArrow: (value) => BigInt(value as number | string) },
  float64: { type: new Float64(), toArrow: Number },
  boolean: { type: new Bool(), toArrow: Boolean },
  binary: { type: new Binary(), toArrow: (value) => new Uint8Array(Buffer.from(String(value), "base64")) },
};

/** Apache Arrow's IPC stream: the schema, one record batch for each batch, the end mark. */
export function arrow(fields: readonly Field[]): BinaryFormat {
  const columns = fields.map(({ type }) => COLUMNS[type] ?? TEXT);
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
  const children = columns.map(({ type, toArrow }, index) => {
    const values = (batch.columns[index] ?? []).slice(0, rowCount);
    const vector = vectorFromArray(
      values.map((value) => (value === null ? null : toArrow(value))),
      type,
    );
    // A vector made in one go has one chunk; of no values at all it has none.
    return vector.data[0] ?? makeData({ type, length: 0, nullCount: 0 });
  });
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: rowCount, nullCount: 0, children }),
  );
}
