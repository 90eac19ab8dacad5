import type { ObjectId } from "mongodb";
import type { Work } from "@/lib/platform/work/model";
import type { EntityProgress, LogLevel, LogLine, ResourceType, Run, RunCounts, RunStatus, TriggerType } from "./schema";

/** A resource with runs, in one workspace. */
export type RunResource = { workspaceId: ObjectId; resourceType: ResourceType; resourceId: ObjectId };

export type RunDoc = RunResource & {
  _id: ObjectId;
  /** Unique key of the run: a tick of a schedule, or the id of a run that a user started. */
  key: string;
  /** Name of the resource when the run was queued: it may be renamed or deleted later. */
  resourceName: string;
  triggerType: TriggerType;
  triggeredBy: ObjectId | null;
  /** The only user who receives status events, for private resources. If absent, every member receives them. */
  onlyFor?: ObjectId;
  /** Parameters that the owner of the resource needs to execute the run. Never a secret. */
  params: Record<string, unknown>;
  status: RunStatus;
  /** Present until it ends: a resource has at most one unfinished run. */
  isUnfinished?: true;
  /** Marks the latest run of a resource. */
  isNewest?: true;
  createdAt: Date;
  startedAt: Date | null;
  completedAt: Date | null;
  durationMs: number | null;
  rowCount: number | null;
  error: string | null;
  counts: RunCounts | null;
  entities: EntityProgress[];
  /** Its executions. Absent from runs that ended in earlier versions. */
  work: Work;
  /** The run only reads, so it may start again after its server has crashed. Absent: it may have written. */
  isRepeatable?: true;
  cancelRequestedAt: Date | null;
  cancelRequestedBy: ObjectId | null;
  /** Number of lines of its log, including those that were not stored. */
  logLines: number;
  /** Id of its stored result, for lib/features/results; null for none. */
  resultId: ObjectId | null;
  /**
   * Time since which its end has to be announced. Written in one update with the end, so that neither exists without
   * the other.
   */
  endPendingSince?: Date;
};

export type RunLogDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  runId: ObjectId;
  /** Position in the log, from 0. */
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
