import "server-only";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Document, ObjectId } from "mongodb";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { QueryOrigin } from "@/lib/features/query/model";
import { consumeQuery, type QueryRequest } from "@/lib/features/query/service";
import { followKept, type Kept } from "@/lib/features/results/crossfilter/tables";
import { dropResults } from "@/lib/features/results/service";
import { extendTable, keepTable, readTable } from "@/lib/features/results/tables";
import type { Caller } from "@/lib/platform/access/caller";
import { DAY_SECONDS } from "@/lib/platform/db/collection";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { messageOf } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { DurableWork } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { collections } from "./collections";
import type { DatasetDoc, DatasetOwner, DatasetPlace } from "./model";

const MIB = 1024 * 1024;
/** docs/develop/api.md, Dashboards: further rows are not stored. */
export const DATASET_ROWS_MAX = 1_000_000;
export const DATASET_BYTES_MAX = 256 * MIB;
/** Over all datasets of a workspace: eight full ones, hundreds of typical ones. */
const WORKSPACE_BYTES_MAX = 2048 * MIB;
/** Rows expire after this time without use, and are read again on the next request. */
const KEPT_MS = 90 * DAY_SECONDS * 1000;
/** Interval between updates of the last use, since each touches all chunks of the rows. */
const ASKED_EVERY_MS = DAY_SECONDS * 1000;
/** Rows this close to their expiry count as expired: the store may delete them during a read. */
const LAST_MS = 60 * 60 * 1000;
/** Queries of many minutes are allowed for datasets, up to the limit of the query path. */
const REFRESH_TIMEOUT_MS = 15 * 60 * 1000;
/** Polling interval while another server refreshes: each poll reads one document. */
const LOOK_EVERY_MS = 250;
/** Kinds of errors whose message never contains a part of the statement. */
const QUOTES_NOTHING: ReadonlySet<ErrorKind> = new Set([
  "timeout",
  "cancelled",
  "rate_limited",
  "unavailable",
  "source_unreachable",
  "conflict",
]);
const INTERNAL = "Internal error while reading the rows. See the server log.";
/** Number of datasets dropped at once from a full workspace. */
const OLDEST_AT_ONCE = 50;

/** A reader holds the work of its dataset. A waiting caller of another server takes a dead reader's work over. */
const work = new DurableWork(collections.datasets);

/** The current source of a dataset. */
export type DatasetSource = {
  connection: ConnectionDoc;
  statement: QueryRequest["statement"];
  origin: QueryOrigin;
};

/** State of a dataset, for its owner's domain. */
export type Dataset = {
  /** Null when nothing was read yet, the rows are of another source, or they were unused for 90 days. */
  kept: (Omit<NonNullable<DatasetDoc["kept"]>, "resultId" | "sourceKey" | "until"> & { table: Kept }) | null;
  /** Reason why the last refresh failed. */
  failure: { message: string; at: Date } | null;
  isRefreshing: boolean;
  /** Start of a refresh whose server has stopped responding; null without one, and once another starts. */
  brokeOffAt: Date | null;
};

export type DatasetLimits = { rows: number; bytes: number; workspaceBytes: number };
const LIMITS: DatasetLimits = {
  rows: DATASET_ROWS_MAX,
  bytes: DATASET_BYTES_MAX,
  workspaceBytes: WORKSPACE_BYTES_MAX,
};

/** Returns the state of each dataset. @param sourceKeys of the owner's datasets, by name */
export async function readDatasets(
  owner: DatasetOwner,
  sourceKeys: ReadonlyMap<string, string>,
): Promise<Map<string, Dataset>> {
  const docs = await collections
    .datasets()
    .find({ ...ofOwner(owner), name: { $in: [...sourceKeys.keys()] } })
    .toArray();
  await Promise.all(docs.map((doc) => noteAsked(doc)));
  const byName = new Map(docs.map((doc) => [doc.name, doc]));
  return new Map([...sourceKeys].map(([name, key]) => [name, toDataset(byName.get(name), key)]));
}

/** Extends the expiry of used rows. A failed update is repeated on the next request. */
async function noteAsked({ _id, workspaceId, kept }: DatasetDoc, now = Date.now()): Promise<void> {
  if (!kept || isOver(kept) || endOf(kept) - now > KEPT_MS - ASKED_EVERY_MS) return;
  const until = new Date(now + KEPT_MS);
  const { resultId } = kept;
  try {
    if (!(await extendTable(workspaceId, resultId, until))) return;
    await collections
      .datasets()
      .updateOne({ _id, workspaceId, "kept.resultId": resultId }, { $set: { "kept.until": until } });
  } catch (error) {
    log.warn({ err: error, datasetId: _id.toHexString() }, "failed to extend the retention of a dataset");
  }
}

function isOver(kept: NonNullable<DatasetDoc["kept"]>): boolean {
  return endOf(kept) - Date.now() < LAST_MS;
}

function endOf({ until, at }: NonNullable<DatasetDoc["kept"]>): number {
  return until?.getTime() ?? at.getTime() + KEPT_MS;
}

/**
 * Returns a key of the source and its reader: rows that another user may read do not belong to this one. Users who have
 * left and deleted connections also have keys.
 */
export function toSourceKey(
  reader: { user: { _id: ObjectId } },
  { connection, statement }: { connection: Pick<ConnectionDoc, "_id">; statement: DatasetSource["statement"] },
): string {
  const said = [reader.user._id.toHexString(), connection._id.toHexString(), statement];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}

/**
 * Refreshes a dataset, once for all concurrent callers on all servers: later callers wait for the first. The previous
 * rows stay until the new ones are stored, and remain when the refresh fails.
 * @param caller the user whose rights apply
 * @param signal aborts when the caller leaves; the first caller's signal also cancels the query
 * @param seen the state that the caller found too old or missing: rows or a failure since then are returned or thrown
 * without another read. Absent: reads in any case
 * @throws AppError of the query; then the failure is recorded, too
 */
export async function refreshDataset(
  caller: Caller,
  place: DatasetPlace,
  source: DatasetSource,
  signal: AbortSignal,
  limits = LIMITS,
  seen?: SeenDataset,
): Promise<Dataset> {
  const sourceKey = toSourceKey(caller, source);
  let claimed: Claimed | null = null;
  while (!claimed) {
    const basis = seen && (await basisOf(place));
    const since = seen && outcomeSince(seen, toDataset(basis ?? undefined, sourceKey));
    if (since) return since;
    claimed = await claimRefresh(place, sourceKey, basis);
    if (claimed) break;
    const others = await awaitOther(place, sourceKey, signal);
    if (others) return others;
    // The reader stopped before its end, or had finished by the time of the claim.
  }
  const { claim, before, since: at } = claimed;
  const lost = new AbortController();
  claim.signal.addEventListener("abort", () => lost.abort(changed()));
  try {
    const { durationMs, ...table } = await consumeQuery(
      caller,
      {
        connection: source.connection,
        statement: source.statement,
        origin: source.origin,
        timeoutMs: REFRESH_TIMEOUT_MS,
        readOnly: true,
        signal: AbortSignal.any([signal, lost.signal]),
      },
      (result) =>
        keepTable(caller.workspaceId, result, {
          rows: limits.rows,
          bytes: limits.bytes,
          ms: KEPT_MS,
        }),
    );
    const { resultId, fields, rowCount, bytes, truncated, expiresAt } = table;
    const kept = { sourceKey, resultId, fields, rowCount, bytes, truncated, at, durationMs, until: expiresAt };
    if (before) await followKept(before.resultId.toHexString(), toTable(caller.workspaceId, kept));
    const doc = await finish(claim, before, kept);
    await keepWithinWorkspace(caller.workspaceId, resultId, limits.workspaceBytes);
    return toDataset(doc, sourceKey);
  } catch (cause) {
    const error = withoutPrivateText(cause, source.origin);
    // A caller that left, or another server that took over, is not a failure.
    const message =
      signal.aborted || lost.signal.aborted
        ? null
        : messageOf(error, "a dataset could not be read because of an internal error", INTERNAL);
    await giveUp(claim, message);
    throw error;
  } finally {
    claim.drop();
  }
}

/**
 * Deletes an owner's datasets with the given names, or all of them without names. Call it when they are no longer
 * needed.
 */
export async function dropDatasets(owner: DatasetOwner, names?: readonly string[]): Promise<void> {
  const filter = { ...ofOwner(owner), ...(names && { name: { $in: [...names] } }) };
  const docs = await collections
    .datasets()
    .find(filter, { projection: { "kept.resultId": 1 } })
    .toArray();
  // Before their rows: a reader finds either both or neither.
  await collections.datasets().deleteMany(filter);
  await dropResults(
    owner.workspaceId,
    docs.flatMap(({ kept }) => (kept ? [kept.resultId] : [])),
  );
}

/** Keeps only the newest datasets of an owner, and none read before `since`. For previews. */
export async function keepNewest(owner: DatasetOwner, countMax: number, since: Date): Promise<void> {
  const docs = await collections
    .datasets()
    .find(ofOwner(owner), { projection: { name: 1, kept: 1, failure: 1, refresh: 1 } })
    .sort({ _id: -1 })
    .toArray();
  const names = docs.flatMap(({ name, kept, failure, refresh }, index) => {
    const at = kept?.at ?? failure?.at ?? refresh?.since ?? null;
    return index >= countMax || (at !== null && at < since) ? [name] : [];
  });
  if (names.length > 0) await dropDatasets(owner, names);
}

/** The last result that a caller knows. */
export type SeenDataset = { kept: { at: Date } | null; failure: { at: Date } | null };

function basisOf(place: DatasetPlace): Promise<DatasetDoc | null> {
  return collections.datasets().findOne(keyOf(place));
}

/**
 * Returns rows that another refresh has stored since the caller looked; null without any.
 * @throws AppError `query_failed` when a refresh has failed since
 */
function outcomeSince(seen: SeenDataset, current: Dataset): Dataset | null {
  const isNewer = (now: { at: Date } | null, before: { at: Date } | null) =>
    now !== null && (before === null || now.at > before.at);
  if (isNewer(current.kept, seen.kept)) return current;
  if (current.failure && isNewer(current.failure, seen.failure)) {
    throw new AppError("query_failed", current.failure.message);
  }
  return null;
}

type Claimed = { claim: Claim; before: DatasetDoc["kept"]; since: Date };

/**
 * @param basis the document on which the caller decided to read, null for none: the claim fails when a refresh has
 * ended since. Absent: the claim ignores ended refreshes
 * @returns null when another refresh reads the same source; one of another source is overtaken
 */
async function claimRefresh(
  place: DatasetPlace,
  sourceKey: string,
  basis?: DatasetDoc | null,
): Promise<Claimed | null> {
  const key = { ...keyOf(place), ...(basis !== undefined && unchangedSince(basis)) };
  const claimed = await work.claim(key, {
    stages: [{ $set: { refresh: { sourceKey, since: "$$NOW" } } }],
    evenIf: { $ne: ["$refresh.sourceKey", sourceKey] },
  });
  if (!claimed) return (await insertMissing(place)) ? claimRefresh(place, sourceKey, basis) : null;
  const { doc, claim } = claimed;
  if (!doc.refresh) throw new Error("The store did not return the refresh.");
  return { claim, before: doc.kept, since: doc.refresh.since };
}

/** Inserts the document of a dataset that was never read. A claim cannot insert it: upserts take no `$expr`. */
async function insertMissing(place: DatasetPlace): Promise<boolean> {
  try {
    const { upsertedCount } = await collections
      .datasets()
      .updateOne(keyOf(place), { $setOnInsert: keyOf(place) }, { upsert: true });
    return upsertedCount === 1;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function unchangedSince(basis: DatasetDoc | null) {
  return {
    "kept.resultId": basis?.kept?.resultId ?? { $exists: false },
    "failure.at": basis?.failure?.at ?? { $exists: false },
  };
}

/**
 * @returns the rows that another refresh has read since; null when it was abandoned
 * @throws AppError of its query
 */
async function awaitOther(place: DatasetPlace, sourceKey: string, signal: AbortSignal): Promise<Dataset | null> {
  let since: Date | null = null;
  for (;;) {
    signal.throwIfAborted();
    const [doc] = await collections
      .datasets()
      .aggregate<DatasetDoc & { isOver: boolean }>([
        { $match: keyOf(place) },
        { $set: { isOver: { $not: [{ $gt: ["$work.dueAt", "$$NOW"] }] } } },
      ])
      .toArray();
    const isRead = doc?.refresh?.sourceKey === sourceKey && !doc.isOver;
    if (!isRead || (since && doc.refresh?.since.getTime() !== since.getTime())) {
      const { kept, failure } = toDataset(doc, sourceKey);
      if (since === null) return null;
      if (failure && failure.at >= since) throw new AppError("query_failed", failure.message);
      return kept && kept.at >= since ? toDataset(doc, sourceKey) : null;
    }
    since = doc.refresh?.since ?? null;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function finish(
  claim: Claim,
  before: DatasetDoc["kept"],
  kept: NonNullable<DatasetDoc["kept"]>,
): Promise<DatasetDoc> {
  const { workspaceId } = claim.key;
  const doc = await work.finish(claim, [{ $set: { kept: { $literal: kept } } }, { $unset: ["refresh", "failure"] }]);
  if (!doc) {
    await dropResults(workspaceId, [kept.resultId]);
    throw changed();
  }
  if (before) await dropResults(workspaceId, [before.resultId]);
  return doc;
}

async function giveUp(claim: Claim, message: string | null): Promise<void> {
  const failure = { sourceKey: "$refresh.sourceKey", message: { $literal: message }, at: "$$NOW" };
  const stages: Document[] = message === null ? [] : [{ $set: { failure } }];
  await work.finish(claim, [...stages, { $unset: "refresh" }]);
}

function changed(): AppError {
  return new AppError("cancelled", "The dataset was changed or removed. Try again.");
}

/** Drops the oldest rows of a workspace above its limit; the newest ones stay. */
async function keepWithinWorkspace(workspaceId: ObjectId, newest: ObjectId, bytesMax: number): Promise<void> {
  const [counted] = await collections
    .datasets()
    .aggregate<{ bytes: number }>([
      { $match: { workspaceId, "kept.at": { $exists: true } } },
      { $group: { _id: null, bytes: { $sum: "$kept.bytes" } } },
    ])
    .toArray();
  let over = (counted?.bytes ?? 0) - bytesMax;
  if (over <= 0) return;
  const oldest = await collections
    .datasets()
    .find({ workspaceId, "kept.at": { $exists: true }, "kept.resultId": { $ne: newest } })
    .sort({ "kept.at": 1 })
    .limit(OLDEST_AT_ONCE)
    .toArray();
  for (const { _id, kept } of oldest) {
    if (over <= 0 || !kept) return;
    await collections
      .datasets()
      .updateOne({ _id, workspaceId, "kept.resultId": kept.resultId }, { $unset: { kept: "" } });
    await dropResults(workspaceId, [kept.resultId]);
    over -= kept.bytes;
  }
}

function keyOf({ owner, name }: DatasetPlace) {
  return { ...ofOwner(owner), name };
}

function ofOwner({ workspaceId, kind, id }: DatasetOwner) {
  return { workspaceId, kind, ownerId: id };
}

function toDataset(doc: DatasetDoc | undefined, sourceKey: string): Dataset {
  const kept = doc?.kept?.sourceKey === sourceKey && !isOver(doc.kept) ? doc.kept : null;
  const failure = doc?.failure?.sourceKey === sourceKey ? doc.failure : null;
  const refresh = doc?.refresh?.sourceKey === sourceKey ? doc.refresh : null;
  // Heartbeats come four times per lease, so a clock slightly ahead ends no lease.
  const isAlive = refresh !== null && (doc?.work?.dueAt?.getTime() ?? 0) > Date.now();
  return {
    kept: kept && doc ? toShown(doc.workspaceId, kept) : null,
    failure: failure && { message: failure.message, at: failure.at },
    isRefreshing: isAlive,
    brokeOffAt: refresh && !isAlive ? refresh.since : null,
  };
}

function toShown(workspaceId: ObjectId, kept: NonNullable<DatasetDoc["kept"]>): NonNullable<Dataset["kept"]> {
  const { resultId: _, sourceKey: __, until: ___, ...shown } = kept;
  return { ...shown, table: toTable(workspaceId, kept) };
}

function toTable(workspaceId: ObjectId, { resultId, fields, rowCount }: NonNullable<DatasetDoc["kept"]>): Kept {
  return { id: resultId.toHexString(), fields, rowCount, read: () => readTable(workspaceId, resultId) };
}

/** Removes the text of a private console from an error, for users who see a dashboard that reads it. */
function withoutPrivateText(error: unknown, origin: QueryOrigin): unknown {
  const isPrivate = origin.kind === "dashboard" && origin.console?.isPrivate === true;
  if (!isPrivate || !(error instanceof AppError) || QUOTES_NOTHING.has(error.kind)) return error;
  return new AppError(error.kind, "The query of a private console failed. Its owner can run it to see why.", {
    cause: error,
  });
}
