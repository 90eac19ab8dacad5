import "server-only";
import { publish } from "@/lib/platform/events/publish";
import { type FlowDoc, RESOURCE_TYPE } from "./model";

/** Publishes a change of the flow itself: an event of runs that names none. */
export function publishFlowEvent({ workspaceId, _id }: Pick<FlowDoc, "workspaceId" | "_id">): void {
  publish({ workspaceId, kind: "run", resourceType: RESOURCE_TYPE, resourceId: _id });
}

/** Interval in which events of a webhook are published together, in ms, since they come in bursts. */
const GATHER_MS = 500;
const waiting = new Set<string>();

/** Publishes a change after a short delay, once for all changes until then. */
export function publishFlowEventSoon({ workspaceId, _id }: Pick<FlowDoc, "workspaceId" | "_id">): void {
  const key = _id.toHexString();
  if (waiting.has(key)) return;
  waiting.add(key);
  setTimeout(() => {
    waiting.delete(key);
    publishFlowEvent({ workspaceId, _id });
  }, GATHER_MS).unref();
}
