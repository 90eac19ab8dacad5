import type { ResultField } from "@/lib/base/values/json-rows";
import { type ExecuteTarget, reread, toRereadRequest } from "@/lib/features/query/browser/execute";
import { executionsApi } from "@/lib/features/query/browser/executions";
import type { Execution } from "@/lib/features/query/schema";
import { ArrowCounter } from "@/lib/features/results/browser/arrow-counter";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import { CsvReader } from "@/lib/features/results/browser/csv-guard";
import type { ExportFile } from "@/lib/features/results/browser/export-file";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

export const EXPORT_FORMATS = ["csv", "xlsx", "ndjson", "parquet", "arrow"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ndjson: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
};

export type ExportRequest = {
  target: ExecuteTarget;
  query: string;
  /** Index of the result, for a statement with several, from 0. */
  result: number;
  fields: ResultField[];
  format: ExportFormat;
  /** Whether text cells that spreadsheets would treat as formulas are prefixed with an apostrophe; CSV only. */
  isGuarded: boolean;
};
/** `rows` is null while the row count of a compressed file is unknown. */
export type ExportProgress = { rows: number | null; bytes: number };

/** The server's limit (docs/develop/api.md, Queries): large results take long. */
const TIMEOUT_MS = 15 * 60_000;
const PROGRESS_EVERY_MS = 100;
const LF = 0x0a;

/**
 * Runs a query again and streams all its rows to a file, one chunk in memory at a time.
 * @throws ApiError when the server refuses or the stream breaks; an AbortError when it was cancelled
 */
export async function exportRows(
  request: ExportRequest,
  file: ExportFile,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
): Promise<ExportProgress> {
  const { target, query, result, fields, format, isGuarded } = request;
  const executionId = newId();
  const again = toRereadRequest(target, query, {
    executionId,
    timeoutMs: TIMEOUT_MS,
    ...(result > 0 && { result }),
  });
  const { body } = await reread(again, CONTENT_TYPES[format], signal);
  if (body === null) throw new ApiError(0, "cut", "The response was incomplete. Export again.");
  const csv = new CsvReader((column) => !isNumericField(fields[column] ?? { name: "", type: "string" }), isGuarded);
  const arrow = new ArrowCounter();
  const reader = body.getReader();
  const progress: ExportProgress = { rows: isPacked(format) ? null : 0, bytes: 0 };
  let saidAt = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(async (error: unknown) => {
      if (signal.aborted) throw error;
      const { error: reason } = (await outcomeOf(target.workspaceId, executionId, signal)) ?? {};
      const why = reason ? `The query failed during the export: ${reason}` : "The connection was interrupted.";
      throw new ApiError(0, "cut", `${why} No file was saved.${reason ? "" : " Export again."}`);
    });
    if (done) break;
    let piece: Uint8Array<ArrayBuffer> = value;
    if (format === "csv") {
      piece = csv.read(value);
      progress.rows = Math.max(0, csv.records - 1);
    } else if (format === "arrow") {
      arrow.read(value);
      progress.rows = arrow.rows;
    } else if (progress.rows !== null) progress.rows += countLines(value);
    progress.bytes += piece.length;
    await file.write(piece);
    const now = performance.now();
    if (now - saidAt > PROGRESS_EVERY_MS) {
      saidAt = now;
      onProgress({ ...progress });
    }
  }
  await file.close();
  if (progress.rows === null) {
    progress.rows = (await outcomeOf(target.workspaceId, executionId, signal))?.rowCount ?? null;
  }
  return progress;
}

function isPacked(format: ExportFormat): boolean {
  return format === "xlsx" || format === "parquet";
}

/** Returns the server's record of the finished run; null when the request fails, which does not fail the export. */
function outcomeOf(workspaceId: string, executionId: string, signal: AbortSignal): Promise<Execution | null> {
  return executionsApi.find(workspaceId, executionId, signal).catch(() => null);
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}
