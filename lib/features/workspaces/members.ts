import "server-only";
import type { ClientSession, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast, type Role } from "@/lib/platform/access/roles";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import type { MembershipDoc } from "./model";
import type { UpdatedMember } from "./schema";

/**
 * Follow-up of the higher domains to a changed role, in the same transaction; `after` is null for a member who leaves.
 */
export type FollowRoleChange = (
  workspaceId: ObjectId,
  userId: ObjectId,
  change: { before: Role; after: Role | null },
  session: ClientSession,
) => Promise<void>;

/**
 * Changes a member's role (docs/develop/api.md, Workspaces; T27, T28). Admins may; only an owner grants or removes the
 * role owner. Losing a right to grant roles ends the invitations that depend on it.
 * @throws AppError `not_found`, `forbidden`, `last_owner`
 */
export function updateMemberRole(
  caller: Caller,
  userId: ObjectId,
  role: Role,
  follow: FollowRoleChange,
): Promise<UpdatedMember> {
  const { workspaceId } = caller;
  return inTransaction(async (session) => {
    const membership = await getMembershipOrThrow(workspaceId, userId, session);
    if (membership.role === role) return toUpdatedMember(membership);
    const touchesOwner = membership.role === "owner" || role === "owner";
    if (touchesOwner && caller.role !== "owner") {
      throw new AppError("forbidden", "Only owners can grant or revoke the owner role.");
    }
    if (membership.role === "owner") await requireAnotherOwner(workspaceId, userId, session);
    await collections.memberships().updateOne({ _id: membership._id, workspaceId }, { $set: { role } }, { session });
    await follow(workspaceId, userId, { before: membership.role, after: role }, session);
    return toUpdatedMember({ ...membership, role });
  });
}

/**
 * Removes a member from the workspace; every member may remove themselves.
 * @param follow the follow-up of the higher domains: API keys and invitations end with the membership
 * @throws AppError `not_found`, `forbidden`, `last_owner`
 */
export function removeMember(caller: Caller, userId: ObjectId, follow: FollowRoleChange): Promise<void> {
  const { workspaceId } = caller;
  return inTransaction(async (session) => {
    const isSelf = caller.user._id.equals(userId);
    if (!isSelf && !isAtLeast(caller.role, "admin")) {
      throw new AppError("forbidden", "Only owners and admins can do this.");
    }
    const membership = await getMembershipOrThrow(workspaceId, userId, session);
    if (membership.role === "owner" && !isSelf && caller.role !== "owner") {
      throw new AppError("forbidden", "Only owners can remove owners.");
    }
    if (membership.role === "owner") await requireAnotherOwner(workspaceId, userId, session);
    await collections.memberships().deleteOne({ _id: membership._id, workspaceId }, { session });
    await follow(workspaceId, userId, { before: membership.role, after: null }, session);
  });
}

function toUpdatedMember({ userId, role, joinedAt }: MembershipDoc): UpdatedMember {
  return { userId: userId.toHexString(), role, joinedAt: joinedAt.toISOString() };
}

async function getMembershipOrThrow(
  workspaceId: ObjectId,
  userId: ObjectId,
  session: ClientSession,
): Promise<MembershipDoc> {
  const membership = await collections.memberships().findOne({ workspaceId, userId }, { session });
  if (!membership) throw new AppError("not_found", "This person is not a member of the workspace.");
  return membership;
}

/**
 * Ensures another owner. Two owners who demote each other at once must not both succeed, and each one's transaction
 * would still see the other as owner. Writing the workspace first makes the two conflict, so that one of them is
 * retried.
 */
async function requireAnotherOwner(workspaceId: ObjectId, userId: ObjectId, session: ClientSession): Promise<void> {
  await collections.workspaces().updateOne({ _id: workspaceId }, { $set: { updatedAt: new Date() } }, { session });
  const others = await collections
    .memberships()
    .countDocuments({ workspaceId, role: "owner", userId: { $ne: userId } }, { session, limit: 1 });
  if (others === 0) {
    throw new AppError("last_owner", "A workspace needs an owner. Make someone else an owner first.");
  }
}
