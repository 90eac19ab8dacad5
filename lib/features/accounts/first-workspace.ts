import "server-only";
import type { ObjectId } from "mongodb";
import { WORKSPACE_NAME_MAX } from "@/lib/features/workspaces/limits";
import type { Workspace } from "@/lib/features/workspaces/schema";
import { createWorkspaceOf } from "@/lib/features/workspaces/service";

const SUFFIX = "'s workspace";

/** Creates the first workspace of a new account (docs/develop/api.md, Accounts). @param name the user's name */
export function createFirstWorkspace(name: string, userId: ObjectId, now: Date): Promise<Workspace> {
  const first = (name.split(/\s+/)[0] ?? name).slice(0, WORKSPACE_NAME_MAX - SUFFIX.length);
  return createWorkspaceOf(userId, `${first}${SUFFIX}`, now);
}

/** Derives a name from an email address: ana.lopez@example.com becomes Ana Lopez. */
export function nameFromEmail(email: string): string {
  const local = email.slice(0, email.indexOf("@"));
  const words = local.split(/[._+-]+/).filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || local;
}
