import "server-only";
import { ObjectId } from "mongodb";
import type { Caller, Person } from "@/lib/platform/access/caller";
import { log } from "@/lib/platform/log";
import { sharedState } from "@/lib/platform/process/shared-state";

/** What a new workspace begins with beyond the sample's connection. */
export type BeginWorkspace = (owner: Caller) => Promise<void>;

/** Says what that is: the start gives it, since what can be in a workspace stands above it. */
export function beginWorkspacesBy(begin: BeginWorkspace): void {
  holder().begin = begin;
}

/** Call it when the workspace and its owner are there, and before anybody has seen it. Without it the workspace is whole, too. */
export async function beginWorkspace(workspaceId: ObjectId, user: Person): Promise<void> {
  const via = { kind: "job" as const, runId: new ObjectId() };
  try {
    await holder().begin?.({ workspaceId, role: "owner", user, via });
  } catch (error) {
    log.error({ err: error, workspaceId: workspaceId.toHexString() }, "a new workspace begins without its sample");
  }
}

function holder(): { begin: BeginWorkspace | null } {
  return sharedState("workspaces.beginning", () => ({ begin: null }));
}
