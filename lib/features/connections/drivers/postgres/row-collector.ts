import type { Batch, ByteColumn } from "@/lib/base/values/fields";
import { byteBatch } from "@/lib/base/values/row-bytes";
import { CHARS_AT_ONCE } from "../shared/wire-values";
import type { RowSink } from "./guarded-connection";

/** Bytes of whole rows that are collected before a batch is sent. They are written in a few milliseconds. */
export const RAW_BATCH_BYTES = 512 * 1024;
/** Room for the piece of the stream in which a batch becomes full. */
const PIECE_BYTES = 64 * 1024;
/** Bytes of a row's code, before its length. */
const CODE_BYTES = 1;
const LENGTH_BYTES = 4;

/** Collects rows as the server sent them. */
export class RowCollector implements RowSink {
  readonly #columns: readonly ByteColumn[];
  #bytes = Buffer.allocUnsafeSlow(RAW_BATCH_BYTES + PIECE_BYTES);
  #length = 0;
  /** End of the last whole row. */
  #end = 0;
  #longest = 0;
  rowCount = 0;

  constructor(columns: readonly ByteColumn[]) {
    this.#columns = columns;
  }

  /** Bytes of the whole rows. */
  get bytes(): number {
    return this.#end;
  }

  begin(length: number): void {
    if (length > this.#longest) this.#longest = length;
  }

  add(piece: Buffer, rowCount: number, end: number): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    piece.copy(this.#bytes, this.#length);
    if (rowCount > 0) this.#end = this.#length + end;
    this.#length = needed;
    this.rowCount += rowCount;
  }

  /** Returns the whole rows and keeps the start of the next one. */
  take(): Batch {
    const [bytes, rest] = [this.#bytes.subarray(0, this.#end), this.#bytes.subarray(this.#end, this.#length)];
    const batch = byteBatch(bytes, this.rowCount, this.#columns);
    // A cell that takes long to parse is parsed in slices, from values.
    const isLarge = this.#longest > CHARS_AT_ONCE;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(RAW_BATCH_BYTES + PIECE_BYTES, rest.length));
    rest.copy(this.#bytes);
    this.#length = rest.length;
    this.#end = 0;
    this.rowCount = 0;
    this.#longest = rest.length >= CODE_BYTES + LENGTH_BYTES ? rest.readUInt32BE(CODE_BYTES) : 0;
    return isLarge ? { rowCount: batch.rowCount, columns: batch.columns } : batch;
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
