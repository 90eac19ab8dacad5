import "server-only";
import { ObjectId } from "mongodb";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { readDatasets, refreshDataset } from "@/lib/features/results/datasets/service";
import type { ScheduleDoc } from "@/lib/features/runs/schedules/model";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { isShuttingDown, onShutdown } from "@/lib/platform/process/shutdown";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { collections } from "../collections";
import { publishAppEvent } from "../events";
import type { BindingDoc, BindingSetDoc } from "../model";
import { getAppDocOrThrow } from "../service";
import { type Build, toBuild } from "./build";
import { originOf, publishedOwner, publishedPlace, resolveBinding } from "./places";
import { bindingIn, findLiveSet, settleBindings } from "./published";
import { PUBLISHER_LEFT, wordsOf } from "./words";

/** Event that makes the job runner refresh the rows of a binding. */
export const BINDING_QUEUED_EVENT = "app/binding.queued";
export type BindingQueued = { workspaceId: string; bindingId: string };
const WOKEN_AT_ONCE = 20;

/**
 * Refreshes the published rows of a binding in the background, with the rights of the app's publisher. Concurrent
 * requests share one refresh.
 * @throws AppError not_found for an unknown app, and for a binding that is not published
 */
export async function startBindingRefresh(caller: Caller, ref: string, name: string): Promise<Build> {
  const app = await getAppDocOrThrow(caller, ref);
  const set = await findLiveSet(app);
  const kept = set?.bindings.find((each) => each.name === name);
  const { workspaceId, _id: appId } = app;
  const doc = await collections.appBindings().findOne({ workspaceId, appId, name });
  if (!set || !kept || !doc) {
    throw new AppError("not_found", "This binding is not published. Publish the app first.");
  }
  const queued = await queue(doc);
  publishAppEvent(app);
  const datasets = await readDatasets(publishedOwner(app), new Map([[kept.sourceKey, kept.sourceKey]]));
  return toBuild(datasets.get(kept.sourceKey), queued.doc, set.sha);
}

/** Queues a refresh for a tick of a binding's schedule (`lib/features/runs/schedules/tick`). */
export async function queueBindingTick(
  schedule: ScheduleDoc,
  tick: Date,
): Promise<"queued" | "busy" | "away" | "gone"> {
  const { workspaceId, resourceId, cron, timezone } = schedule;
  const doc = await collections.appBindings().findOne({ _id: resourceId, workspaceId });
  if (!doc) return "gone";
  const app = { workspaceId, _id: doc.appId };
  const set = await findLiveSet(app);
  const wanted = (set && bindingIn(set, doc.name)?.schedule) ?? null;
  if (!wanted) return "gone";
  if (wanted.cron !== cron || wanted.timezone !== timezone) {
    // The schedule belongs to a commit that is no longer live.
    await settleBindings(app);
    return "away";
  }
  // Another server queued it and died before it could report that.
  if (doc.lastTick && doc.lastTick >= tick) return "queued";
  return (await queue(doc, tick)).isNew ? "queued" : "busy";
}

/**
 * Runs the queued refresh of a binding. Safe to call twice and concurrently: one call reads, the other waits for it. A
 * read error is stored beside the old rows.
 * @throws errors outside the binding, such as this server's shutdown: the refresh then stays queued and is started
 *   again
 */
export async function executeBindingRefresh(queued: BindingQueued): Promise<void> {
  if (isShuttingDown()) return;
  const workspaceId = new ObjectId(queued.workspaceId);
  const bindingId = new ObjectId(queued.bindingId);
  const doc = await collections.appBindings().findOne({ _id: bindingId, workspaceId });
  if (!doc?.queuedAt) return;
  const stop = new AbortController();
  const forget = onShutdown(() => stop.abort(new AppError("cancelled", "The server is stopping.")));
  let failure: BindingDoc["failure"] | null = null;
  try {
    await readAnew(doc, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    failure = { message: wordsOf(error), at: new Date() };
  } finally {
    forget();
  }
  await collections
    .appBindings()
    .updateOne(
      { _id: bindingId, workspaceId, queuedAt: doc.queuedAt },
      { $unset: { queuedAt: "", ...(failure === null && { failure: "" }) }, ...(failure && { $set: { failure } }) },
    );
  const app = await collections.apps().findOne({ _id: doc.appId, workspaceId });
  if (app) publishAppEvent(app);
}

/**
 * Wakes the job runner for refreshes that were queued longer than a lease ago and are not being read: the runner was
 * away, or a server died.
 */
export async function wakeBindings(now = new Date()): Promise<void> {
  const waiting = await collections
    .appBindings()
    .find({ queuedAt: { $lt: new Date(now.getTime() - LEASE_MS) } })
    .sort({ queuedAt: 1 })
    .limit(WOKEN_AT_ONCE)
    .toArray();
  for (const doc of waiting) {
    const { _id, workspaceId, queuedAt } = doc;
    if (await isBeingRead(doc)) continue;
    const again = await collections
      .appBindings()
      .findOneAndUpdate({ _id, workspaceId, queuedAt }, { $set: { queuedAt: now } }, { returnDocument: "after" });
    if (again) await wake(again);
  }
}

async function readAnew(doc: BindingDoc, signal: AbortSignal): Promise<void> {
  const { workspaceId, appId, name } = doc;
  const app = { workspaceId, _id: appId };
  const set = await findLiveSet(app);
  const binding = set && bindingIn(set, name);
  // The live version no longer has this binding.
  if (!set || !binding) return;
  const [publisher, appDoc] = await Promise.all([
    callerOfJob(workspaceId, set.publisherId, doc._id),
    collections.apps().findOne(app),
  ]);
  if (!appDoc) return;
  if (!publisher) throw new AppError("forbidden", PUBLISHER_LEFT);
  const place = publishedPlace(app, sourceKeyIn(set, name));
  await refreshDataset(publisher, place, await resolveBinding(publisher, binding, originOf(appDoc)), signal);
}

async function isBeingRead({ workspaceId, appId, name }: BindingDoc): Promise<boolean> {
  const app = { workspaceId, _id: appId };
  const set = await findLiveSet(app);
  if (!set || !bindingIn(set, name)) return false;
  const sourceKey = sourceKeyIn(set, name);
  const datasets = await readDatasets(publishedOwner(app), new Map([[sourceKey, sourceKey]]));
  return datasets.get(sourceKey)?.isRefreshing === true;
}

function sourceKeyIn({ bindings }: BindingSetDoc, name: string): string {
  return bindings.find((each) => each.name === name)?.sourceKey ?? "";
}

async function queue(doc: BindingDoc, tick?: Date): Promise<{ doc: BindingDoc; isNew: boolean }> {
  const { _id, workspaceId } = doc;
  const queued = await collections
    .appBindings()
    .findOneAndUpdate(
      { _id, workspaceId, queuedAt: { $exists: false } },
      { $set: { queuedAt: new Date(), ...(tick && { lastTick: tick }) } },
      { returnDocument: "after" },
    );
  if (queued) await wake(queued);
  return queued ? { doc: queued, isNew: true } : { doc, isNew: false };
}

/** Sends the event. After a failure the refresh stays queued, and the sweeper finds it. */
async function wake({ _id, workspaceId, queuedAt }: BindingDoc): Promise<void> {
  const data: BindingQueued = { workspaceId: workspaceId.toHexString(), bindingId: _id.toHexString() };
  const id = `${BINDING_QUEUED_EVENT}:${data.bindingId}:${queuedAt?.getTime() ?? 0}`;
  try {
    await sendJobEvents([{ name: BINDING_QUEUED_EVENT, id, data }]);
  } catch (error) {
    log.warn({ err: error, bindingId: data.bindingId }, "a refresh is delayed: the job runner is not accepting events");
  }
}
