import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { Pacer } from "@/lib/platform/process/pacer";
import { BatchBuilder } from "./batch-queue";
import { BATCH_ROWS_MAX } from "./limits";
import { hasLargeCell, mayHaveLargeCell } from "./wire-values";

/** Rows of a statement that arrive in portions. */
export type PortionedRows = {
  fields: Field[];
  /** Size of the last portion on the wire, in bytes or characters. */
  size: number;
  /** @returns null at the end */
  next(): Promise<WireValue[][] | null>;
};

/** A statement on the server. Leaving it in any way cancels it there. */
type Run = { end(): Promise<void> };

/**
 * Runs a statement, returns its whole result, and ends it.
 * @param open starts it
 * @param toFailure converts its error
 */
export async function readPortions(
  run: Run,
  open: () => Promise<PortionedRows>,
  toFailure: (error: unknown) => unknown,
): Promise<WireValue[][]> {
  try {
    const rows = await open();
    const all: WireValue[][] = [];
    for (let next = await rows.next(); next !== null; next = await rows.next()) {
      for (const row of next) all.push(row);
    }
    return all;
  } catch (error) {
    throw toFailure(error);
  } finally {
    await run.end();
  }
}

/**
 * Yields the rows of a statement in batches and ends it.
 * @param cellBytesMax see `QueryOptions`
 * @param isTooLarge returns whether a portion failed because a cell is too large
 * @param toFailure converts its error
 */
export async function* portionBatches(
  run: Run,
  rows: PortionedRows,
  cellBytesMax: number | undefined,
  { isTooLarge, toFailure }: { isTooLarge: (error: unknown) => boolean; toFailure: (error: unknown) => unknown },
): AsyncGenerator<Batch, void> {
  const builder = new BatchBuilder(rows.fields.length);
  const pacer = new Pacer();
  try {
    for (let portion = await rows.next(); portion !== null; portion = await rows.next()) {
      const mayBeLarge = mayHaveLargeCell(rows.size, cellBytesMax);
      for (const row of portion) {
        if (mayBeLarge && (await hasLargeCell(row, cellBytesMax, () => pacer.restIfLate()))) {
          yield { ...builder.take(), isCut: true };
          return;
        }
        builder.add(row, 0);
        if (builder.rowCount >= BATCH_ROWS_MAX) yield builder.take();
      }
      if (builder.rowCount > 0) yield builder.take();
    }
  } catch (error) {
    if (cellBytesMax === undefined || !isTooLarge(error)) throw toFailure(error);
    yield { ...builder.take(), isCut: true };
  } finally {
    await run.end();
  }
}
