import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import type { ResultStream } from "@/lib/features/connections/data-source";
import { Pacer } from "@/lib/platform/process/pacer";
import { LARGE_ANSWER_BYTES } from "../limits";
import { hasLargeCell } from "./large-cells";
import { jsonRowWriter } from "./row-text";

/** Size up to which rows are collected before they become bytes. */
const PIECE_CHARS = 64 * 1024;

/** `bytes` of all rows, and of a cell. `whenLarge` is called once, and resolves when a large response may be held. */
type JsonLimits = { rows: number; bytes: number; cellBytes: number; whenLarge?: () => Promise<void> };
export type JsonRows = { chunks: Buffer[]; rowCount: number; truncated: boolean };

/**
 * Reads a result into the inside of a JSON list, `{...},{...}`, within limits, without blocking the event loop. Leaves
 * the result early, and so cancels it, once a limit is reached.
 */
export async function readJsonRows({ fields, batches }: ResultStream, limits: JsonLimits): Promise<JsonRows> {
  const writer = jsonRowWriter(fields);
  const chunks: Buffer[] = [];
  const pacer = new Pacer();
  let piece = "";
  let bytes = 0;
  let rowCount = 0;
  let isLarge = false;
  const grow = async () => {
    if (isLarge) return;
    isLarge = true;
    await limits.whenLarge?.();
  };
  const finish = (truncated: boolean): JsonRows => {
    if (piece !== "") chunks.push(Buffer.from(piece));
    return { chunks, rowCount, truncated };
  };
  /** Adds a row with large cells, in separate chunks. Returns false when it no longer fits. */
  const addInPieces = async (batch: Batch, row: number): Promise<boolean> => {
    const own: Buffer[] = [];
    let text = rowCount === 0 ? "" : ",";
    let size = 0;
    const flush = () => {
      const bytes = Buffer.from(text);
      own.push(bytes);
      size += bytes.length;
      text = "";
    };
    for (const each of writer.pieces(batch, row)) {
      text += each;
      if (text.length < PIECE_CHARS) continue;
      flush();
      if (bytes + size > limits.bytes) return false;
      if (bytes + size > LARGE_ANSWER_BYTES) await grow();
      await pacer.restIfLate();
    }
    flush();
    if (bytes + size > limits.bytes) return false;
    if (piece !== "") chunks.push(Buffer.from(piece));
    piece = "";
    chunks.push(...own);
    bytes += size;
    rowCount += 1;
    return true;
  };
  for await (const batch of batches) {
    const hasLarge = hasLargeCell(batch);
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (bytes > LARGE_ANSWER_BYTES) await grow();
      if (rowCount === limits.rows || hasTooLargeCell(batch, row, limits.cellBytes)) return finish(true);
      if (hasLarge) {
        if (!(await addInPieces(batch, row))) return finish(true);
        continue;
      }
      const text = (rowCount === 0 ? "" : ",") + writer.row(batch, row);
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

/** The part of a statement's result that was read; `fields` is the JSON of its fields. */
export type JsonResult = JsonRows & { fields: Buffer };

/** Returns the JSON of a result's fields, which may be as large as its rows. */
export function jsonFields(fields: readonly Field[]): Buffer {
  return Buffer.from(JSON.stringify(fields));
}

type AnswerFacts = {
  executionId: string;
  affectedRows: number | null;
  /** Number of results that the response omits. */
  resultsOmitted: number;
  durationMs: number;
  databaseMs: number;
  /** Further members of a JSON response. */
  more?: Readonly<Record<string, string>> | undefined;
};

/** Returns the whole response in the envelope of docs/develop/api.md, Common rules, as pieces of bytes. */
export function jsonAnswer(
  first: JsonResult,
  others: readonly JsonResult[],
  { executionId, affectedRows, resultsOmitted, durationMs, databaseMs, more }: AnswerFacts,
): Buffer[] {
  const omitted = resultsOmitted > 0 && { resultsOmitted };
  const last = JSON.stringify({ ...omitted, affectedRows, durationMs, databaseMs, ...more }).slice(1);
  return [
    Buffer.from(`{"success":true,"data":{"executionId":${JSON.stringify(executionId)},`),
    ...resultPieces(first, ',"moreResults":['),
    ...others.flatMap((result, index) => [
      Buffer.from(index === 0 ? "{" : ",{"),
      // Only the response as a whole has the number of changed rows.
      ...resultPieces(result, ',"affectedRows":null}'),
    ]),
    Buffer.from(`],${last}}`),
  ];
}

/** Returns the members of a result's object; `tail` follows the last of them. */
function resultPieces({ fields, chunks, rowCount, truncated }: JsonResult, tail: string): Buffer[] {
  const counts = JSON.stringify({ rowCount, truncated }).slice(1, -1);
  return [Buffer.from('"fields":'), fields, Buffer.from(',"rows":['), ...chunks, Buffer.from(`],${counts}${tail}`)];
}

/** Checks the size of cells for all drivers; those that support `cellBytesMax` have cut already. */
function hasTooLargeCell(batch: Batch, row: number, bytesMax: number): boolean {
  return batch.columns.some((column) => isTooLarge(column[row] ?? null, bytesMax));
}

function isTooLarge(value: WireValue, bytesMax: number): boolean {
  // A text has at least as many bytes as UTF-16 units and at most three times as many.
  return typeof value === "string" && value.length * 3 > bytesMax && Buffer.byteLength(value) > bytesMax;
}
