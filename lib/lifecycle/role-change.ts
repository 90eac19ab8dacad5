import "server-only";
import { deleteKeysOf } from "@/lib/auth/api-key-service";
import { endInvitesOf } from "@/lib/invites/service";
import type { FollowRoleChange } from "@/lib/workspaces/members";

/** What somebody has handed out ends with the right to hand it out: invitations with the role, keys with the membership. */
export const followRoleChange: FollowRoleChange = async (workspaceId, userId, change, session) => {
  if (change.after === null) await deleteKeysOf(workspaceId, userId, session);
  await endInvitesOf(workspaceId, userId, change, session);
};
