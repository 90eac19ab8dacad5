import "server-only";
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { holdsOf, isWiderThanParquet, type TypedFormat } from "@/lib/base/values/exact-cells";
import type { Batch, ByteColumn, Field, FieldType, RowBytes, WireValue } from "@/lib/base/values/fields";
import { byteBatch, eachCell } from "@/lib/base/values/row-bytes";
import { textOf } from "@/lib/base/values/text-of";
import type { LooseTypes } from "@/lib/features/connections/data-source";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import { absolutePath } from "@/lib/platform/process/paths";
import { withLargeCellsAsText } from "./large-cells";
import { parquetReadOf } from "./parquet-columns";
import { fitsCell, tooLong } from "./xlsx";

/** Size up to which batches wait in memory; most results are smaller. */
const MEMORY_BYTES = 8 * 1024 * 1024;
/** Maximum size of a result that waits on disk, which other results share. */
const SPOOL_BYTES_MAX = 8 * 1024 * 1024 * 1024;
/** Size of a cell of a batch. */
const CELL_BYTES = 8;
/** Size of a text's header on the heap, with its rounding. */
const TEXT_HEAD_BYTES = 24;
/** Ratio of a list of small numbers on the heap to its JSON text. */
const OBJECT_BYTES_PER_CHAR = 4;
const LENGTH_BYTES = 4;
/** Bytes before a batch in the file: its length, and its number of rows. */
const HEAD_BYTES = 8;
/** Number of rows of a batch that is serialized values. */
const SERIALIZED = 0xffffffff;
/** Types whose text may exceed a cell of a sheet. */
const LONG_TEXT: ReadonlySet<FieldType> = new Set([
  "string",
  "json",
  "array",
  "binary",
  "decimal",
  "other",
  "interval",
]);
const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** Formats with column types, or with cells that do not hold every value. */
export type SettledFormat = TypedFormat | "xlsx";

export type Settled = {
  /** Fields to write: a column whose values do not all fit its type is text. */
  fields: Field[];
  batches: AsyncIterableIterator<Batch>;
};

/**
 * Decides the column types of a typed file before its first byte. If a value may not fit its column's type, reads the
 * whole result first and turns such columns into text. A sheet has no longer text, so its file is rejected. Other
 * results pass without delay.
 * @param limit maximum number of rows, null for all
 * @throws errors of the batches; AppError `too_large` for a result that is too large to hold, `query_failed` for a text
 *   that no cell of a sheet can hold
 */
export async function settleTypes(
  format: SettledFormat,
  fields: readonly Field[],
  batches: AsyncIterator<Batch>,
  { loose = [], limit = null }: { loose?: LooseTypes | undefined; limit?: number | null },
): Promise<Settled> {
  const tests = fields.map((field) => {
    if (format === "xlsx") return LONG_TEXT.has(field.type) ? fitsCell : null;
    const isLoose = loose === "all" || loose.includes(field.type);
    return isLoose || (format === "parquet" && isWiderThanParquet(field)) ? holdsOf(format, field) : null;
  });
  if (tests.every((test) => test === null)) return { fields: [...fields], batches: iterable(batches) };

  const spool = new Spool();
  const pacer = new Pacer();
  const unfit = new Set<number>();
  let rows = 0;
  try {
    while (limit === null || rows < limit) {
      const { done, value } = await batches.next();
      if (done) break;
      const batch = format === "xlsx" ? await withLargeCellsAsText(value, () => pacer.restIfLate()) : value;
      const rowCount = Math.min(batch.rowCount, (limit ?? Number.POSITIVE_INFINITY) - rows);
      rows += rowCount;
      const { raw } = batch;
      if (raw && format !== "xlsx") {
        const left = tests.map((test, index) => (unfit.has(index) ? null : test));
        for (const index of unfitOf(format, fields, raw, rowCount, left)) unfit.add(index);
        await spool.addBytes(raw, rowCount);
        await pacer.restIfLate();
        continue;
      }
      for (const [index, test] of tests.entries()) {
        if (test === null || unfit.has(index)) continue;
        const column = batch.columns[index] ?? [];
        for (let row = 0; row < rowCount; row += 1) {
          const value = column[row] ?? null;
          if (value === null || test(value)) continue;
          if (format === "xlsx") throw tooLong(fields[index]?.name ?? "", textOf(value).length);
          unfit.add(index);
          break;
        }
        await pacer.restIfLate();
      }
      await spool.add({ rowCount, columns: batch.columns });
      await pacer.restIfLate();
    }
    await batches.return?.();
  } catch (error) {
    await spool.close();
    await batches.return?.();
    throw error;
  }
  return {
    fields: fields.map((field, index) => (unfit.has(index) ? { ...field, type: "string" } : field)),
    batches: spool.read(),
  };
}

/** Returns the columns of rows as bytes that have a value which does not pass its test. */
function unfitOf(
  format: TypedFormat,
  fields: readonly Field[],
  raw: RowBytes,
  rowCount: number,
  tests: readonly (((value: WireValue) => boolean) | null)[],
): Set<number> {
  const bytes = Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.length);
  const unfit = new Set<number>();
  const reads = fields.map((field, index) =>
    format === "parquet" ? parquetReadOf(field, raw.columns[index] as ByteColumn) : null,
  );
  eachCell(raw, rowCount, (index, from, end) => {
    const test = tests[index];
    if (!test || from < 0) return;
    const read = reads[index];
    // Every column holds the numbers that are read from its texts.
    if (read && !Number.isNaN(read(bytes, from, end))) return;
    const value = raw.columns[index]?.decode(bytes.toString("utf8", from, end)) ?? null;
    if (value !== null && !test(value)) unfit.add(index);
  });
  return unfit;
}

function iterable(batches: AsyncIterator<Batch>): AsyncIterableIterator<Batch> {
  return {
    next: () => batches.next(),
    return: async () => (await batches.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

type Held = { rowCount: number; columns: WireValue[][] } | { rowCount: number; bytes: Uint8Array };

/** Batches that wait to be read once: in memory, and beyond its limit in an unnamed file. */
class Spool {
  #held: Held[] = [];
  /** The columns of rows as bytes. */
  #byteColumns: RowBytes["columns"] = [];
  #heldBytes = 0;
  #file: FileHandle | null = null;
  #fileBytes = 0;

  /** Adds rows as bytes. All of a result have the same columns. */
  async addBytes({ bytes, columns }: RowBytes, rowCount: number): Promise<void> {
    this.#byteColumns = columns;
    await this.add({ rowCount, bytes });
  }

  async add(batch: Held): Promise<void> {
    this.#held.push(batch);
    // Waiting values outlive the collector's young generation. Their garbage accumulates until a full collection.
    if (this.#file) {
      await this.#spill();
      return;
    }
    this.#heldBytes += sizeOf(batch);
    if (this.#heldBytes > MEMORY_BYTES) await this.#spill();
  }

  async *read(): AsyncGenerator<Batch, void> {
    try {
      const file = this.#file;
      for (let at = 0; file && at < this.#fileBytes; ) {
        const head = await readAt(file, at, HEAD_BYTES);
        const [length, rowCount] = [head.readUInt32LE(), head.readUInt32LE(LENGTH_BYTES)];
        const bytes = await readAt(file, at + HEAD_BYTES, length);
        yield this.#toBatch(rowCount === SERIALIZED ? (deserialize(bytes) as Held) : { rowCount, bytes });
        at += HEAD_BYTES + length;
      }
      while (this.#held.length > 0) yield this.#toBatch(this.#held.shift() as Held);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#held = [];
    await file?.close();
  }

  #toBatch(held: Held): Batch {
    return "bytes" in held ? byteBatch(held.bytes, held.rowCount, this.#byteColumns) : held;
  }

  async #spill(): Promise<void> {
    this.#file ??= await openUnnamed();
    for (const held of this.#held) {
      const isRaw = "bytes" in held;
      const bytes = isRaw ? held.bytes : serialize(held);
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32LE(bytes.length);
      head.writeUInt32LE(isRaw ? held.rowCount : SERIALIZED, LENGTH_BYTES);
      const position = this.#fileBytes;
      this.#fileBytes += HEAD_BYTES + bytes.length;
      if (this.#fileBytes > SPOOL_BYTES_MAX) throw tooLarge();
      await writeAt(this.#file, position, [head, bytes]);
    }
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** Opens a file that has no name, so a killed process leaves nothing behind. */
async function openUnnamed(): Promise<FileHandle> {
  const folder = join(absolutePath(env().DATA_DIR), "spool");
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const path = join(folder, randomUUID());
  const file = await open(path, "wx+", OWNER_ONLY_FILE);
  await unlink(path);
  return file;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) throw new Error("The spool file ended early.");
    done += bytesRead;
  }
  return buffer;
}

async function writeAt(file: FileHandle, start: number, pieces: readonly Uint8Array[]): Promise<void> {
  let position = start;
  for (const piece of pieces) {
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await file.write(piece, done, piece.length - done, position + done);
      done += bytesWritten;
    }
    position += piece.length;
  }
}

function sizeOf(held: Held): number {
  if ("bytes" in held) return held.bytes.length;
  const { columns, rowCount } = held;
  let bytes = 0;
  for (const column of columns) {
    bytes += rowCount * CELL_BYTES;
    for (const value of column) {
      if (typeof value === "string") bytes += TEXT_HEAD_BYTES + value.length;
      else if (typeof value === "object" && value !== null)
        bytes += JSON.stringify(value).length * OBJECT_BYTES_PER_CHAR;
    }
  }
  return bytes;
}

function tooLarge(): AppError {
  return new AppError(
    "too_large",
    `The result takes more than ${SPOOL_BYTES_MAX / 1024 ** 3} GiB before its column types are known. Limit it, or use CSV or NDJSON.`,
  );
}
