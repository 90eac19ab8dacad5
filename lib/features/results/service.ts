import "server-only";
import { ObjectId } from "mongodb";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { jsonStart } from "@/lib/base/values/json-slices";
import type { ResultStream } from "@/lib/features/connections/data-source";
import { arrow } from "@/lib/features/query/serialize/arrow";
import { withLargeCellsAsText } from "@/lib/features/query/serialize/large-cells";
import { settleTypes } from "@/lib/features/query/serialize/settle";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import { ChunkWriter, readChunks } from "./chunks";
import { collections } from "./collections";
import type { ResultDoc } from "./model";
import type { ResultPreview } from "./schema";

const PREVIEW_ROWS = 20;
const PREVIEW_CHARS = 200;
/** Maximum number of cells of a preview, so that a list of 200 runs of a wide table stays small. */
const PREVIEW_CELLS_MAX = 400;

export type KeepLimits = {
  /** Maximum number of stored rows; later ones are only counted. */
  rows: number;
  bytes: number;
  /** Retention in milliseconds. */
  ms: number;
};

/**
 * Reads a result to its end, counts its rows and stores the first of them.
 * @returns the id of the stored result; `isCut` when the source ended it early because of a cell that is too large
 * @throws errors of the result; then nothing is stored
 */
export async function keepResult(
  workspaceId: ObjectId,
  { fields, batches, looseTypes }: ResultStream,
  limits: KeepLimits,
): Promise<{ resultId: ObjectId; rowCount: number; isCut: boolean }> {
  const resultId = new ObjectId();
  const now = Date.now();
  const expiresAt = new Date(now + limits.ms);
  const preview: Record<string, unknown>[] = [];
  const previewRows = Math.min(PREVIEW_ROWS, Math.floor(PREVIEW_CELLS_MAX / Math.max(fields.length, 1)) || 1);
  const writer = new ChunkWriter(workspaceId, resultId, expiresAt);
  let rowCount = 0;
  let keptRows = 0;
  let isFull = false;
  let isCut = false;
  let isOver = false;
  /** The rows to store; the others are only counted. */
  const firstBatches = async function* (): AsyncGenerator<Batch, void> {
    let taken = 0;
    for await (const batch of batches) {
      for (let row = 0; row < batch.rowCount && preview.length < previewRows; row++) {
        preview.push(
          Object.fromEntries(fields.map(({ name }, index) => [name, shorten(batch.columns[index]?.[row] ?? null)])),
        );
      }
      rowCount += batch.rowCount;
      isCut ||= batch.isCut === true;
      if (isFull) continue;
      const take = Math.min(batch.rowCount, limits.rows - taken);
      taken += take;
      isFull = take < batch.rowCount;
      if (take > 0) yield firstRows(batch, take);
    }
  };

  try {
    const settled = await settleTypes("arrow", fields, firstBatches(), { loose: looseTypes });
    const format = arrow(settled.fields);
    const pacer = new Pacer();
    await writer.add(format.head());
    for await (const batch of settled.batches) {
      if (isOver) continue;
      const part = format.batch(await withLargeCellsAsText(batch, () => pacer.restIfLate()), batch.rowCount);
      // Whole batches, so that the stored stream is valid for every Arrow reader.
      if (writer.bytes + part.length > limits.bytes) {
        isFull = true;
        isOver = true;
        continue;
      }
      await writer.add(part);
      keptRows += batch.rowCount;
    }
    await writer.add(format.tail());
    await writer.flush();
    await collections.results().insertOne({
      _id: resultId,
      workspaceId,
      fields,
      rowCount,
      keptRows,
      bytes: writer.bytes,
      chunks: writer.chunks,
      preview: JSON.stringify(preview),
      createdAt: new Date(now),
      expiresAt,
    });
    return { resultId, rowCount, isCut };
  } catch (error) {
    await writer.undo();
    throw error;
  }
}

/** Returns the first rows of these results, by id; expired ones are absent. */
export async function previewResults(workspaceId: ObjectId, ids: ObjectId[]): Promise<Map<string, ResultPreview>> {
  if (ids.length === 0) return new Map();
  const docs = await collections
    .results()
    .find({ workspaceId, _id: { $in: ids } })
    .toArray();
  return new Map(docs.map((doc) => [doc._id.toHexString(), toPreview(doc)]));
}

/**
 * Returns the stored rows as an Arrow stream, part by part.
 * @throws AppError `not_found` for a result that is unknown, expired or of another workspace
 */
export async function openResult(
  workspaceId: ObjectId,
  resultId: ObjectId,
): Promise<{ preview: ResultPreview; parts: AsyncIterable<Uint8Array> }> {
  const doc = await collections.results().findOne({ _id: resultId, workspaceId });
  if (!doc) throw new AppError("not_found", "This result has expired. Run the query again.");
  return { preview: toPreview(doc), parts: readChunks(workspaceId, resultId) };
}

export async function dropResults(workspaceId: ObjectId, ids: ObjectId[]): Promise<void> {
  if (ids.length === 0) return;
  await collections.results().deleteMany({ workspaceId, _id: { $in: ids } });
  await collections.resultChunks().deleteMany({ workspaceId, resultId: { $in: ids } });
}

function toPreview({ fields, preview = "[]", rowCount, keptRows, bytes }: ResultDoc): ResultPreview {
  return { fields, rows: JSON.parse(preview), rowCount, keptRows, bytes };
}

function firstRows(batch: Batch, count: number): Batch {
  if (count === batch.rowCount) return batch;
  return { rowCount: count, columns: batch.columns.map((column) => column.slice(0, count)) };
}

/** Shortens long texts, and nested values that would be long as text. */
function shorten(value: WireValue): WireValue {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : jsonStart(value, PREVIEW_CHARS);
  if (text.length <= PREVIEW_CHARS) return value;
  return `${text.slice(0, PREVIEW_CHARS).toWellFormed()}…`;
}
