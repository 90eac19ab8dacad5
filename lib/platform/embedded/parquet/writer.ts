import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { snappyCompressor } from "hysnappy";
import {
  decimalOf,
  INT64_DIGITS_MAX,
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
import { type Cell, type Element, writeFilledGroup } from "./filled-group.ts";
import type { FilledColumn } from "./messages.ts";

type Column = {
  element: Omit<Element, "name">;
  /** Returns undefined for a value that the column cannot hold. Null is never passed. */
  toCell: (value: WireValue) => Cell | undefined;
  encoding?: ColumnSource["encoding"];
  /** Cost of encoding a cell, in plain cells. */
  weight?: number;
};

/**
 * Size of a row group, in plain cells. A group is written at once: this many cells take some 20 ms, during which other
 * files wait. With smaller groups, the footer, which is held until the end and names every column of every group, would
 * be a large part of the file.
 */
const GROUP_CELLS = 32 * 1024;
/** Maximum text of a row group, in characters, to bound memory and time where cells are long. */
const GROUP_CHARS = 2 * 1024 * 1024;

const TEXT: Column = {
  element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  toCell: textOf,
};

/**
 * Parquet columns for types whose values Parquet holds exactly. All other types are text; lists and objects are JSON.
 */
const COLUMNS: Partial<Record<FieldType, (field: Field) => Column>> = {
  int32: () => ({ element: { type: "INT32" }, toCell: toInt32 }),
  int64: (field) =>
    isUnsigned64(field)
      ? { element: { type: "INT64", converted_type: "UINT_64" }, toCell: toUint64 }
      : { element: { type: "INT64" }, toCell: toInt64 },
  // Plain encoding, because a dictionary would treat 0 and -0 as one value.
  float64: () => ({ element: { type: "DOUBLE" }, toCell: toFloat64, encoding: "PLAIN" }),
  boolean: () => ({ element: { type: "BOOLEAN" }, toCell: toBoolean }),
  binary: () => ({ element: { type: "BYTE_ARRAY" }, toCell: toBytes }),
  decimal: decimalColumn,
  date: () => ({ element: { type: "INT32", converted_type: "DATE" }, toCell: toDays }),
  timestamp: (field) => stampColumn(field, false),
  timestamptz: (field) => stampColumn(field, true),
};

/** Thrown for a value that the Parquet column of its field's type cannot hold. */
export class UnfitValue extends Error {
  readonly field: Pick<Field, "name" | "dbType">;

  constructor(field: Pick<Field, "name" | "dbType">) {
    super(field.name);
    this.field = field;
  }
}

/** A Parquet file in progress; each function returns the bytes since the last call. */
export type ParquetFile = {
  head(): Uint8Array;
  batch(batch: Batch): Uint8Array;
  /** Writes a row group. */
  columns(columns: readonly FilledColumn[], rowCount: number): Uint8Array;
  tail(): Uint8Array;
};

/**
 * Writes Parquet, row group by row group. It holds one group and the footer, which grows by an entry per group. Values
 * are never rounded: one that its column cannot hold ends the file with UnfitValue.
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
  // Without statistics: they would slow down writing and enlarge the footer, and the files are read as a whole.
  const compressors = { SNAPPY: snappyCompressor() };
  const writer = new ParquetWriter({ writer: bytes, schema, compressors, statistics: false, createdBy: "millrace" });
  let held: Batch[] = [];
  let heldRows = 0;
  let heldChars = 0;

  /** Returns the bytes written since the last call and resets the buffer. */
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
    columns: (filled, rowCount) => {
      writeGroup();
      const cells = filled.map((column, index): FilledColumn | { cells: (Cell | null)[] } => {
        if (!("values" in column)) return column;
        const [field, { toCell }] = [fields[index] as Field, columns[index] as Column];
        return { cells: toCells(field, toCell, column.values, rowCount) };
      });
      writeFilledGroup(writer, schema, cells, rowCount);
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
      // The older annotation means an instant; a time without a zone has only the newer one.
      ...(isAdjustedToUTC && { converted_type: "TIMESTAMP_MICROS" as const }),
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC, unit: "MICROS" },
    },
    toCell: toMicros,
  };
}
