import type { Batch, ByteColumn, WireValue } from "@/lib/base/values/fields";
import { byteBatch, rowStarts, valueAt } from "@/lib/base/values/row-bytes";

/** Approximate memory of a flow's batch; a few of them are held at once. */
export const FLOW_BATCH_BYTES = 8 * 1024 * 1024;
/** The same for rows as bytes, which a destination may hold in two other forms. */
const RAW_BATCH_BYTES = 4 * 1024 * 1024;
/** Rows as bytes are not decoded together, so a batch has this many times more of them. */
const RAW_ROWS_FACTOR = 4;
/** Approximate bytes of a number, a date and the like. */
const SCALAR_BYTES = 12;

/** Reads rows of a batch without decoding all of them. */
export class BatchRows {
  readonly batch: Batch;
  /** Offsets of rows that are bytes. */
  readonly starts: Uint32Array | null;

  constructor(batch: Batch) {
    this.batch = batch;
    this.starts = batch.raw ? rowStarts(batch.raw, batch.rowCount) : null;
  }

  value(column: number, row: number): WireValue {
    const { raw } = this.batch;
    if (raw && this.starts) return valueAt(raw, this.starts[row] ?? 0, column);
    return this.batch.columns[column]?.[row] ?? null;
  }
}

/** Collects rows of batches of any size, as bytes where all of them are. */
export class Gatherer {
  readonly #width: number;
  readonly #batchRows: number;
  #columns: WireValue[][];
  #raw: RawPieces | null = null;
  rowCount = 0;
  bytes = 0;

  /** @param batchRows rows at which it is full, if they are values */
  constructor(width: number, batchRows: number) {
    this.#width = width;
    this.#batchRows = batchRows;
    this.#columns = this.#empty();
  }

  get isFull(): boolean {
    return this.#raw
      ? this.rowCount >= RAW_ROWS_FACTOR * this.#batchRows || this.bytes >= RAW_BATCH_BYTES
      : this.rowCount >= this.#batchRows || this.bytes >= FLOW_BATCH_BYTES;
  }

  add({ batch, starts }: BatchRows, row: number): void {
    const { raw } = batch;
    if (raw && starts && (this.#raw !== null || this.rowCount === 0)) {
      this.#raw ??= new RawPieces(raw.columns);
      const [start = 0, end = 0] = [starts[row], starts[row + 1]];
      this.#raw.add(raw.bytes, start, end);
      this.bytes += end - start;
    } else {
      this.#decode();
      this.#addValues(batch.columns, row);
    }
    this.rowCount += 1;
  }

  addAll(batch: Batch): void {
    const rows = new BatchRows(batch);
    for (let row = 0; row < batch.rowCount; row += 1) this.add(rows, row);
  }

  /** Returns the collected rows and empties the builder. */
  take(): Batch {
    const batch: Batch = this.#raw?.take(this.rowCount) ?? { rowCount: this.rowCount, columns: this.#columns };
    this.#columns = this.#empty();
    this.#raw = null;
    this.rowCount = 0;
    this.bytes = 0;
    return batch;
  }

  /** Values follow rows that are bytes. */
  #decode(): void {
    if (!this.#raw) return;
    const { columns } = this.#raw.take(this.rowCount);
    this.#raw = null;
    this.bytes = 0;
    for (let row = 0; row < this.rowCount; row += 1) this.#addValues(columns, row);
  }

  #addValues(columns: readonly WireValue[][], row: number): void {
    for (let index = 0; index < this.#width; index += 1) {
      const value = columns[index]?.[row] ?? null;
      this.#columns[index]?.push(value);
      this.bytes += bytesOf(value);
    }
  }

  #empty(): WireValue[][] {
    return Array.from({ length: this.#width }, () => []);
  }
}

/** Parts of batches of bytes, each of adjacent rows. */
class RawPieces {
  readonly #columns: readonly ByteColumn[];
  readonly #pieces: { bytes: Uint8Array; start: number; end: number }[] = [];

  constructor(columns: readonly ByteColumn[]) {
    this.#columns = columns;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const last = this.#pieces.at(-1);
    if (last && last.bytes === bytes && last.end === start) last.end = end;
    else this.#pieces.push({ bytes, start, end });
  }

  take(rowCount: number): Batch {
    const parts = this.#pieces.map(({ bytes, start, end }) => bytes.subarray(start, end));
    return byteBatch(Buffer.concat(parts), rowCount, this.#columns);
  }
}

/** Yields batches of this many rows, or fewer where they are large; of more rows if they are bytes. */
export async function* regroup(
  batches: AsyncIterable<Batch>,
  width: number,
  batchRows: number,
): AsyncGenerator<Batch, void> {
  const rows = new Gatherer(width, batchRows);
  for await (const batch of batches) {
    const given = new BatchRows(batch);
    for (let row = 0; row < batch.rowCount; row += 1) {
      rows.add(given, row);
      if (rows.isFull) yield rows.take();
    }
  }
  if (rows.rowCount > 0) yield rows.take();
}

function bytesOf(value: WireValue): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = SCALAR_BYTES;
  for (const item of Object.values(value)) bytes += bytesOf(item) + SCALAR_BYTES;
  return bytes;
}
