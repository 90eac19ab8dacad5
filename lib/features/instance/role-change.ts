import "server-only";
import { deleteKeysOf } from "@/lib/features/accounts/api-key-service";
import { deleteAppsOf } from "@/lib/features/accounts/connected-apps/service";
import { endInvitesOf } from "@/lib/features/accounts/invites/service";
import type { FollowRoleChange } from "@/lib/features/workspaces/members";

/** Revokes what a user granted: invitations when the role is lost, keys and connected apps when the membership ends. */
export const followRoleChange: FollowRoleChange = async (workspaceId, userId, change, session) => {
  if (change.after === null) {
    await deleteKeysOf(workspaceId, userId, session);
    await deleteAppsOf(workspaceId, userId, session);
  }
  await endInvitesOf(workspaceId, userId, change, session);
};
