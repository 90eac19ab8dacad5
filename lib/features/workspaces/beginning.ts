import "server-only";
import { ObjectId } from "mongodb";
import type { Caller, Person } from "@/lib/platform/access/caller";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";

/** Creates the initial contents of a new workspace beyond the sample connection. */
export type BeginWorkspace = (owner: Caller) => Promise<void>;

/** Registers it: the start passes the function, since the contents of a workspace belong to higher domains. */
export function beginWorkspacesBy(begin: BeginWorkspace): void {
  holder().begin = begin;
}

/**
 * Creates the initial contents. Call it when the workspace and its owner exist, before anyone has seen it. The
 * workspace is valid without them, too.
 */
export async function beginWorkspace(workspaceId: ObjectId, user: Person): Promise<void> {
  const via = { kind: "job" as const, runId: new ObjectId() };
  try {
    await holder().begin?.({ workspaceId, role: "owner", user, via });
  } catch (error) {
    log.error(
      { err: error, workspaceId: workspaceId.toHexString() },
      "failed to add the sample shop to a new workspace",
    );
  }
}

const holder = serverMember("workspaceBeginning", () => ({ begin: null }));
