import "server-only";
import { findRole } from "@/lib/features/workspaces/memberships";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";

/**
 * Requires that the caller still has the role with which their request was admitted. Minutes may pass before a person
 * decides on a change.
 * @throws AppError `forbidden`
 */
export async function requireSameRole({ workspaceId, user, role }: Caller): Promise<void> {
  if ((await findRole(workspaceId, user._id)) === role) return;
  throw new AppError("forbidden", "Your role in this workspace changed. Try again.");
}
