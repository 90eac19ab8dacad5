import "server-only";
import { ObjectId } from "mongodb";
import { queueUnlessBusy, wakeRun } from "@/lib/features/runs/enqueue";
import { tailLog } from "@/lib/features/runs/logs";
import { type RunDoc, toRun } from "@/lib/features/runs/model";
import type { ScheduleDoc } from "@/lib/features/runs/schedules/model";
import { NO_COUNTS, type Run } from "@/lib/features/runs/schema";
import { findRun, listRuns, queueRun, requestCancel } from "@/lib/features/runs/service";
import type { Caller } from "@/lib/platform/access/caller";
import { consume } from "@/lib/platform/access/rate-limit";
import { invalidInput } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { requireMode } from "./definition";
import type { FlowDoc, FlowMode } from "./model";
import { getFlowDocOrThrow, resourceOf, withOwnRunStatus } from "./run-status";
import type { BackfillBody, FlowParams, FlowRun, FlowStarted, TriggerFlowBody } from "./schema";

/** Event that starts a queued run; its data are `workspaceId` and `runId`. */
export const FLOW_RUN_QUEUED_EVENT = "flow/run.queued";
/** Number of lines of a log that GET returns: its end, where a failure shows its reason. */
const LOG_LINES_SHOWN = 1000;

/** Parameters of a flow's run beyond the flow itself; stored in the run's params. */
export type FlowRunParams = {
  mode?: FlowMode;
  /** Value of the cursor fields to start from. */
  from?: string | number;
  /** Values for a query, as JSON, since their names may be anything. */
  values?: string;
};

/**
 * Runs a saved flow now.
 * @throws AppError `not_found`, `already_running`, `rate_limited`; `invalid_request` for values that the flow cannot
 *   take
 */
export async function triggerFlow(caller: Caller, { flowId: id, params }: TriggerFlowBody): Promise<FlowStarted> {
  const flowId = new ObjectId(id);
  const doc = await getFlowDocOrThrow(caller, flowId);
  await consume("flowTrigger", flowId.toHexString());
  const run = await startRun(caller, doc, params === undefined ? {} : { values: toValues(doc, params) });
  return { flow: await withOwnRunStatus(caller, doc), run };
}

/**
 * Runs a flow on rows that it may have read before.
 * @throws AppError `not_found`, `already_running`, `rate_limited`; `invalid_request` for a flow that cannot be read
 *   this way
 */
export async function backfillFlow(caller: Caller, flowId: ObjectId, body: BackfillBody): Promise<FlowStarted> {
  const doc = await getFlowDocOrThrow(caller, flowId);
  const { from, mode = from === undefined ? "full" : "incremental" } = body;
  requireMode(doc, mode, from);
  await consume("flowTrigger", flowId.toHexString());
  const run = await startRun(caller, doc, { mode, ...(from !== undefined && { from }) }, "backfill");
  return { flow: await withOwnRunStatus(caller, doc), run };
}

/**
 * Queues a run and wakes an executor.
 * @throws AppError `already_running`
 */
export async function startRun(
  caller: Caller,
  doc: FlowDoc,
  params: FlowRunParams,
  triggerType: "backfill" | null = null,
): Promise<Run> {
  const { run } = await queueRun({
    ...resourceOf(doc),
    resourceName: doc.name,
    triggerType: triggerType ?? (caller.via.kind === "key" ? "api" : "manual"),
    triggeredBy: caller.user._id,
    params,
  });
  await wakeRun(run, FLOW_RUN_QUEUED_EVENT);
  return toRun(run);
}

/**
 * Returns the runs of a flow, newest first.
 * @throws AppError `not_found`
 */
export async function listFlowRuns(caller: Caller, flowId: ObjectId, page: PageRequest): Promise<Page<Run>> {
  return listRuns(resourceOf(await getFlowDocOrThrow(caller, flowId)), page);
}

/**
 * Returns a run with its log.
 * @throws AppError `not_found`
 */
export async function getFlowRun(caller: Caller, flowId: ObjectId, runId: ObjectId): Promise<FlowRun> {
  const doc = await getFlowDocOrThrow(caller, flowId);
  const [run, logs] = await Promise.all([
    findRun(resourceOf(doc), runId),
    tailLog(caller.workspaceId, runId, LOG_LINES_SHOWN),
  ]);
  const shown = toRun(run);
  return { ...shown, counts: shown.counts ?? NO_COUNTS, logs };
}

/**
 * Cancels a run of a flow. Rows that are visible by then remain.
 * @throws AppError `not_found`; `conflict` for one that has ended
 */
export async function cancelFlowRun(caller: Caller, flowId: ObjectId, runId: ObjectId): Promise<Run> {
  const doc = await getFlowDocOrThrow(caller, flowId);
  return toRun(await requestCancel(resourceOf(doc), runId, caller.user._id));
}

/** Queues a run for a tick of a flow's schedule (`lib/features/runs/schedules/tick`). A disabled flow skips it. */
export async function queueFlowTick(schedule: ScheduleDoc, tick: Date): Promise<"queued" | "busy" | "away" | "gone"> {
  const { workspaceId, resourceId } = schedule;
  const doc = await collections.flows().findOne({ _id: resourceId, workspaceId });
  if (!doc) return "gone";
  if (!doc.enabled) return "away";
  return queueForNobody(doc, "scheduled", tick.toISOString());
}

/** Queues a run without a user; a run that was queued for the same cause is not queued again. */
export function queueForNobody(
  doc: FlowDoc,
  triggerType: "scheduled" | "webhook",
  once?: string,
): Promise<"queued" | "busy"> {
  const start = { ...resourceOf(doc), resourceName: doc.name, triggerType, ...(once !== undefined && { once }) };
  return queueUnlessBusy(start, FLOW_RUN_QUEUED_EVENT);
}

/** Resumes a run without a holder where it stopped: the destination knows which rows are written. */
export async function recoverFlowRun(run: RunDoc): Promise<"woken" | "give_up"> {
  await wakeRun(run, FLOW_RUN_QUEUED_EVENT);
  return "woken";
}

function toValues(doc: FlowDoc, params: FlowParams): string {
  if (doc.type !== "query" && Object.keys(params).length > 0) {
    throw invalidInput("params", "Only query flows accept params.");
  }
  return JSON.stringify(params);
}
