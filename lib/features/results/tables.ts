import "server-only";
import { ObjectId } from "mongodb";
import type { Batch, Field } from "@/lib/base/values/fields";
import type { ResultStream } from "@/lib/features/connections/data-source";
import { withLargeCellsAsText } from "@/lib/features/query/serialize/large-cells";
import { parquet } from "@/lib/features/query/serialize/parquet";
import { settleTypes } from "@/lib/features/query/serialize/settle";
import { Pacer } from "@/lib/platform/process/pacer";
import { ChunkWriter, readChunks } from "./chunks";
import { collections } from "./collections";
import { RowsReplacedError } from "./datasets/read-current";

/** A result stored as one Parquet file, to be read whole. */
export type KeptTable = {
  resultId: ObjectId;
  fields: Field[];
  rowCount: number;
  /** Size of the file. */
  bytes: number;
  /** There were more rows than are stored. */
  truncated: boolean;
  expiresAt: Date;
};

/**
 * Stores the first rows of a result as Parquet; the query is ended once a limit is reached.
 * @param limits rows, bytes of the file, and retention in milliseconds
 * @throws errors of the result; then nothing is stored
 */
export async function keepTable(
  workspaceId: ObjectId,
  { fields, batches, looseTypes }: ResultStream,
  limits: { rows: number; bytes: number; ms: number },
): Promise<KeptTable> {
  const resultId = new ObjectId();
  const now = Date.now();
  const expiresAt = new Date(now + limits.ms);
  const writer = new ChunkWriter(workspaceId, resultId, expiresAt);
  let rowCount = 0;
  let truncated = false;
  const firstRows = async function* (): AsyncGenerator<Batch, void> {
    let taken = 0;
    for await (const batch of batches) {
      const take = Math.min(batch.rowCount, limits.rows - taken);
      taken += take;
      truncated = take < batch.rowCount || batch.isCut === true;
      yield { rowCount: take, columns: batch.columns };
      if (truncated) return;
    }
  };
  const kept = async function* (settled: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    const pacer = new Pacer();
    for await (const batch of settled) {
      rowCount += batch.rowCount;
      yield await withLargeCellsAsText(batch, () => pacer.restIfLate());
      // The limit applies between batches: a batch that has begun is completed.
      if (writer.bytes < limits.bytes) continue;
      truncated = true;
      return;
    }
  };
  try {
    // Text in the file is still a column of its field's type: its reader converts it where possible.
    const settled = await settleTypes("parquet", fields, firstRows(), { loose: looseTypes });
    for await (const piece of parquet(settled.fields).pipe(kept(settled.batches))) await writer.add(piece);
    await writer.flush();
    const { bytes, chunks } = writer;
    const whole = { fields, rowCount, bytes, chunks };
    await collections
      .results()
      .insertOne({ _id: resultId, workspaceId, ...whole, keptRows: rowCount, createdAt: new Date(now), expiresAt });
    return { resultId, fields, rowCount, bytes, truncated, expiresAt };
  } catch (error) {
    await writer.undo();
    throw error;
  }
}

/** Extends the expiry of a table. @returns false when it is no longer stored */
export async function extendTable(workspaceId: ObjectId, resultId: ObjectId, until: Date): Promise<boolean> {
  const change = { $set: { expiresAt: until } };
  // Rows before the document that names them: they never expire first.
  await collections.resultChunks().updateMany({ workspaceId, resultId }, change);
  const { matchedCount } = await collections.results().updateOne({ _id: resultId, workspaceId }, change);
  return matchedCount > 0;
}

/**
 * Reads the file of a stored table, part by part.
 * @throws RowsReplacedError when it is no longer stored: another has replaced it
 */
export async function* readTable(workspaceId: ObjectId, resultId: ObjectId): AsyncGenerator<Uint8Array> {
  const doc = await collections.results().findOne({ _id: resultId, workspaceId }, { projection: { chunks: 1 } });
  let chunks = 0;
  for await (const part of readChunks(workspaceId, resultId)) {
    chunks += 1;
    yield part;
  }
  if (doc === null || chunks < doc.chunks) throw new RowsReplacedError();
}
