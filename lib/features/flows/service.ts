import "server-only";
import { type Filter, ObjectId } from "mongodb";
import type { Use } from "@/lib/features/connections/uses";
import { followDeletion } from "@/lib/features/runs/deletion";
import type { ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { putSchedule, removeSchedule } from "@/lib/features/runs/schedules/service";
import { cancelUnfinished, findUnfinishedRun, listRuns } from "@/lib/features/runs/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { findPage, toListFilter } from "@/lib/platform/db/find-page";
import { AppError, type InputProblem } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { judgeDefinition, toDefinition } from "./definition";
import { publishFlowEvent } from "./events";
import { loadNamesOf } from "./loads";
import { type FlowDefinition, type FlowDoc, RESOURCE_TYPE, shownCheckpoint } from "./model";
import { getFlowDocOrThrow, noSuchFlow, resourceOf, withOwnRunStatus, withRunStatus } from "./run-status";
import { startRun } from "./runs";
import type { CreateFlowBody, Flow, FlowDetail, FlowStarted, UpdateFlowBody } from "./schema";
import { dropWebhook } from "./webhook-store";

/** Number of a flow's runs that GET returns. */
const RUNS_SHOWN = 10;

/** Returns the workspace's flows, oldest first: all, those with these ids, or those whose names contain a text. */
export async function listFlows(
  caller: Caller,
  { ids, q, ...page }: PageRequest & { ids?: string; q?: string },
): Promise<Page<Flow>> {
  const filter: Filter<FlowDoc> = {
    workspaceId: caller.workspaceId,
    ...toListFilter({ ids, q }),
  };
  const found = await findPage(collections.flows(), filter, page, { order: "oldest" }, (doc) => doc);
  return { ...found, items: await withRunStatus(caller, found.items) };
}

/**
 * Returns a flow with its last runs and its progress.
 * @throws AppError `not_found`
 */
export async function getFlow(caller: Caller, flowId: ObjectId): Promise<FlowDetail> {
  const doc = await getFlowDocOrThrow(caller, flowId);
  const [flow, { items: runs }] = await Promise.all([
    withOwnRunStatus(caller, doc),
    listRuns(resourceOf(doc), { limit: RUNS_SHOWN }),
  ]);
  return { ...flow, runs, checkpoint: toCheckpoint(doc) };
}

/**
 * Stores a new flow and, unless told otherwise, runs it. A webhook flow has nothing to run until an event arrives.
 * @throws AppError `invalid_request`, `not_found` for its connections, `read_only`
 */
export async function createFlow(caller: Caller, body: CreateFlowBody, now = new Date()): Promise<FlowStarted> {
  const definition = toDefinition(body.name, body);
  await judgeDefinition(caller, definition);
  const doc: FlowDoc = {
    _id: new ObjectId(),
    workspaceId: caller.workspaceId,
    name: body.name,
    ...definition,
    enabled: body.enabled,
    checkpoints: [],
    createdBy: caller.user._id,
    createdAt: now,
    updatedAt: now,
  };
  // The first tick deletes a schedule without a flow; a flow without its schedule would never run.
  if (body.schedule) await putFlowSchedule(caller, doc._id, body.schedule);
  await collections.flows().insertOne(doc);
  publishFlowEvent(doc);
  const isRun = body.trigger && doc.type !== "webhook";
  const run = isRun ? await startRun(caller, doc, {}) : null;
  return { flow: await withOwnRunStatus(caller, doc), run };
}

/**
 * Updates a flow. Requires its creator or an admin. The definition can change only while no run is active.
 * @throws AppError `not_found`, `forbidden`, `invalid_request`, `read_only`, `already_running`, `conflict`
 */
export async function updateFlow(caller: Caller, flowId: ObjectId, body: UpdateFlowBody): Promise<Flow> {
  const { workspaceId } = caller;
  const doc = await getFlowDocOrThrow(caller, flowId);
  requireControl(caller, doc);
  if (body.updatedAt !== undefined && Date.parse(body.updatedAt) !== doc.updatedAt.getTime()) throw hasChanged();
  const changesWork = body.source !== undefined || body.destination !== undefined || body.mode !== undefined;
  let definition: FlowDefinition = doc;
  if (changesWork) {
    definition = mergeDefinition(doc, body);
    await judgeDefinition(caller, definition);
    if (await findUnfinishedRun(resourceOf(doc))) {
      throw new AppError("already_running", "The flow is running. Wait for the run to end, or cancel it.");
    }
  }
  const { type: _, ...work } = pickDefinition(definition);
  const resource = { resourceType: RESOURCE_TYPE, resourceId: flowId };
  if (body.schedule) await putFlowSchedule(caller, flowId, body.schedule);
  if (body.schedule === null) await removeSchedule(caller, resource);
  const updatedAt = new Date(Math.max(Date.now(), doc.updatedAt.getTime() + 1));
  const updated = await collections.flows().findOneAndUpdate(
    { _id: flowId, workspaceId, updatedAt: doc.updatedAt },
    {
      $set: {
        name: body.name ?? doc.name,
        enabled: body.enabled ?? doc.enabled,
        ...(changesWork && (work as Partial<FlowDoc>)),
        // Entities that are no longer read have no position.
        ...(changesWork && {
          checkpoints: doc.checkpoints.filter(({ load }) => loadNamesOf(flowId, definition).includes(load)),
        }),
        updatedAt,
      },
    },
    { returnDocument: "after" },
  );
  if (!updated) {
    await getFlowDocOrThrow(caller, flowId);
    throw hasChanged();
  }
  publishFlowEvent(updated);
  return withOwnRunStatus(caller, updated);
}

/**
 * Deletes a flow and cancels its active run. The rows that it has written remain.
 * @throws AppError `not_found`, `forbidden`
 */
export async function deleteFlow(caller: Caller, flowId: ObjectId): Promise<void> {
  const { workspaceId, user } = caller;
  const doc = await getFlowDocOrThrow(caller, flowId);
  requireControl(caller, doc);
  // First, so that no run of it is queued from here on.
  const { deletedCount } = await collections.flows().deleteOne({ _id: flowId, workspaceId });
  if (deletedCount === 0) throw noSuchFlow();
  await removeSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId: flowId });
  await dropWebhook(workspaceId, flowId);
  const resource = resourceOf(doc);
  await cancelUnfinished(resource, user._id);
  await followDeletion(resource);
  publishFlowEvent(doc);
}

function hasChanged(): AppError {
  return new AppError("conflict", "Someone else changed this flow. Reload it.");
}

/** @throws AppError `invalid_request` with the path of the flow's schedule */
async function putFlowSchedule(caller: Caller, resourceId: ObjectId, body: ScheduleBody): Promise<void> {
  try {
    await putSchedule(caller, { resourceType: RESOURCE_TYPE, resourceId }, body);
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    const details = error.details.map((each) => ({ ...each, path: `schedule.${"path" in each ? each.path : ""}` }));
    throw new AppError(error.kind, error.message, { cause: error, details: details as InputProblem[] });
  }
}

/** Returns which of these flows exist: every member sees all of the workspace's. */
export async function visibleFlowIds({ workspaceId }: Caller, ids: ObjectId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const docs = collections.flows().find({ workspaceId, _id: { $in: ids } }, { projection: { _id: 1 } });
  return new Set(await docs.map(({ _id }) => _id.toHexString()).toArray());
}

/** Returns the workspace's flows that read or write a connection. */
export async function listFlowUses({ workspaceId }: Caller, connectionId: ObjectId): Promise<Use[]> {
  const docs = await collections
    .flows()
    .find(
      { workspaceId, $or: [{ "source.connectionId": connectionId }, { "destination.connectionId": connectionId }] },
      { projection: { name: 1 } },
    )
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return docs.map(({ _id, name }) => ({ kind: "flow", id: _id.toHexString(), name }));
}

/** Counts the workspace's flows that read or write a connection. @param max stops the count */
export function countFlowsOn({ workspaceId }: Caller, connectionId: ObjectId, max: number): Promise<number> {
  const uses = [{ "source.connectionId": connectionId }, { "destination.connectionId": connectionId }];
  return collections.flows().countDocuments({ workspaceId, $or: uses }, { limit: max });
}

function mergeDefinition(doc: FlowDoc, { source, destination, mode }: UpdateFlowBody): FlowDefinition {
  const kept = pickDefinition(doc);
  if (doc.type === "webhook" && source !== undefined) {
    throw new AppError("invalid_request", "Webhook flows have no source.", {
      details: [{ path: "source", message: "Not allowed for this flow type." }],
    });
  }
  return toDefinition(doc.name, {
    type: doc.type,
    source: (source ?? inBodyForm(kept.source)) as never,
    destination: destination ?? { ...kept.destination, connectionId: kept.destination.connectionId.toHexString() },
    mode: mode ?? kept.mode,
  });
}

function inBodyForm(source: FlowDefinition["source"]) {
  return source && { ...source, connectionId: source.connectionId.toHexString() };
}

function pickDefinition({ type, source, destination, mode }: FlowDefinition): FlowDefinition {
  return { type, source, destination, mode } as FlowDefinition;
}

function toCheckpoint({ mode, type, checkpoints }: FlowDoc): FlowDetail["checkpoint"] {
  if (type !== "sync" || mode !== "incremental") return null;
  const shown = checkpoints.flatMap(({ entity, value, at }) =>
    value === null ? [] : [{ entity, value: shownCheckpoint(JSON.parse(value)), updatedAt: at.toISOString() }],
  );
  return shown.length > 0 ? shown : null;
}

function requireControl({ user, role }: Caller, doc: FlowDoc): void {
  if (isAtLeast(role, "admin") || doc.createdBy.equals(user._id)) return;
  throw new AppError("forbidden", "Only the flow's creator, admins and owners can change it.");
}
