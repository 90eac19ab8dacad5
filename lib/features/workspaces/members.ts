import "server-only";
import type { ClientSession, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast, type Role } from "@/lib/platform/access/roles";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import type { MembershipDoc } from "./model";
import type { UpdatedMember } from "./schema";

/** What the domains above do when a member's role changes, in the same transaction; `after` is null for who leaves. */
export type FollowRoleChange = (
  workspaceId: ObjectId,
  userId: ObjectId,
  change: { before: Role; after: Role | null },
  session: ClientSession,
) => Promise<void>;

/**
 * Gives a member another role (docs/develop/api.md, Workspaces; T27, T28). Admins may; only an owner makes or unmakes an owner.
 * With a right to give roles end the invitations that go with it.
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
      throw new AppError("forbidden", "Only an owner can make or unmake an owner.");
    }
    if (membership.role === "owner") await requireAnotherOwner(workspaceId, userId, session);
    await collections.memberships().updateOne({ _id: membership._id, workspaceId }, { $set: { role } }, { session });
    await follow(workspaceId, userId, { before: membership.role, after: role }, session);
    return toUpdatedMember({ ...membership, role });
  });
}

/**
 * Takes somebody out of the workspace; anybody may take out themselves.
 * @param follow what the domains above do about it: API keys and invitations end with the membership
 * @throws AppError `not_found`, `forbidden`, `last_owner`
 */
export function removeMember(caller: Caller, userId: ObjectId, follow: FollowRoleChange): Promise<void> {
  const { workspaceId } = caller;
  return inTransaction(async (session) => {
    const isSelf = caller.user._id.equals(userId);
    if (!isSelf && !isAtLeast(caller.role, "admin")) {
      throw new AppError("forbidden", "Only an owner or admin of the workspace can do this.");
    }
    const membership = await getMembershipOrThrow(workspaceId, userId, session);
    if (membership.role === "owner" && !isSelf && caller.role !== "owner") {
      throw new AppError("forbidden", "Only an owner can remove an owner.");
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
 * Two owners who demote each other at once must not both succeed, and each one's transaction would still see the
 * other as owner. Writing the workspace first makes the two conflict, so that one of them is done again.
 */
async function requireAnotherOwner(workspaceId: ObjectId, userId: ObjectId, session: ClientSession): Promise<void> {
  await collections.workspaces().updateOne({ _id: workspaceId }, { $set: { updatedAt: new Date() } }, { session });
  const others = await collections
    .memberships()
    .countDocuments({ workspaceId, role: "owner", userId: { $ne: userId } }, { session, limit: 1 });
  if (others === 0) {
    throw new AppError("last_owner", "A workspace needs an owner. Make somebody else an owner first.");
  }
}
