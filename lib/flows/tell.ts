import "server-only";
import { publish } from "@/lib/events/publish";
import { type FlowDoc, RESOURCE_TYPE } from "./model";

/** Tells those who look on that a flow itself has changed: an event of runs that names none. */
export function tellFlow({ workspaceId, _id }: Pick<FlowDoc, "workspaceId" | "_id">): void {
  publish({ workspaceId, kind: "run", resourceType: RESOURCE_TYPE, resourceId: _id });
}
