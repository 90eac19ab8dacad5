import type { Batch, WireValue } from "@/lib/base/values/fields";
import { isSmallJson, jsonSlices } from "@/lib/base/values/json-slices";
import { isLarge } from "@/lib/base/values/slices";

/** Characters that are written between two calls of `rest`: a few milliseconds. */
const REST_CHARS = 64 * 1024;

/** Returns whether rows of the batch must be written in pieces: a cell of 16 MiB takes up to a second and a half. */
export function hasLargeCell({ columns }: Batch): boolean {
  return columns.some((column) =>
    column.some((value) => (typeof value === "string" ? isLarge(value) : isLargeContainer(value))),
  );
}

/**
 * Returns the batch with the JSON text of lists and objects that take too long to write at once. Formats that write
 * whole batches have the same text for them.
 * @param rest called between slices, so that the event loop serves others
 */
export async function withLargeCellsAsText(batch: Batch, rest: () => Promise<void>): Promise<Batch> {
  // Rows as bytes have their text already.
  if (batch.raw || !batch.columns.some((column) => column.some(isLargeContainer))) return batch;
  const columns: WireValue[][] = [];
  for (const column of batch.columns) {
    const cells: WireValue[] = [];
    for (const value of column) cells.push(isLargeContainer(value) ? await writtenInSlices(value, rest) : value);
    columns.push(cells);
  }
  return { ...batch, columns };
}

async function writtenInSlices(value: WireValue, rest: () => Promise<void>): Promise<string> {
  let text = "";
  let rested = 0;
  for (const slice of jsonSlices(value)) {
    text += slice;
    if (text.length - rested < REST_CHARS) continue;
    rested = text.length;
    await rest();
  }
  return text;
}

function isLargeContainer(value: WireValue): boolean {
  return typeof value === "object" && value !== null && !isSmallJson(value);
}
