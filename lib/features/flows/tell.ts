import "server-only";
import { publish } from "@/lib/platform/events/publish";
import { type FlowDoc, RESOURCE_TYPE } from "./model";

/** Tells those who look on that a flow itself has changed: an event of runs that names none. */
export function tellFlow({ workspaceId, _id }: Pick<FlowDoc, "workspaceId" | "_id">): void {
  publish({ workspaceId, kind: "run", resourceType: RESOURCE_TYPE, resourceId: _id });
}

/** Events of a webhook come in bursts; who looks on is told of a burst once. */
const GATHER_MS = 500;
const waiting = new Set<string>();

/** Tells soon, and once for all that happens until then. */
export function tellFlowSoon({ workspaceId, _id }: Pick<FlowDoc, "workspaceId" | "_id">): void {
  const key = _id.toHexString();
  if (waiting.has(key)) return;
  waiting.add(key);
  setTimeout(() => {
    waiting.delete(key);
    tellFlow({ workspaceId, _id });
  }, GATHER_MS).unref();
}
