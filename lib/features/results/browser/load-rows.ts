import { type RereadRequest, reread } from "@/lib/features/query/browser/execute";
import { NdjsonRows } from "@/lib/features/results/browser/ndjson-rows";
import type { RowTable } from "@/lib/features/results/browser/row-table";
import type { LoadEnd, LoadProgress } from "@/lib/features/results/browser/worker-messages";
import { ApiError } from "@/lib/platform/browser/request";

/** Memory that a tab can use for a result before it becomes slow or the browser closes it. */
export const HELD_BYTES_MAX = 1024 * 1024 * 1024;
export const HELD_ROWS_MAX = 10_000_000;
/** Frequent enough for a moving counter, and cheap. */
const PROGRESS_EVERY_MS = 100;

/**
 * Runs a query as a stream and adds its rows to a table, up to the browser's limits.
 * @throws ApiError when the server refuses, or when the stream breaks: then all rows that were read are invalid
 */
export async function loadRows(
  table: RowTable,
  request: RereadRequest,
  onProgress: (progress: LoadProgress) => void,
): Promise<LoadEnd> {
  const startedAt = performance.now();
  const { body } = await reread(request, "application/x-ndjson");
  if (body === null) throw new ApiError(0, "cut", "The response was incomplete. Load the rows again.");
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const rows = new NdjsonRows();
  let bytes = 0;
  let saidAt = 0;
  const end = (isCut: boolean): LoadEnd => ({ rows: table.rowCount, bytes, isCut, ms: performance.now() - startedAt });
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ApiError(0, "cut", "The connection was interrupted. Load the rows again.");
    });
    if (done) break;
    bytes += value.length;
    for (const row of rows.read(decoder.decode(value, { stream: true }))) table.push(row);
    if (table.rowCount >= HELD_ROWS_MAX || table.bytes >= HELD_BYTES_MAX) {
      await reader.cancel();
      return end(true);
    }
    const now = performance.now();
    if (now - saidAt > PROGRESS_EVERY_MS) {
      saidAt = now;
      onProgress({ rows: table.rowCount, bytes });
    }
  }
  if (!rows.isWhole) throw new ApiError(0, "cut", "The response was incomplete. Load the rows again.");
  return end(false);
}
