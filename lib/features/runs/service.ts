import "server-only";
import { type Document, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { tellEnd } from "./ends";
import { type RunDoc, type RunResource, toRun } from "./model";
import type { EntityProgress, Run, RunCounts, RunFilters, RunOutcome, RunStatus, TriggerType } from "./schema";
import { tellRun } from "./tell";
import { type OnlyVisible, visiblePage } from "./visible-page";

/** A queued run that nobody has begun by then is looked after: its wake-up call was lost. */
const QUEUE_PATIENCE_MS = 30_000;
/** Who carries a run out says so at least this often, or is given up. `keepRun` is for a third of it. */
export const RUN_LEASE_MS = 60_000;
/** Who has been asked to end a run says a word within a second; nobody waits a whole lease for a server that has died. */
const CANCEL_PATIENCE_MS = 15_000;
/** Of what a source or a database said; its place is the log. */
const ERROR_CHARS_MAX = 10_000;
const UNFINISHED: RunStatus[] = ["queued", "running"];
/** Nothing goes on behind an end, whoever ended the run. */
const ENTITIES_AFTER = { failure: withoutRunning("failed"), cancelled: withoutRunning("cancelled") };
/** A list of entities is a part of the run's document. */
const ENTITIES_MAX = 500;

export type RunStart = RunResource & {
  resourceName: string;
  triggerType: TriggerType;
  /** Null for a schedule and a webhook. */
  triggeredBy: ObjectId | null;
  /**
   * What makes the run one, however often and on however many servers it is queued: the tick of a schedule, the id of a
   * batch. Absent: it is a new one each time.
   */
  once?: string;
  /** The only one who is told how it stands, for what is private. */
  onlyFor?: ObjectId;
  /** What the owner of the resource needs to carry it out; ids and small facts, never a secret. */
  params?: Record<string, unknown>;
};

/**
 * Writes down that a run is due. Then wake whoever carries it out; when that fails, the sweeper does.
 * @returns the run, and whether it is new: `once` names the same run again, also when it has ended long since
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
    starts: 0,
    lapses: 0,
    fruitlessLapses: 0,
    cancelRequestedAt: null,
    cancelRequestedBy: null,
    logLines: 0,
    resultId: null,
  } satisfies Omit<RunDoc, "createdAt">;
  const times = { createdAt: "$$NOW", dueAt: { $add: ["$$NOW", QUEUE_PATIENCE_MS] } };
  try {
    const { value, lastErrorObject } = await collections.runs().findOneAndUpdate(
      { key },
      // Times are the store's: whether a run is overdue must not depend on which server looks (F9).
      [{ $replaceWith: onlyIfNew({ $mergeObjects: [{ $literal: fresh }, times] }) }],
      { upsert: true, returnDocument: "after", includeResultMetadata: true },
    );
    if (!value) throw new Error("The store has not given the run back.");
    const isNew = lastErrorObject?.updatedExisting === false;
    if (isNew) {
      await makeNewest(value);
      tellRun(value);
    }
    return { run: value, isNew };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Either the same run was queued at this very moment, or another one has not ended.
    const same = await collections.runs().findOne({ key });
    if (same) return { run: same, isNew: false };
    throw new AppError("already_running", "It is running already. Wait for the end of that run, or cancel it.", {
      cause: error,
    });
  }
}

/** Behind those of the resource's earlier runs, whose servers' clocks may be ahead of this one's: lists go by it (F9). */
async function newRunId({ workspaceId, resourceType, resourceId }: RunResource): Promise<ObjectId> {
  const own = new ObjectId();
  const newest = await collections
    .runs()
    .findOne({ workspaceId, resourceType, resourceId }, { sort: { _id: -1 }, projection: { _id: 1 } });
  if (!newest || newest._id.toHexString() < own.toHexString()) return own;
  const seconds = newest._id.getTimestamp().getTime() / 1000 + 1;
  // What follows the time in it is this process's alone.
  return new ObjectId(seconds.toString(16).padStart(8, "0") + own.toHexString().slice(8));
}

/** Leaves what is there as it is. */
function onlyIfNew(fresh: Document): Document {
  return { $cond: [{ $eq: [{ $type: "$status" }, "missing"] }, fresh, "$$ROOT"] };
}

async function makeNewest({ _id, workspaceId, resourceType, resourceId }: RunDoc): Promise<void> {
  const older = { workspaceId, resourceType, resourceId, isNewest: true, _id: { $lt: _id } } as const;
  await collections.runs().updateMany(older, { $unset: { isNewest: true } });
}

/** Who carries a run out. Whatever is written with a hold that was given up is dropped. */
export type RunHold = { runId: ObjectId; workspaceId: ObjectId; holder: ObjectId; leaseMs: number };

/**
 * Takes a run to carry it out: one that is queued, or one whose process has not been heard of for its lease.
 * @param leaseMs how long it may be silent before it is given up; `keepRun` and `reportProgress` begin it anew
 * @returns null when the run has ended, is unknown or somebody else's
 */
export async function beginRun(
  workspaceId: ObjectId,
  runId: ObjectId,
  { leaseMs = RUN_LEASE_MS }: { leaseMs?: number } = {},
): Promise<{ run: RunDoc; hold: RunHold } | null> {
  const holder = new ObjectId();
  const lapse = { $cond: [{ $eq: ["$status", "running"] }, 1, 0] };
  const run = await collections.runs().findOneAndUpdate(
    {
      _id: runId,
      workspaceId,
      $or: [{ status: "queued" }, { status: "running", $expr: { $lt: ["$dueAt", "$$NOW"] } }],
    },
    [
      {
        $set: {
          status: "running",
          startedAt: { $ifNull: ["$startedAt", "$$NOW"] },
          starts: { $add: ["$starts", 1] },
          lapses: { $add: ["$lapses", lapse] },
          fruitlessLapses: { $add: [{ $ifNull: ["$fruitlessLapses", 0] }, lapse] },
          holder,
          dueAt: { $add: ["$$NOW", leaseMs] },
        },
      },
      // An attempt says so of itself: its connection may have become writable since the last one.
      { $unset: ["isRepeatable"] },
    ],
    { returnDocument: "after" },
  );
  if (run) tellRun(run);
  return run && { run, hold: { runId, workspaceId, holder, leaseMs } };
}

/** `lost`: the run has ended or was given to somebody else; stop, and write nothing more. */
export type RunWord = "go_on" | "cancel" | "lost";

export type RunProgress = { counts?: RunCounts; entities?: EntityProgress[]; rowCount?: number };

/** Says that the run goes on and how far it is, and hears whether it shall. Call it at least every third of the lease. */
export async function reportProgress(hold: RunHold, progress: RunProgress): Promise<RunWord> {
  if (progress.entities && progress.entities.length > ENTITIES_MAX) throw new Error("Too many entities for one run.");
  const run = await collections.runs().findOneAndUpdate(
    heldBy(hold),
    [
      {
        $set: {
          ...literals(progress),
          dueAt: { $add: ["$$NOW", hold.leaseMs] },
          ...(progress.counts && { fruitlessLapses: noneIfFurther(progress.counts) }),
        },
      },
    ],
    { returnDocument: "after" },
  );
  if (!run) return "lost";
  if (Object.keys(progress).length > 0) tellRun(run);
  return run.cancelRequestedAt ? "cancel" : "go_on";
}

/** Whoever gets further is not what kills its servers, however many of them die. */
function noneIfFurther({ read }: RunCounts): Document {
  const isFurther = { $gt: [read, { $ifNull: ["$counts.read", 0] }] };
  return { $cond: [isFurther, 0, { $ifNull: ["$fruitlessLapses", 0] }] };
}

/** Says that the run goes on, and hears whether it shall. */
export function keepRun(hold: RunHold): Promise<RunWord> {
  return reportProgress(hold, {});
}

/**
 * Lets a run go without an end, so that another server may begin it at once: this one stops.
 * @returns false when it was not held any more
 */
export async function releaseRun(hold: RunHold): Promise<boolean> {
  const run = await collections
    .runs()
    .findOneAndUpdate(heldBy(hold), [{ $set: { status: "queued", dueAt: "$$NOW" } }, { $unset: "holder" }], {
      returnDocument: "after",
    });
  if (run) tellRun(run);
  return run !== null;
}

/** Records that the run only reads, so that a server may start it again after this one died. */
export async function markRepeatable(hold: RunHold): Promise<void> {
  await collections.runs().updateOne(heldBy(hold), { $set: { isRepeatable: true } });
}

/**
 * Asks a run to end: a queued one is cancelled here and now, one that runs learns of it with its next word. Whose server
 * says nothing more is ended by the sweeper.
 * @param by null when what it was for is gone
 * @returns the run as it is then
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function requestCancel(resource: RunResource, runId: ObjectId, by: ObjectId | null): Promise<RunDoc> {
  const filter = { ...resource, _id: runId };
  const cancelled = await end({ ...filter, status: "queued" }, { status: "cancelled" }, by);
  if (cancelled) return cancelled;
  const asked = await collections.runs().findOneAndUpdate(
    { ...filter, status: "running" },
    [
      {
        $set: {
          cancelRequestedAt: { $ifNull: ["$cancelRequestedAt", "$$NOW"] },
          cancelRequestedBy: { $ifNull: ["$cancelRequestedBy", by] },
          dueAt: { $min: ["$dueAt", { $add: ["$$NOW", CANCEL_PATIENCE_MS] }] },
        },
      },
    ],
    { returnDocument: "after" },
  );
  if (asked) {
    tellRun(asked);
    return asked;
  }
  await findRun(resource, runId);
  throw new AppError("conflict", "This run has ended already.");
}

/** Ends the run of a resource that is gone, if there is one. @param by null when nobody in particular has done it */
export async function cancelUnfinished(resource: RunResource, by: ObjectId | null): Promise<void> {
  const running = await findUnfinishedRun(resource);
  if (!running) return;
  try {
    await requestCancel(resource, running._id, by);
  } catch (error) {
    // It has ended at this very moment.
    if (!(error instanceof AppError) || (error.kind !== "conflict" && error.kind !== "not_found")) throw error;
  }
}

/** Whether somebody has asked the run to end, or it has ended. */
export async function isCancelRequested(workspaceId: ObjectId, runId: ObjectId): Promise<boolean> {
  const filter = { _id: runId, workspaceId, status: { $in: UNFINISHED }, cancelRequestedAt: null };
  return (await collections.runs().countDocuments(filter, { limit: 1 })) === 0;
}

export type RunEnd = {
  status: RunOutcome;
  /** For people, and without secrets; null or absent unless it failed. */
  error?: string | null;
  rowCount?: number;
  counts?: RunCounts;
  entities?: EntityProgress[];
  resultId?: ObjectId | null;
};

/**
 * Ends a run, once: its last state and the word that its end is to be told are one write. Then it is told; when that
 * fails, the sweeper does.
 * @returns the run as it ended; null when it had ended before, or the hold was given up
 */
export function finishRun(hold: RunHold, outcome: RunEnd): Promise<RunDoc | null> {
  return end(heldBy(hold), outcome);
}

/**
 * Ends a run that nobody carries out: what it was for is gone, or could not even be begun.
 * @param asOf the run as the decision was made on: one that was begun meanwhile goes on
 */
export function endUnheldRun(
  asOf: Pick<RunDoc, "_id" | "workspaceId" | "starts">,
  outcome: RunEnd,
): Promise<RunDoc | null> {
  const { _id, workspaceId, starts } = asOf;
  const isUnheld = { $or: [{ status: "queued" as const }, { $expr: { $lt: ["$dueAt", "$$NOW"] } }] };
  return end({ _id, workspaceId, starts, status: { $in: UNFINISHED }, ...isUnheld }, outcome);
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
          // A clock that was set back in between makes no negative time (F9).
          durationMs: { $max: [0, { $subtract: ["$$NOW", { $ifNull: ["$startedAt", "$$NOW"] }] }] },
          endPendingSince: "$$NOW",
          ...(cancelledBy !== undefined && { cancelRequestedAt: "$$NOW", cancelRequestedBy: cancelledBy }),
        },
      },
      ...(outcome.status === "success" ? [] : [{ $set: { entities: ENTITIES_AFTER[outcome.status] } }]),
      { $unset: ["isUnfinished", "holder", "dueAt", "nextLookAt", "params", "isRepeatable"] },
    ],
    { returnDocument: "after" },
  );
  if (run) {
    tellRun(run);
    await tellEnd(run);
  }
  return run;
}

/** A failed run always says why. */
function toError(error: string | null | undefined): string {
  const text = error?.trim() ? error : "The run failed without a reason.";
  return text.length > ERROR_CHARS_MAX ? `${text.slice(0, ERROR_CHARS_MAX).toWellFormed()} …` : text.toWellFormed();
}

/** @throws AppError `not_found`, the same for an unknown run and one of another resource */
export async function findRun(resource: RunResource, runId: ObjectId): Promise<RunDoc> {
  const run = await collections.runs().findOne({ ...resource, _id: runId });
  if (!run) throw new AppError("not_found", "There is no such run.");
  return run;
}

/** The run of a resource that has not ended; null when it rests. */
export function findUnfinishedRun(resource: RunResource): Promise<RunDoc | null> {
  return collections.runs().findOne({ ...resource, isUnfinished: true });
}

/** The run of this id; null for one that is unknown or another workspace's. For jobs, which have only the id. */
export function findRunById(workspaceId: ObjectId, runId: ObjectId): Promise<RunDoc | null> {
  return collections.runs().findOne({ _id: runId, workspaceId });
}

/** The runs of a resource, the newest first. @throws AppError `invalid_request` for a bad cursor */
export async function listRuns(resource: RunResource, page: PageRequest): Promise<Page<Run>> {
  return toPage(await listRunDocs(resource, page), page.limit, toRun);
}

/** The same as they are stored, one more than asked for, for whoever shows what is kept beside them. */
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

/** The runs of the whole workspace that the caller may see, the newest first. @throws AppError `invalid_request` */
export async function listWorkspaceRuns(
  caller: Caller,
  { resourceType, status, ...page }: PageRequest & RunFilters,
  onlyVisible: OnlyVisible,
): Promise<Page<Run>> {
  const filter = {
    workspaceId: caller.workspaceId,
    ...(resourceType && { resourceType }),
    ...(status && { status }),
    // With it the store looks through the few that go on, and not through all that have ended.
    ...(status && UNFINISHED.includes(status) && { isUnfinished: true as const }),
  };
  const found = await visiblePage(caller, collections.runs(), filter, page, onlyVisible);
  return { ...found, items: found.items.map(toRun) };
}

/** The last run of each of these resources, by the resource's id; those that never ran are absent. One query. */
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
  // Of two, which a crash while queueing leaves, the later one.
  return new Map(docs.map((doc) => [doc.resourceId.toHexString(), toRun(doc)]));
}

/** Removes the runs and logs of a resource that is gone for good. */
export async function deleteRuns({ workspaceId, resourceType, resourceId }: RunResource): Promise<void> {
  const filter = { workspaceId, resourceType, resourceId };
  const ids = await collections
    .runs()
    .find(filter, { projection: { _id: 1 } })
    .map(({ _id }) => _id)
    .toArray();
  await collections.runLogs().deleteMany({ workspaceId, runId: { $in: ids } });
  await collections.runs().deleteMany(filter);
}

function heldBy({ runId, workspaceId, holder }: RunHold): Document {
  return { _id: runId, workspaceId, holder, status: "running" };
}

/** The entities of a run that ends, where one that runs is this from now on. */
function withoutRunning(status: EntityProgress["status"]): Document {
  const stopped = { $mergeObjects: ["$$this", { status }] };
  return {
    $map: {
      input: "$entities",
      in: { $cond: [{ $eq: ["$$this.status", "running"] }, stopped, "$$this"] },
    },
  };
}

/** Values for a pipeline as they are: a text that begins with a dollar sign is no path. Absent ones change nothing. */
function literals(values: Record<string, unknown>): Document {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, { $literal: value }]));
}
