import "server-only";
import { deleteKeysOf } from "@/lib/features/accounts/api-key-service";
import { endInvitesOf } from "@/lib/features/accounts/invites/service";
import type { FollowRoleChange } from "@/lib/features/workspaces/members";

/** What somebody has handed out ends with the right to hand it out: invitations with the role, keys with the membership. */
export const followRoleChange: FollowRoleChange = async (workspaceId, userId, change, session) => {
  if (change.after === null) await deleteKeysOf(workspaceId, userId, session);
  await endInvitesOf(workspaceId, userId, change, session);
};
