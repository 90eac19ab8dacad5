import type { Batch, ByteColumn, RowBytes, WireValue } from "./fields";

const CODE_BYTES = 1;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
const ROW_HEAD_BYTES = CODE_BYTES + LENGTH_BYTES + COUNT_BYTES;

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
