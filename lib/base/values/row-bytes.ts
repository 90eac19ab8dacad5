import type { Batch, ByteColumn, RowBytes, WireValue } from "./fields";

const CODE_BYTES = 1;
const COUNT_BYTES = 2;
/** Bytes before each cell: its length. */
export const LENGTH_BYTES = 4;
/** Bytes before the cells of a row. */
export const ROW_HEAD_BYTES = CODE_BYTES + LENGTH_BYTES + COUNT_BYTES;

/**
 * Returns a batch that keeps its bytes. They become values when a reader asks for `columns`.
 * @param bytes whole rows, which never change
 */
export function byteBatch(bytes: Uint8Array, rowCount: number, columns: readonly ByteColumn[]): Batch {
  const raw = { bytes, columns };
  let decoded: WireValue[][] | null = null;
  return {
    rowCount,
    raw,
    get columns() {
      decoded ??= decodeRows(raw, rowCount);
      return decoded;
    },
  };
}

/**
 * Visits each cell, row by row.
 * @param visit receives the start and the end of a cell's text; a start of -1 is null
 * @throws Error for rows in another layout
 */
export function eachCell(
  { bytes, columns }: RowBytes,
  rowCount: number,
  visit: (column: number, from: number, end: number) => void,
): void {
  const width = columns.length;
  let at = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const rowEnd = at + CODE_BYTES + int32At(bytes, at + CODE_BYTES);
    const count = ((bytes[at + ROW_HEAD_BYTES - 2] ?? 0) << 8) | (bytes[at + ROW_HEAD_BYTES - 1] ?? 0);
    at += ROW_HEAD_BYTES;
    if (count !== width || rowEnd > bytes.length) throw new Error("Invalid row.");
    for (let column = 0; column < width; column += 1) {
      const length = int32At(bytes, at);
      at += LENGTH_BYTES;
      if (length < 0) visit(column, -1, -1);
      else {
        if (at + length > rowEnd) throw new Error("Invalid row.");
        visit(column, at, at + length);
        at += length;
      }
    }
    if (at !== rowEnd) throw new Error("Invalid row.");
  }
}

/** Returns the start of each row, and the end of the last one. @throws Error for rows in another layout */
export function rowStarts({ bytes }: RowBytes, rowCount: number): Uint32Array {
  const starts = new Uint32Array(rowCount + 1);
  let at = 0;
  for (let row = 0; row < rowCount; row += 1) {
    at += CODE_BYTES + int32At(bytes, at + CODE_BYTES);
    if (at > bytes.length) throw new Error("Invalid row.");
    starts[row + 1] = at;
  }
  return starts;
}

/** Returns the offset of a cell's length. @param start of its row */
function cellAt({ bytes }: RowBytes, start: number, column: number): number {
  let at = start + ROW_HEAD_BYTES;
  for (let before = 0; before < column; before += 1) at += LENGTH_BYTES + Math.max(0, int32At(bytes, at));
  return at;
}

/** Returns one value of a row. @param start of the row */
export function valueAt(raw: RowBytes, start: number, column: number): WireValue {
  const at = cellAt(raw, start, column);
  const length = int32At(raw.bytes, at);
  const from = at + LENGTH_BYTES;
  return length < 0 ? null : (raw.columns[column]?.decode(textAt(raw.bytes, from, from + length)) ?? null);
}

/** Returns the index of the first row without a value in a column; -1 if there is none. */
export function firstNull(raw: RowBytes, rowCount: number, column: number): number {
  const starts = rowStarts(raw, rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    if (int32At(raw.bytes, cellAt(raw, starts[row] ?? 0, column)) < 0) return row;
  }
  return -1;
}

/** Returns a part of the bytes as text. */
export function textAt(bytes: Uint8Array, from: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8", from, end);
}

/** Adds properties to a batch without decoding its rows. */
export function extendBatch<T extends object>(batch: Batch, more: T): Batch & T {
  return Object.defineProperties({ ...more } as Batch & T, Object.getOwnPropertyDescriptors(batch));
}

export function int32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}

function decodeRows(raw: RowBytes, rowCount: number): WireValue[][] {
  const text = Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.length);
  const values: WireValue[][] = raw.columns.map(() => []);
  eachCell(raw, rowCount, (column, from, end) => {
    values[column]?.push(from < 0 ? null : (raw.columns[column]?.decode(text.toString("utf8", from, end)) ?? null));
  });
  return values;
}
