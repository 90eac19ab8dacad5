import type { Batch, WireValue } from "@/lib/tabular/fields";
import { BatchBuilder } from "../batch-queue";

/** What a batch of a flow may take in memory, roughly: a few of them are held at once. */
export const FLOW_BATCH_BYTES = 8 * 1024 * 1024;
/** What a number, a date and the like take, roughly. */
const SCALAR_BYTES = 12;

/** Rows of batches of any size, one after the other, with what each takes in memory. */
export async function* rowsOf(batches: AsyncIterable<Batch>): AsyncGenerator<{ row: WireValue[]; bytes: number }[]> {
  for await (const { rowCount, columns } of batches) {
    const rows: { row: WireValue[]; bytes: number }[] = [];
    for (let at = 0; at < rowCount; at += 1) {
      let bytes = 0;
      const row = columns.map((column) => {
        const value = column[at] ?? null;
        bytes += bytesOf(value);
        return value;
      });
      rows.push({ row, bytes });
    }
    yield rows;
  }
}

/** Batches of so many rows, or fewer where they are large. */
export async function* regroup(batches: AsyncIterable<Batch>, width: number, batchRows: number): AsyncGenerator<Batch> {
  const builder = new BatchBuilder(width);
  for await (const rows of rowsOf(batches)) {
    for (const { row, bytes } of rows) {
      builder.add(row, bytes);
      if (builder.rowCount >= batchRows || builder.bytes >= FLOW_BATCH_BYTES) yield builder.take();
    }
  }
  if (builder.rowCount > 0) yield builder.take();
}

function bytesOf(value: WireValue): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = SCALAR_BYTES;
  for (const item of Object.values(value)) bytes += bytesOf(item) + SCALAR_BYTES;
  return bytes;
}
