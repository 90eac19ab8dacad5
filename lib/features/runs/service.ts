import "server-only";
import { type Document, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";
import { DurableWork, NOTHING_DUE, noteProgress } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { waitingWork } from "@/lib/platform/work/model";
import { collections } from "./collections";
import { reportEnd } from "./ends";
import { publishRunEvent } from "./events";
import { type RunDoc, type RunResource, toRun } from "./model";
import {
  type EntityProgress,
  RESOURCE_TYPES,
  type Run,
  type RunCounts,
  type RunFilters,
  type RunOutcome,
  runStatus,
  type TriggerType,
} from "./schema";
import { type OnlyVisible, visiblePage } from "./visible-page";

/** Maximum length of an error of a source or a database; the log has the rest. */
const ERROR_CHARS_MAX = 10_000;
/** Updates that stop running entities when a run ends for any reason. */
const ENTITIES_AFTER = { failure: withoutRunning("failed"), cancelled: withoutRunning("cancelled") };
/** Maximum number of entities, since the list is part of the run's document. */
const ENTITIES_MAX = 500;

const work = new DurableWork(collections.runs);

export type RunStart = RunResource & {
  resourceName: string;
  triggerType: TriggerType;
  /** Null for a schedule or a webhook. */
  triggeredBy: ObjectId | null;
  /**
   * Key that identifies the run, however often and on however many servers it is queued: the tick of a schedule, the id
   * of a batch. If absent, each call queues a new run.
   */
  once?: string;
  /** The only user who receives status events, for private resources. */
  onlyFor?: ObjectId;
  /** Parameters that the owner of the resource needs to execute the run: ids and small facts, never a secret. */
  params?: Record<string, unknown>;
};

/**
 * Stores a queued run. Call `wakeRun` next; if that fails, the sweeper wakes the run.
 * @returns the run, and whether it is new: `once` returns the same run again, even long after it has ended
 * @throws AppError `already_running` when another run of the resource has not ended
 */
export async function queueRun(start: RunStart): Promise<{ run: RunDoc; isNew: boolean }> {
  const { once, params = {}, ...facts } = start;
  const _id = await newRunId(start);
  const key = [facts.resourceType, facts.resourceId.toHexString(), once ?? _id.toHexString()].join(":");
  const fresh = {
    _id,
    key,
    ...facts,
    params,
    status: "queued",
    isUnfinished: true,
    isNewest: true,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    rowCount: null,
    error: null,
    counts: null,
    entities: [],
    cancelRequestedAt: null,
    cancelRequestedBy: null,
    logLines: 0,
    resultId: null,
  } satisfies Omit<RunDoc, "createdAt" | "work">;
  // If its event is lost with this server, a sweep finds it as soon as a claim of a dead server.
  const times = { createdAt: "$$NOW", work: waitingWork(LEASE_MS) };
  try {
    const { value, lastErrorObject } = await collections.runs().findOneAndUpdate(
      { key },
      // Times are the store's: whether a run is overdue must not depend on the server that checks (F9).
      [{ $replaceWith: onlyIfNew({ $mergeObjects: [{ $literal: fresh }, times] }) }],
      { upsert: true, returnDocument: "after", includeResultMetadata: true },
    );
    if (!value) throw new Error("The store returned no run.");
    const isNew = lastErrorObject?.updatedExisting === false;
    if (isNew) {
      await makeNewest(value);
      publishRunEvent(value);
    }
    return { run: value, isNew };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Either the same run was queued concurrently, or another one has not ended.
    const same = await collections.runs().findOne({ key });
    if (same) return { run: same, isNew: false };
    throw new AppError("already_running", "Already running. Wait for the run to end, or cancel it.", {
      cause: error,
    });
  }
}

/**
 * Returns an id that sorts after those of the resource's earlier runs, whose servers' clocks may be ahead of this
 * one's: lists are ordered by it (F9).
 */
async function newRunId({ workspaceId, resourceType, resourceId }: RunResource): Promise<ObjectId> {
  const own = new ObjectId();
  const newest = await collections
    .runs()
    .findOne({ workspaceId, resourceType, resourceId }, { sort: { _id: -1 }, projection: { _id: 1 } });
  if (!newest || newest._id.toHexString() < own.toHexString()) return own;
  const seconds = newest._id.getTimestamp().getTime() / 1000 + 1;
  // The rest of the id is unique to this process.
  return new ObjectId(seconds.toString(16).padStart(8, "0") + own.toHexString().slice(8));
}

/** Leaves an existing document unchanged. */
function onlyIfNew(fresh: Document): Document {
  return { $cond: [{ $eq: [{ $type: "$status" }, "missing"] }, fresh, "$$ROOT"] };
}

async function makeNewest({ _id, workspaceId, resourceType, resourceId }: RunDoc): Promise<void> {
  const older = { workspaceId, resourceType, resourceId, isNewest: true, _id: { $lt: _id } } as const;
  await collections.runs().updateMany(older, { $unset: { isNewest: true } });
}

/**
 * Claims a run to execute it: a queued run, or one whose server has died.
 * @returns null when the run has ended, is unknown or has another holder
 */
export async function beginRun(workspaceId: ObjectId, runId: ObjectId): Promise<{ run: RunDoc; hold: Claim } | null> {
  const stages = [
    { $set: { status: "running", startedAt: { $ifNull: ["$startedAt", "$$NOW"] } } },
    // Each attempt sets this itself: its connection may have become writable since the last one.
    { $unset: ["isRepeatable"] },
  ];
  const claimed = await work.claim({ _id: runId, workspaceId, isUnfinished: true }, { stages });
  if (!claimed) return null;
  publishRunEvent(claimed.doc);
  return { run: claimed.doc, hold: claimed.claim };
}

export type RunProgress = { counts?: RunCounts; entities?: EntityProgress[]; rowCount?: number };

/**
 * Stores the progress of the run. A run that has read more rows progresses, so it is not what crashes its servers.
 * @returns false if the run is lost
 */
export async function reportProgress(hold: Claim, progress: RunProgress): Promise<boolean> {
  if (progress.entities && progress.entities.length > ENTITIES_MAX) throw new Error("Too many entities in one run.");
  const { counts } = progress;
  const further = counts && noteProgress({ $gt: [counts.read, { $ifNull: ["$counts.read", 0] }] });
  const run = await work.update(hold, [...(further ? [further] : []), { $set: literals(progress) }]);
  if (run) publishRunEvent(run);
  return run !== null;
}

/**
 * Releases a run without an end, so that another server may start it immediately.
 * @returns false if it was not held any more
 */
export async function releaseRun(hold: Claim): Promise<boolean> {
  const run = await work.release(hold, 0, [{ $set: { status: "queued" } }]);
  if (run) publishRunEvent(run);
  return run !== null;
}

/** Records that the run only reads, so that it may start again on another server after a crash. */
export async function markRepeatable(hold: Claim): Promise<void> {
  await work.update(hold, [{ $set: { isRepeatable: true } }]);
}

/**
 * Asks a run to end. A queued run is cancelled immediately; the holder of a running one learns of it within a second. If
 * its server has crashed, the sweep ends the run.
 * @param by null when the resource is gone
 * @returns the updated run
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function requestCancel(resource: RunResource, runId: ObjectId, by: ObjectId | null): Promise<RunDoc> {
  const filter = { ...resource, _id: runId };
  const cancelled = await end({ ...filter, status: "queued" }, { status: "cancelled" }, by);
  if (cancelled) return cancelled;
  const asked = await work.cancel({ ...filter, status: "running" }, [
    {
      $set: {
        cancelRequestedAt: { $ifNull: ["$cancelRequestedAt", "$$NOW"] },
        cancelRequestedBy: { $ifNull: ["$cancelRequestedBy", by] },
      },
    },
  ]);
  if (asked) {
    publishRunEvent(asked);
    return asked;
  }
  await findRun(resource, runId);
  throw new AppError("conflict", "This run has already ended.");
}

/**
 * Ends the unfinished run of a deleted resource, if there is one.
 * @param by null if no user deleted it
 */
export async function cancelUnfinished(resource: RunResource, by: ObjectId | null): Promise<void> {
  const running = await findUnfinishedRun(resource);
  if (!running) return;
  try {
    await requestCancel(resource, running._id, by);
  } catch (error) {
    // It ended concurrently.
    if (!(error instanceof AppError) || (error.kind !== "conflict" && error.kind !== "not_found")) throw error;
  }
}

export type RunEnd = {
  status: RunOutcome;
  /** Message for display, without secrets; null or absent unless it failed. */
  error?: string | null;
  rowCount?: number;
  counts?: RunCounts;
  entities?: EntityProgress[];
  resultId?: ObjectId | null;
};

/**
 * Ends a run, once: its final state and the pending announcement are one write. Then the end is announced; if that
 * fails, the sweeper announces it.
 * @returns the ended run; null if it had ended before, or the hold has lapsed
 */
export async function finishRun(hold: Claim, outcome: RunEnd): Promise<RunDoc | null> {
  const run = await end(hold.held, outcome);
  hold.drop();
  return run;
}

/**
 * Ends a run that has no holder: its resource is gone, or it could not be started.
 * @param asOf the run as the decision was made on: if it has started since, it continues
 */
export function endUnheldRun(
  asOf: Pick<RunDoc, "_id" | "workspaceId" | "work">,
  outcome: RunEnd,
): Promise<RunDoc | null> {
  const { _id, workspaceId, work: seen } = asOf;
  return end({ _id, workspaceId, isUnfinished: true, "work.starts": seen.starts, ...DurableWork.FREE }, outcome);
}

async function end(filter: Document, outcome: RunEnd, cancelledBy?: ObjectId | null): Promise<RunDoc | null> {
  const { error, ...facts } = outcome;
  const run = await collections.runs().findOneAndUpdate(
    filter,
    [
      {
        $set: {
          ...literals(facts),
          error: { $literal: outcome.status === "failure" ? toError(error) : null },
          completedAt: "$$NOW",
          // A clock that was set back in between must not result in a negative time (F9).
          durationMs: { $max: [0, { $subtract: ["$$NOW", { $ifNull: ["$startedAt", "$$NOW"] }] }] },
          endPendingSince: "$$NOW",
          ...(cancelledBy !== undefined && { cancelRequestedAt: "$$NOW", cancelRequestedBy: cancelledBy }),
        },
      },
      ...(outcome.status === "success" ? [] : [{ $set: { entities: ENTITIES_AFTER[outcome.status] } }]),
      NOTHING_DUE,
      { $unset: ["isUnfinished", "params", "isRepeatable"] },
    ],
    { returnDocument: "after" },
  );
  if (run) {
    publishRunEvent(run);
    await reportEnd(run);
  }
  return run;
}

/** Returns the error of a failed run, which always has one. */
function toError(error: string | null | undefined): string {
  const text = error?.trim() ? error : "The run failed with no error message.";
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX).toWellFormed()} …` : text.toWellFormed();
}

/** @throws AppError `not_found`, the same for an unknown run and one of another resource */
export async function findRun(resource: RunResource, runId: ObjectId): Promise<RunDoc> {
  const run = await collections.runs().findOne({ ...resource, _id: runId });
  if (!run) throw new AppError("not_found", "Run not found.");
  return run;
}

/** Returns the unfinished run of a resource; null if there is none. */
export function findUnfinishedRun(resource: RunResource): Promise<RunDoc | null> {
  return collections.runs().findOne({ ...resource, isUnfinished: true });
}

/**
 * Returns the run of this id; null for one that is unknown or another workspace's. For jobs, which have only the id.
 */
export function findRunById(workspaceId: ObjectId, runId: ObjectId): Promise<RunDoc | null> {
  return collections.runs().findOne({ _id: runId, workspaceId });
}

/**
 * Returns the runs of a resource, newest first.
 * @throws AppError `invalid_request` for an invalid cursor
 */
export async function listRuns(resource: RunResource, page: PageRequest): Promise<Page<Run>> {
  return toPage(await listRunDocs(resource, page), page.limit, toRun);
}

/** Returns the stored documents, one more than the limit, for callers that need fields that are not shown. */
export function listRunDocs(
  { workspaceId, resourceType, resourceId }: RunResource,
  { limit, cursor }: PageRequest,
): Promise<RunDoc[]> {
  const after = readCursor(cursor);
  return collections
    .runs()
    .find({ workspaceId, resourceType, resourceId, ...(after && { _id: { $lt: after } }) })
    .sort({ _id: -1 })
    .limit(withExtra(limit))
    .toArray();
}

/**
 * Returns the runs of the workspace that the caller may see, newest first.
 * @throws AppError `invalid_request` for an invalid cursor
 */
export async function listWorkspaceRuns(
  caller: Caller,
  { resourceType, status, ...page }: PageRequest & RunFilters,
  onlyVisible: OnlyVisible,
): Promise<Page<Run>> {
  const filter = {
    workspaceId: caller.workspaceId,
    // A page is read in the order of an index by type and status, so that a rare status is not searched for.
    ...((resourceType ?? status) && {
      resourceType: { $in: resourceType ? [resourceType] : [...RESOURCE_TYPES] },
      status: { $in: status ? [status] : [...runStatus.options] },
    }),
  };
  const found = await visiblePage(caller, collections.runs(), filter, page, onlyVisible);
  return { ...found, items: found.items.map(toRun) };
}

/**
 * Returns the last run of each of these resources, by the resource's id; resources that never ran are absent. One
 * query.
 */
export async function lastRuns(
  workspaceId: ObjectId,
  resourceType: RunResource["resourceType"],
  resourceIds: ObjectId[],
): Promise<Map<string, Run>> {
  if (resourceIds.length === 0) return new Map();
  const docs = await collections
    .runs()
    .find({ workspaceId, resourceType, resourceId: { $in: resourceIds }, isNewest: true })
    .sort({ createdAt: 1 })
    .toArray();
  // A crash while queueing can leave two: the later one wins.
  return new Map(docs.map((doc) => [doc.resourceId.toHexString(), toRun(doc)]));
}

/** Returns the entities of a run that ends, with this status for those that are running. */
function withoutRunning(status: EntityProgress["status"]): Document {
  const stopped = { $mergeObjects: ["$$this", { status }] };
  return {
    $map: {
      input: "$entities",
      in: { $cond: [{ $eq: ["$$this.status", "running"] }, stopped, "$$this"] },
    },
  };
}

/**
 * Wraps values for a pipeline as literals: a text that starts with a dollar sign is not a path. Absent values change
 * nothing.
 */
function literals(values: Record<string, unknown>): Document {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, { $literal: value }]));
}
