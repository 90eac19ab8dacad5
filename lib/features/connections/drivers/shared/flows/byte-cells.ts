import type { ByteColumn, CellForm, RowBytes } from "@/lib/base/values/fields";
import { precisionOf } from "@/lib/base/values/precision";
import { int32At, LENGTH_BYTES, ROW_HEAD_BYTES, rowStarts, textAt } from "@/lib/base/values/row-bytes";
import { CellRefused, type Encode, RowRefused } from "./rows";
import type { TargetColumn } from "./table-shape";

/*
 * Rows that reach a destination as the bytes of their source. Each column chooses one way for its cells: the
 * destination parses their unchanged text, or they are decoded and encoded like any other value.
 */

/** Returns whether the destination stores the same value for this text as for the encoded value. */
export type IsPlain = (bytes: Uint8Array, from: number, end: number) => boolean;

/** Texts that a destination parses although their forms are PostgreSQL's own. */
export type ParsedForms = { years: "all" | "common"; interval: boolean; binary: boolean; array: boolean };

const always: IsPlain = () => true;

/** Returns the test of a column's cells; null for a column whose cells are always decoded. */
export function plainTest(column: TargetColumn, form: CellForm, parsed: ParsedForms): IsPlain | null {
  const { type, from } = column;
  const isInteger = form === "integer" || form === "int64";
  switch (type) {
    case "int32":
    case "int64":
      return isInteger ? always : null;
    case "float64":
      return form === "float" || form === "integer" ? always : null;
    case "decimal":
      if (isInteger) return always;
      return from === "decimal" && form === "plain" ? decimalTest(column) : null;
    case "boolean":
      return form === "boolean" ? always : null;
    case "date":
    case "timestamp":
    case "timestamptz":
      if (form !== "date" && form !== "timestamp") return null;
      return parsed.years === "all" ? always : hasCommonYear;
    case "time":
      return from === "time" && form === "plain" ? always : null;
    case "json":
      return from === "json" || (from === "string" && form === "text") ? always : null;
    case "string":
      if (from === "string") return form === "text" || form === "plain" ? always : null;
      return from === "json" || isInteger || (from === "decimal" && form === "plain") ? always : null;
    case "interval":
      return from === "interval" && parsed.interval ? always : null;
    case "binary":
      return from === "binary" && parsed.binary ? always : null;
    case "array":
      return from === "array" && parsed.array && column.fromDbType === column.dbType ? always : null;
    case "other":
      return from === "other" && form === "text" ? always : null;
    default:
      return null;
  }
}

const [DOT, DASH, ZERO, LAST_OF_BC] = [0x2e, 0x2d, 0x30, 0x43];

/** Integer types of DuckDB with more than 64 bits and without a precision. */
const WHOLE = /^(?:bignum|varint)$/i;

/** The database would round a fraction with more digits than the column has. */
function decimalTest(column: TargetColumn): IsPlain {
  const scale = precisionOf(column)?.scale ?? (WHOLE.test(column.dbType ?? "") ? 0 : undefined);
  if (scale === undefined) return always;
  return (bytes, from, end) => {
    let last = end;
    while (last > from && bytes[last - 1] === ZERO) last -= 1;
    // Only the last digits can be beyond the scale.
    for (let at = from; at < last - scale - 1; at += 1) if (bytes[at] === DOT) return false;
    return true;
  };
}

/** A year of four digits after Christ. */
const hasCommonYear: IsPlain = (bytes, from, end) => bytes[from + 4] === DASH && bytes[end - 1] !== LAST_OF_BC;

/** Receives the cells of each row. */
export type CellWriter = {
  null(column: number): void;
  /** Text that the destination parses unchanged. */
  bytes(column: number, from: number, end: number): void;
  /** An encoded value. */
  text(column: number, text: string): void;
};

type Way = { isPlain: IsPlain | null; given: ByteColumn | undefined };

/** Writes cells of rows, each by its column's way. */
export class ByteRows {
  readonly #raw: RowBytes;
  readonly #starts: Uint32Array;
  readonly #columns: readonly TargetColumn[];
  readonly #ways: readonly Way[];
  readonly #encode: Encode<string | number | boolean>;

  /** @param encode encodes values of cells whose text the destination would parse differently */
  constructor(
    { raw, rowCount }: { raw: RowBytes; rowCount: number },
    columns: readonly TargetColumn[],
    { parsed, encode }: { parsed: ParsedForms; encode: Encode<string | number | boolean> },
  ) {
    this.#raw = raw;
    this.#starts = rowStarts(raw, rowCount);
    this.#columns = columns;
    this.#ways = columns.map((column, index) => {
      const given = raw.columns[index];
      return { isPlain: given ? plainTest(column, given.form, parsed) : null, given };
    });
    this.#encode = encode;
  }

  /** Returns the number of bytes of a row. */
  lengthOf(row: number): number {
    return (this.#starts[row + 1] ?? 0) - (this.#starts[row] ?? 0);
  }

  /** @throws RowRefused for a value that cannot be written unchanged */
  write(row: number, writer: CellWriter): void {
    const { bytes } = this.#raw;
    const ways = this.#ways;
    let at = (this.#starts[row] ?? 0) + ROW_HEAD_BYTES;
    for (let index = 0; index < ways.length; index += 1) {
      const length = int32At(bytes, at);
      const from = at + LENGTH_BYTES;
      if (length < 0) {
        at = from;
        writer.null(index);
        continue;
      }
      at = from + length;
      const { isPlain, given } = ways[index] as Way;
      // Most cells need no test, and a call takes as long as copying a short cell.
      if (isPlain === always || isPlain?.(bytes, from, at)) writer.bytes(index, from, at);
      else this.#writeValue(row, index, given, textAt(bytes, from, at), writer);
    }
  }

  #writeValue(row: number, index: number, given: ByteColumn | undefined, text: string, writer: CellWriter): void {
    const column = this.#columns[index];
    const value = given?.decode(text) ?? null;
    if (value === null || !column) {
      writer.null(index);
      return;
    }
    try {
      writer.text(index, String(this.#encode(value, column)));
    } catch (error) {
      if (!(error instanceof CellRefused)) throw error;
      throw new RowRefused(error.message, { row, column: column.name });
    }
  }
}
