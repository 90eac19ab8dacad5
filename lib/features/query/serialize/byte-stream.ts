import type { Batch, ByteColumn } from "@/lib/base/values/fields";
import { Pacer } from "@/lib/platform/process/pacer";
import { type RowWriters, writeRows } from "./cell-bytes";
import { hasLargeCell, withLargeCellsAsText } from "./large-cells";

/** A text format, written row by row. */
export type TextFormat = {
  head: string;
  row: (batch: Batch, row: number) => string;
  /** Returns the same text in pieces, for a row with large cells. */
  pieces: (batch: Batch, row: number) => Iterable<string>;
  /** Returns writers of the same text for rows as bytes. */
  rawRows: (columns: readonly ByteColumn[]) => RowWriters;
};

/** A binary format, written batch by batch. `rowCount` may be less than the batch has. */
export type BinaryFormat = {
  head: () => Uint8Array;
  batch: (batch: Batch, rowCount: number) => Uint8Array;
  tail: () => Uint8Array;
};

/** A format that a library writes and that pulls batches as needed. A batch has at most the rows to be written. */
export type PipedFormat = { pipe: (batches: AsyncIterable<Batch>) => AsyncIterable<Uint8Array> };

/** Size of a chunk: large enough to be cheap, small enough for many slow readers. */
const CHUNK_CHARS = 128 * 1024;
/** Number of bytes that are prepared before the reader requests them. */
const AHEAD_BYTES = 256 * 1024;

type Ending = { rowCount: number; error: unknown };

/**
 * Returns a result as a stream of bytes, which creates the next chunk only when the reader has taken the last: memory
 * is bounded by one batch and two chunks. An error breaks the stream; a reader that leaves ends the iteration.
 * @param limit maximum number of rows, null for all
 * @param onEnd called once, when the stream has ended in any way; `error` is null when it is complete
 */
export function byteStream(
  batches: AsyncIterator<Batch>,
  format: TextFormat | BinaryFormat | PipedFormat,
  limit: number | null,
  onEnd: (ending: Ending) => void,
): ReadableStream<Uint8Array> {
  const counter = { rows: 0 };
  const chunks = chunksOf(batches, format, limit, counter);
  let isOver = false;
  const end = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    onEnd({ rowCount: counter.rows, error });
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) {
            end(null);
            controller.close();
          } else controller.enqueue(value);
        } catch (error) {
          end(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        end(reason ?? new Error("The client disconnected."));
        // A pending batch would hold this up, so the end above aborts its statement first.
        await chunks.return(undefined).catch(() => {});
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES }),
  );
}

type Counter = { rows: number };

function chunksOf(
  batches: AsyncIterator<Batch>,
  format: TextFormat | BinaryFormat | PipedFormat,
  limit: number | null,
  counter: Counter,
): AsyncGenerator<Uint8Array, void> {
  if ("row" in format) return textChunks(batches, format, limit, counter);
  if ("pipe" in format) return pipedChunks(batches, format, limit, counter);
  return binaryChunks(batches, format, limit, counter);
}

async function* textChunks(
  batches: AsyncIterator<Batch>,
  format: TextFormat,
  limit: number | null,
  counter: Counter,
): AsyncGenerator<Uint8Array, void> {
  const pacer = new Pacer();
  let text = format.head;
  let writers: RowWriters | null = null;
  try {
    for (;;) {
      if (limit !== null && counter.rows >= limit) break;
      const { done, value: batch } = await batches.next();
      if (done) break;
      if (batch.raw) {
        writers ??= format.rawRows(batch.raw.columns);
        const rowCount = Math.min(batch.rowCount, (limit ?? Number.POSITIVE_INFINITY) - counter.rows);
        const bytes = writeRows(batch.raw, rowCount, writers);
        if (bytes) {
          counter.rows += rowCount;
          if (text !== "") yield Buffer.from(text);
          text = "";
          yield bytes;
          await pacer.restIfLate();
          continue;
        }
      }
      const isLarge = hasLargeCell(batch);
      for (let row = 0; row < batch.rowCount; row += 1) {
        if (limit !== null && counter.rows >= limit) break;
        if (isLarge) {
          for (const piece of format.pieces(batch, row)) {
            text += piece;
            if (text.length < CHUNK_CHARS) continue;
            yield Buffer.from(text);
            text = "";
            await pacer.restIfLate();
          }
        } else text += format.row(batch, row);
        counter.rows += 1;
        if (text.length >= CHUNK_CHARS) {
          yield Buffer.from(text);
          text = "";
        }
        if (pacer.isDue()) await pacer.rest();
      }
      // Sends what it has before it waits for the next batch, so that a slow query shows its first rows.
      if (text !== "") yield Buffer.from(text);
      text = "";
    }
    if (text !== "") yield Buffer.from(text);
  } finally {
    await batches.return?.();
  }
}

async function* binaryChunks(
  batches: AsyncIterator<Batch>,
  format: BinaryFormat,
  limit: number | null,
  counter: Counter,
): AsyncGenerator<Uint8Array, void> {
  const pacer = new Pacer();
  try {
    yield format.head();
    while (limit === null || counter.rows < limit) {
      const { done, value: batch } = await batches.next();
      if (done) break;
      const rowCount = Math.min(batch.rowCount, (limit ?? Number.POSITIVE_INFINITY) - counter.rows);
      if (rowCount > 0) {
        const piece = format.batch(await withLargeCellsAsText(batch, () => pacer.restIfLate()), rowCount);
        // A format that collects rows has nothing to send yet.
        if (piece.length > 0) yield piece;
      }
      counter.rows += rowCount;
      if (pacer.isDue()) await pacer.rest();
    }
    yield format.tail();
  } finally {
    await batches.return?.();
  }
}

async function* pipedChunks(
  batches: AsyncIterator<Batch>,
  format: PipedFormat,
  limit: number | null,
  counter: Counter,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* format.pipe(counted(batches, limit, counter));
  } finally {
    await batches.return?.();
  }
}

async function* counted(
  batches: AsyncIterator<Batch>,
  limit: number | null,
  counter: Counter,
): AsyncGenerator<Batch, void> {
  const pacer = new Pacer();
  while (limit === null || counter.rows < limit) {
    const { done, value: batch } = await batches.next();
    if (done) return;
    const rowCount = Math.min(batch.rowCount, (limit ?? Number.POSITIVE_INFINITY) - counter.rows);
    counter.rows += rowCount;
    // A copy would decode rows that are bytes.
    const whole = await withLargeCellsAsText(batch, () => pacer.restIfLate());
    yield rowCount === whole.rowCount ? whole : { ...whole, rowCount };
    if (pacer.isDue()) await pacer.rest();
  }
}
