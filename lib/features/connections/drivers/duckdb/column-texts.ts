import type { RowBytes } from "@/lib/base/values/fields";
import { eachCell } from "@/lib/base/values/row-bytes";
import { ByteRows, type CellWriter, type ParsedForms } from "../shared/flows/byte-cells";
import type { Encode } from "../shared/flows/rows";
import type { TargetColumn } from "../shared/flows/table-shape";

/** Separates cells: a character that JSON does not escape and texts hardly have. */
export const SEPARATOR_CODE = 0x7f;
/** Stands for null. */
export const NULL_TEXT = "\\N";
/** DuckDB reads years of four digits as PostgreSQL writes them, but neither its intervals, bytes nor lists. */
const PARSED: ParsedForms = { years: "common", interval: false, binary: false, array: false };
/** Cells from this length on are copied by a call, which takes as long as copying so many bytes one by one. */
const COPIED_BYTES_MIN = 40;
const [BACKSLASH, LETTER] = [0x5c, 0x4e];

/** Writes batches of one load. Their memory is used again, since collecting it takes as long as filling it. */
export class ColumnTexts {
  #columns: Column[] = [];

  /**
   * Returns the cells of each column in one text of UTF-8, which DuckDB splits. It is valid until the next call.
   * @returns null if a cell has the separator or is the text of null
   * @throws RowRefused
   */
  of(
    rows: { raw: RowBytes; rowCount: number },
    columns: readonly TargetColumn[],
    encode: Encode<string | number | boolean>,
  ): Buffer[] | null {
    const cells = new ByteRows(rows, columns, { parsed: PARSED, encode });
    this.#columns = columnBytes(rows, columns.length).map((needed, index) => {
      const bytes = this.#columns[index]?.bytes;
      return { bytes: bytes && bytes.length >= needed ? bytes : Buffer.allocUnsafe(needed), length: 0 };
    });
    const writer = new TextWriter(rows.raw.bytes, this.#columns);
    for (let row = 0; row < rows.rowCount && !writer.isAmbiguous; row += 1) cells.write(row, writer);
    return writer.isAmbiguous ? null : writer.texts();
  }
}

/** Returns the bytes of each column's cells with their separators, if the cells are written unchanged. */
function columnBytes({ raw, rowCount }: { raw: RowBytes; rowCount: number }, width: number): number[] {
  const sums = new Array<number>(width).fill(0);
  eachCell(raw, rowCount, (column, from, end) => {
    sums[column] = (sums[column] ?? 0) + 1 + (from < 0 ? NULL_TEXT.length : end - from);
  });
  return sums;
}

type Column = { bytes: Buffer; length: number };

class TextWriter implements CellWriter {
  readonly #source: Buffer;
  /** Place of the next byte of a separator's code, within a cell or between cells. */
  #nextSeparator = -1;
  readonly #columns: readonly Column[];
  isAmbiguous = false;

  constructor(source: Uint8Array, columns: readonly Column[]) {
    this.#source = Buffer.from(source.buffer, source.byteOffset, source.length);
    this.#columns = columns;
  }

  null(index: number): void {
    const column = this.#room(index, NULL_TEXT.length);
    column.bytes[column.length] = BACKSLASH;
    column.bytes[column.length + 1] = LETTER;
    column.length += NULL_TEXT.length;
    endCell(column);
  }

  bytes(index: number, from: number, end: number): void {
    const source = this.#source;
    const column = this.#room(index, end - from);
    const { bytes, length } = column;
    if (this.#nextSeparator < end) this.#findSeparator(from, end);
    if (end - from >= COPIED_BYTES_MIN) source.copy(bytes, length, from, end);
    else for (let at = 0; at < end - from; at += 1) bytes[length + at] = source[from + at] as number;
    if (end - from === NULL_TEXT.length && source[from] === BACKSLASH && source[from + 1] === LETTER) {
      this.isAmbiguous = true;
    }
    column.length = length + end - from;
    endCell(column);
  }

  #findSeparator(from: number, end: number): void {
    if (this.#nextSeparator < from) {
      const found = this.#source.indexOf(SEPARATOR_CODE, from);
      this.#nextSeparator = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    if (this.#nextSeparator < end) this.isAmbiguous = true;
  }

  text(index: number, text: string): void {
    if (text === NULL_TEXT || text.includes(String.fromCharCode(SEPARATOR_CODE))) this.isAmbiguous = true;
    const column = this.#room(index, Buffer.byteLength(text));
    column.length += column.bytes.write(text, column.length, "utf8");
    endCell(column);
  }

  texts(): Buffer[] {
    return this.#columns.map(({ bytes, length }) => bytes.subarray(0, length - 1));
  }

  /** @param bytes of the next cell, without its separator */
  #room(index: number, bytes: number): Column {
    const column = this.#columns[index];
    if (!column) throw new Error("A row has more cells than columns.");
    const needed = column.length + bytes + 1;
    if (needed > column.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * column.bytes.length));
      column.bytes.copy(grown, 0, 0, column.length);
      column.bytes = grown;
    }
    return column;
  }
}

function endCell(column: Column): void {
  column.bytes[column.length] = SEPARATOR_CODE;
  column.length += 1;
}
