import type { ResultStream } from "@/lib/connections/data-source";
import type { Batch, Field, WireValue } from "@/lib/tabular/fields";
import { Pacer } from "./pacer";
import { jsonRowWriter } from "./row-text";

/** Rows are gathered to pieces of this size before they become bytes. */
const PIECE_CHARS = 64 * 1024;

export type JsonRows = { chunks: Buffer[]; rowCount: number; truncated: boolean };

/**
 * Reads a result into the text of a JSON list's inside, `{...},{...}`, within limits, without holding up the event
 * loop. Leaves the result early, and thereby cancels it, once a limit is reached.
 */
export async function readJsonRows(
  { fields, batches }: ResultStream,
  limits: { rows: number; bytes: number; cellBytes: number },
): Promise<JsonRows> {
  const writeRow = jsonRowWriter(fields);
  const chunks: Buffer[] = [];
  const pacer = new Pacer();
  let piece = "";
  let bytes = 0;
  let rowCount = 0;
  const finish = (truncated: boolean): JsonRows => {
    if (piece !== "") chunks.push(Buffer.from(piece));
    return { chunks, rowCount, truncated };
  };
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (rowCount === limits.rows || hasLargeCell(batch, row, limits.cellBytes)) return finish(true);
      const text = (rowCount === 0 ? "" : ",") + writeRow(batch, row);
      bytes += Buffer.byteLength(text);
      if (bytes > limits.bytes) return finish(true);
      rowCount += 1;
      piece += text;
      if (piece.length > PIECE_CHARS) {
        chunks.push(Buffer.from(piece));
        piece = "";
      }
      if (pacer.isDue()) await pacer.rest();
    }
    if (batch.isCut) return finish(true);
  }
  return finish(false);
}

/** The whole answer in the envelope of docs/api.md, Common rules, as pieces of bytes. */
export function jsonAnswer(
  rows: JsonRows,
  facts: { executionId: string; fields: readonly Field[]; durationMs: number; databaseMs: number },
): Buffer[] {
  const head = JSON.stringify({ executionId: facts.executionId, fields: facts.fields }).slice(0, -1);
  const tail = JSON.stringify({
    rowCount: rows.rowCount,
    truncated: rows.truncated,
    durationMs: facts.durationMs,
    databaseMs: facts.databaseMs,
  }).slice(1);
  return [Buffer.from(`{"success":true,"data":${head},"rows":[`), ...rows.chunks, Buffer.from(`],${tail}}`)];
}

/** Drivers that know `cellBytesMax` have cut already; this holds for all of them. */
function hasLargeCell(batch: Batch, row: number, bytesMax: number): boolean {
  return batch.columns.some((column) => isLarge(column[row] ?? null, bytesMax));
}

function isLarge(value: WireValue, bytesMax: number): boolean {
  // A text has at least as many bytes as UTF-16 units and at most three times as many.
  return typeof value === "string" && value.length * 3 > bytesMax && Buffer.byteLength(value) > bytesMax;
}
