import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import {
  decimalOf,
  toBoolean,
  toBytes,
  toDays,
  toFloat64,
  toInt32,
  toInt64,
  toMicros,
  toUint64,
  toUnscaled,
} from "../../../base/values/exact-cells.ts";
import type { Batch, Field, FieldType, WireValue } from "../../../base/values/fields.ts";
import { isBelowMicros, isUnsigned64 } from "../../../base/values/precision.ts";
import { textOf } from "../../../base/values/text-of.ts";

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

/** The widest decimal that is written as an int64. */
const INT64_DIGITS_MAX = 18;

const TEXT: Column = {
  element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  toCell: textOf,
};

/** What has a Parquet type that holds its values exactly; everything else is text, lists and objects as JSON. */
const COLUMNS: Partial<Record<FieldType, (field: Field) => Column>> = {
  int32: () => ({ element: { type: "INT32" }, toCell: toInt32 }),
  int64: (field) =>
    isUnsigned64(field)
      ? { element: { type: "INT64", converted_type: "UINT_64" }, toCell: toUint64 }
      : { element: { type: "INT64" }, toCell: toInt64 },
  // Plain, since a dictionary would take 0 and -0 for one value.
  float64: () => ({ element: { type: "DOUBLE" }, toCell: toFloat64, encoding: "PLAIN" }),
  boolean: () => ({ element: { type: "BOOLEAN" }, toCell: toBoolean }),
  binary: () => ({ element: { type: "BYTE_ARRAY" }, toCell: toBytes }),
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
  const decimal = decimalOf(field);
  if (!decimal) return TEXT;
  const { precision: digits, scale } = decimal;
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
