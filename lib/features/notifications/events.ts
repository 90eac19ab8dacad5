import "server-only";
import { ObjectId } from "mongodb";
import type { RunResource } from "@/lib/features/runs/model";
import { publish, writeNow } from "@/lib/platform/events/publish";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import { type DeliveryDoc, toDelivery } from "./model";
import { findReaders, type Readers } from "./resources";

/**
 * Interval in which changes are published together, in ms: two queries for all of them, however many deliveries there
 * are.
 */
const GATHER_MS = 100;
/** Minimum interval of events while deliveries keep changing, in ms. */
const EVERY_MS = 500;
/** Maximum number of deliveries read for one event. */
const GROUP_MAX = 500;
/** Maximum number of deliveries that wait while the store is unavailable; clients that reconnect reload everything. */
const WAITING_MAX = 5_000;

export type DeliveryEvents = {
  /** Deliveries by id: of several changes of one, only the last is published. */
  waiting: Map<string, Pick<DeliveryDoc, "_id" | "workspaceId">>;
  publishing: Promise<void>;
  timer: NodeJS.Timeout | null;
  publishedAt: number;
  isAtShutdown: boolean;
};

/**
 * Publishes new and changed deliveries to the users who may see them. Never fails or waits. Call it after the write:
 * the event is built from the store, a moment later.
 */
export function publishDeliveryEvents(changed: readonly Pick<DeliveryDoc, "_id" | "workspaceId">[]): void {
  if (changed.length === 0) return;
  const state = shared();
  for (const { _id, workspaceId } of changed) state.waiting.set(_id.toHexString(), { _id, workspaceId });
  for (const id of state.waiting.keys()) {
    if (state.waiting.size <= WAITING_MAX) break;
    state.waiting.delete(id);
  }
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(async () => {
      await publishDeliveriesNow();
      await writeNow();
    });
  }
  // Does not keep the process alive: the shutdown publishes the rest.
  const pauseMs = Math.max(GATHER_MS, state.publishedAt + EVERY_MS - performance.now());
  state.timer ??= setTimeout(() => {
    state.timer = null;
    state.publishedAt = performance.now();
    void publishDeliveriesNow();
  }, pauseMs).unref();
}

/** Publishes a change of a resource's rules to the users who may see them: an event that names no delivery. */
export async function publishRulesEvent({ workspaceId, resourceType, resourceId }: RunResource): Promise<void> {
  try {
    const readers = await findReaders(workspaceId, resourceType, resourceId);
    if (readers !== "nobody") publish({ workspaceId, kind: "delivery", resourceType, resourceId, ...onlyTo(readers) });
  } catch (error) {
    log.warn({ err: error }, "failed to publish a rule change");
  }
}

/** Resolves when all changes before the call are published. */
export function publishDeliveriesNow(): Promise<void> {
  const state = shared();
  state.publishing = state.publishing.then(async () => {
    const changed = [...state.waiting.values()];
    state.waiting.clear();
    const byWorkspace = Map.groupBy(changed, ({ workspaceId }) => workspaceId.toHexString());
    for (const [workspaceId, ofWorkspace] of byWorkspace) {
      for (let start = 0; start < ofWorkspace.length; start += GROUP_MAX) {
        const ids = ofWorkspace.slice(start, start + GROUP_MAX).map(({ _id }) => _id);
        await publishGroup(new ObjectId(workspaceId), ids).catch((error: unknown) =>
          log.warn({ err: error, deliveries: ids.length }, "failed to publish delivery changes"),
        );
      }
    }
  });
  return state.publishing;
}

async function publishGroup(workspaceId: ObjectId, ids: ObjectId[]): Promise<void> {
  const docs = await collections
    .deliveries()
    .find({ _id: { $in: ids }, workspaceId }, { projection: { body: 0, attemptLog: 0 } })
    .sort({ _id: 1 })
    .toArray();
  // Asked now rather than when the run was queued: a console may have become private or shared since.
  const readersOf = new Map<string, Readers>();
  for (const doc of docs) {
    const { resourceType, resourceId } = doc;
    const readers =
      readersOf.get(resourceId.toHexString()) ?? (await findReaders(workspaceId, resourceType, resourceId));
    readersOf.set(resourceId.toHexString(), readers);
    if (readers === "nobody") continue;
    const data = { delivery: toDelivery(doc) };
    publish({ workspaceId, kind: "delivery", resourceType, resourceId, ...onlyTo(readers), data });
  }
}

function onlyTo(readers: "everybody" | ObjectId): { onlyFor?: ObjectId } {
  return readers === "everybody" ? {} : { onlyFor: readers };
}

const shared = serverMember("deliveryEvents", () => ({
  waiting: new Map(),
  publishing: Promise.resolve(),
  timer: null,
  publishedAt: Number.NEGATIVE_INFINITY,
  isAtShutdown: false,
}));
