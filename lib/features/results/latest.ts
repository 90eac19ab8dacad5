import "server-only";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ObjectId } from "mongodb";
import type { Batch, Field } from "@/lib/base/values/fields";
import { jsonRowWriter } from "@/lib/features/query/serialize/row-text";
import { DAY_SECONDS } from "@/lib/platform/db/collection";
import { log } from "@/lib/platform/log";
import { Pacer } from "@/lib/platform/process/pacer";
import { serverMember } from "@/lib/platform/process/server-context";
import { ChunkWriter, readChunks } from "./chunks";
import { collections } from "./collections";
import type { LatestOf, ResultDoc, ResultOwner } from "./model";
import { dropResults } from "./service";

const MIB = 1024 * 1024;
/** Maximum number of rows of an owner's latest result, as sent in JSON. */
export const LATEST_ROWS_MAX = 10_000;
export const LATEST_BYTES_MAX = 8 * MIB;
/** Same as for results of runs; older ones say little about a database. */
const LATEST_DAYS = 30;
/** Compressed size of all latest results of a workspace: hundreds of full ones, thousands of typical ones. */
const WORKSPACE_BYTES_MAX = 512 * MIB;
/** Share of the limit after which the total is counted again: a server only knows its own additions. */
const COUNT_AFTER_SHARE = 1 / 32;
/** Number of results dropped at once from a full workspace. */
const OLDEST_AT_ONCE = 100;
/** Characters of rows encoded at once. */
const PIECE_CHARS = 64 * 1024;
/** Maximum number of reads: a reader whose result is replaced in between reads the new one. */
const READ_TRIES = 5;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export type LatestLimits = { rows: number; bytes: number; workspaceBytes: number };
const LIMITS: LatestLimits = {
  rows: LATEST_ROWS_MAX,
  bytes: LATEST_BYTES_MAX,
  workspaceBytes: WORKSPACE_BYTES_MAX,
};

export type NewLatest = Pick<LatestOf, "userId" | "at" | "durationMs" | "truncated" | "facts"> & {
  fields: Field[];
  /** At least the first of them; rows beyond the limits are not stored. */
  batches: Iterable<Batch> | AsyncIterable<Batch>;
  /** Of the whole result. */
  rowCount: number;
};

/** An owner's latest result as stored. */
export type Latest = Omit<NewLatest, "batches"> & {
  keptRows: number;
  bytes: number;
  /** The stored rows: the inside of a JSON list of objects. */
  rows: Buffer;
};

/**
 * Stores a result as its owner's latest, replacing the previous one. Of two concurrent ones, the one that began later
 * wins.
 * @throws errors of the store; the previous result then remains
 */
export async function keepLatest(owner: ResultOwner, result: NewLatest, limits = LIMITS): Promise<void> {
  const { workspaceId } = owner;
  const resultId = new ObjectId();
  const expiresAt = new Date(Date.now() + LATEST_DAYS * DAY_SECONDS * 1000);
  const { text, keptRows } = await toRowsText(result.fields, result.batches, limits);
  const packed = await pack(text);
  const writer = new ChunkWriter(workspaceId, resultId, expiresAt);
  const { userId, at, durationMs, truncated, facts, fields, rowCount } = result;
  try {
    await writer.add(packed);
    await writer.flush();
    await collections.results().insertOne({
      _id: resultId,
      workspaceId,
      fields,
      rowCount,
      keptRows,
      bytes: text.length,
      chunks: writer.chunks,
      latest: {
        kind: owner.kind,
        ownerId: owner.id,
        userId,
        at,
        durationMs,
        truncated,
        storedBytes: packed.length,
        facts,
      },
      createdAt: new Date(),
      expiresAt,
    });
  } catch (error) {
    await writer.undo();
    throw error;
  }
  await dropOlder(owner);
  await keepWithinWorkspace(workspaceId, packed.length, limits.workspaceBytes);
}

/** Returns an owner's latest result with its rows; null without one. */
export async function readLatest(owner: ResultOwner): Promise<Latest | null> {
  for (let tries = 1; ; tries += 1) {
    const doc = await findNewest(owner);
    if (!doc) return null;
    const parts: Uint8Array[] = [];
    for await (const part of readChunks(owner.workspaceId, doc._id)) parts.push(part);
    // Fewer parts mean that it was replaced while it was read.
    if (parts.length === doc.chunks) {
      const { fields, rowCount, keptRows, bytes } = doc;
      const { userId, at, durationMs, truncated, facts } = doc.latest;
      const rows = await unpack(Buffer.concat(parts));
      return { userId, at, durationMs, truncated, facts, fields, rowCount, keptRows, bytes, rows };
    }
    if (tries === READ_TRIES) return null;
  }
}

/** Deletes an owner's latest results; call it when the owner is deleted. */
export async function dropLatest(owner: ResultOwner): Promise<void> {
  await dropResults(owner.workspaceId, await idsOf(owner));
}

function findNewest(owner: ResultOwner): Promise<(ResultDoc & { latest: LatestOf }) | null> {
  return collections.results().findOne(filterOf(owner), { sort: { "latest.at": -1, _id: -1 } }) as Promise<
    (ResultDoc & { latest: LatestOf }) | null
  >;
}

/** Deletes all but the newest, which is stored before: there is always one. */
async function dropOlder(owner: ResultOwner): Promise<void> {
  const [, ...older] = await idsOf(owner);
  await dropResults(owner.workspaceId, older);
}

async function idsOf(owner: ResultOwner): Promise<ObjectId[]> {
  const docs = await collections
    .results()
    .find(filterOf(owner), { projection: { _id: 1 } })
    .sort({ "latest.at": -1, _id: -1 })
    .toArray();
  return docs.map(({ _id }) => _id);
}

function filterOf({ workspaceId, kind, id }: ResultOwner) {
  return { workspaceId, "latest.kind": kind, "latest.ownerId": id };
}

const uncountedBytes = serverMember("uncountedResultBytes", () => new Map());

/** Drops the oldest results of a workspace above its limit. */
async function keepWithinWorkspace(workspaceId: ObjectId, added: number, bytesMax: number): Promise<void> {
  const uncounted = uncountedBytes();
  const key = workspaceId.toHexString();
  const sum = (uncounted.get(key) ?? Number.POSITIVE_INFINITY) + added;
  if (sum < bytesMax * COUNT_AFTER_SHARE) {
    uncounted.set(key, sum);
    return;
  }
  uncounted.set(key, 0);
  const inWorkspace = { workspaceId, "latest.at": { $exists: true } };
  const [counted] = await collections
    .results()
    .aggregate<{ bytes: number }>([
      { $match: inWorkspace },
      { $group: { _id: null, bytes: { $sum: "$latest.storedBytes" } } },
    ])
    .toArray();
  let over = (counted?.bytes ?? 0) - bytesMax;
  while (over > 0) {
    const oldest = (await collections
      .results()
      .find(inWorkspace, { projection: { "latest.storedBytes": 1 } })
      .sort({ "latest.at": 1 })
      .limit(OLDEST_AT_ONCE)
      .toArray()) as Pick<ResultDoc & { latest: LatestOf }, "_id" | "latest">[];
    const tooMuch: ObjectId[] = [];
    for (const { _id, latest } of oldest) {
      if (over <= 0) break;
      tooMuch.push(_id);
      over -= latest.storedBytes;
    }
    if (tooMuch.length === 0) return;
    await dropResults(workspaceId, tooMuch);
    log.info({ workspaceId: key, results: tooMuch.length }, "removed the oldest results of a workspace");
  }
}

/** Formats the first rows as the inside of a JSON list, without blocking the event loop. */
async function toRowsText(
  fields: readonly Field[],
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  limits: { rows: number; bytes: number },
): Promise<{ text: Buffer; keptRows: number }> {
  const writer = jsonRowWriter(fields);
  const pacer = new Pacer();
  const pieces: Buffer[] = [];
  let piece = "";
  let bytes = 0;
  let keptRows = 0;
  const finish = () => ({ text: Buffer.concat([...pieces, Buffer.from(piece)]), keptRows });
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      if (keptRows === limits.rows) return finish();
      const text = (keptRows === 0 ? "" : ",") + writer.row(batch, row);
      bytes += Buffer.byteLength(text);
      if (bytes > limits.bytes) return finish();
      keptRows += 1;
      piece += text;
      if (piece.length > PIECE_CHARS) {
        pieces.push(Buffer.from(piece));
        piece = "";
      }
      if (pacer.isDue()) await pacer.rest();
    }
  }
  return finish();
}
