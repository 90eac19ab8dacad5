import type { ObjectId } from "mongodb";
import type { EntityProgress, LogLevel, LogLine, ResourceType, Run, RunCounts, RunStatus, TriggerType } from "./schema";

/** What has runs, of one workspace. */
export type RunResource = { workspaceId: ObjectId; resourceType: ResourceType; resourceId: ObjectId };

export type RunDoc = RunResource & {
  _id: ObjectId;
  /** What the run is for, unique: a tick of a schedule, or the id of a run that somebody started. */
  key: string;
  /** As it was called when the run was queued: it may be renamed or deleted meanwhile. */
  resourceName: string;
  triggerType: TriggerType;
  triggeredBy: ObjectId | null;
  /** The only one who is told how it stands, for what is private; every member is told without it. */
  onlyFor?: ObjectId;
  /** What the owner of the resource needs to know to carry the run out. Never a secret. */
  params: Record<string, unknown>;
  status: RunStatus;
  /** Until it ends: of the unfinished runs of a resource there is one. */
  isUnfinished?: true;
  /** Of the runs of a resource, the one that was queued last. */
  isNewest?: true;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  rowCount: number | null;
  error: string | null;
  counts: RunCounts | null;
  entities: EntityProgress[];
  /** How often somebody has begun to carry it out: more than once after a crash or a restart. */
  starts: number;
  /** How often it was taken over from a process that had fallen silent. */
  lapses: number;
  /** Those of them since it last got further. Absent from runs of earlier versions. */
  fruitlessLapses?: number;
  /** Who carries it out now; a new one with each beginning, so that one who was given up can write nothing more. */
  holder?: ObjectId;
  /** By the store's clock: when nobody has said a word by then, the run is looked after. Absent from ended runs. */
  dueAt?: Date;
  /** The run only reads, so it may start again after its server died. Absent: it may have written. */
  isRepeatable?: true;
  /** Until then no sweeper looks after it again. */
  nextLookAt?: Date;
  cancelRequestedAt: Date | null;
  cancelRequestedBy: ObjectId | null;
  /** How many lines its log has, those that were not kept included. */
  logLines: number;
  /** Where its result is kept, for lib/features/results; null for none. */
  resultId: ObjectId | null;
  /** Its end is to be told, since then. Written in one update with the end, so that neither is ever without the other. */
  endPendingSince?: Date;
};

export type RunLogDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  runId: ObjectId;
  /** Its place in the log, from 0. */
  seq: number;
  at: Date;
  level: LogLevel;
  text: string;
};

export function toRun(doc: RunDoc): Run {
  return {
    id: doc._id.toHexString(),
    resourceType: doc.resourceType,
    resourceId: doc.resourceId.toHexString(),
    resourceName: doc.resourceName,
    status: doc.status,
    triggerType: doc.triggerType,
    triggeredBy: doc.triggeredBy?.toHexString() ?? null,
    createdAt: doc.createdAt.toISOString(),
    startedAt: doc.startedAt?.toISOString() ?? null,
    completedAt: doc.completedAt?.toISOString() ?? null,
    durationMs: doc.durationMs,
    rowCount: doc.rowCount,
    error: doc.error,
    counts: doc.counts,
    entities: doc.entities,
    cancelRequestedAt: doc.cancelRequestedAt?.toISOString() ?? null,
  };
}

export function toLogLine({ at, level, text }: RunLogDoc): LogLine {
  return { at: at.toISOString(), level, text };
}
