import "server-only";
import { type ClientSession, type Document, ObjectId } from "mongodb";
import { isKnownRole, type Role } from "@/lib/platform/access/roles";
import { collections } from "./collections";
import { SEEN_EVERY_SECONDS } from "./limits";
import type { MembershipDoc } from "./model";

/** Field that the stages below add to a document: the user's membership, or none. */
export type WithMembership = { membership: [MembershipDoc?] };

/**
 * Returns a pipeline stage that puts a user's membership of one workspace in `membership`.
 * @param userField the field with the user's id
 * @param workspaceId null finds none
 */
export function lookUpMembership(userField: string, workspaceId: ObjectId | null): Document {
  return joined(userField, { pipeline: [{ $match: { workspaceId } }] });
}

/** Returns the same stage for documents of a workspace, which name it in `workspaceId`. */
export function lookUpMembershipOf(userField: string): Document {
  return joined(userField, {
    let: { workspaceId: "$workspaceId" },
    pipeline: [{ $match: { $expr: { $eq: ["$workspaceId", "$$workspaceId"] } } }],
  });
}

function joined(userField: string, narrowed: Document): Document {
  const from = collections.memberships.collectionName;
  return { $lookup: { from, localField: userField, foreignField: "userId", ...narrowed, as: "membership" } };
}

/** Returns the user's membership of the workspace; null for a user who is not a member. */
export function findMembership(
  workspaceId: ObjectId,
  userId: ObjectId,
  session?: ClientSession,
): Promise<MembershipDoc | null> {
  return collections.memberships().findOne({ workspaceId, userId }, { session });
}

/**
 * Returns the user's role in the workspace; null if they are not a member, and for a role that this version does not
 * know.
 */
export async function findRole(workspaceId: ObjectId, userId: ObjectId, session?: ClientSession): Promise<Role | null> {
  const role = (await findMembership(workspaceId, userId, session))?.role;
  return isKnownRole(role) ? role : null;
}

/** Returns a look-up of the roles of users in workspaces, all read at once; null for a user who is not a member. */
export async function findRoles(
  pairs: readonly { workspaceId: ObjectId; userId: ObjectId }[],
): Promise<(workspaceId: ObjectId, userId: ObjectId) => Role | null> {
  const roles = new Map<string, Role>();
  const keyOf = (workspaceId: ObjectId, userId: ObjectId) => `${workspaceId.toHexString()} ${userId.toHexString()}`;
  if (pairs.length > 0) {
    const docs = await collections
      .memberships()
      .find(
        {
          workspaceId: { $in: pairs.map(({ workspaceId }) => workspaceId) },
          userId: { $in: pairs.map(({ userId }) => userId) },
        },
        { projection: { workspaceId: 1, userId: 1, role: 1 } },
      )
      .toArray();
    for (const { workspaceId, userId, role } of docs)
      if (isKnownRole(role)) roles.set(keyOf(workspaceId, userId), role);
  }
  return (workspaceId, userId) => roles.get(keyOf(workspaceId, userId)) ?? null;
}

/**
 * Records that a member is present in person. Most calls do nothing; of several concurrent ones one writes. It never
 * fails, and callers need not wait for a date that is only displayed.
 * @param membership as it was just read
 */
export async function noteSeen({ _id, workspaceId, lastSeenAt }: MembershipDoc, now: Date): Promise<void> {
  const due = new Date(now.getTime() - SEEN_EVERY_SECONDS * 1000);
  if (lastSeenAt && lastSeenAt > due) return;
  await collections
    .memberships()
    .updateOne(
      { _id, workspaceId, $or: [{ lastSeenAt: { $exists: false } }, { lastSeenAt: { $lte: due } }] },
      { $set: { lastSeenAt: now } },
    )
    .catch(() => undefined);
}

/**
 * Makes a user a member. A member keeps their current role.
 * @returns the effective role
 */
export async function join(
  workspaceId: ObjectId,
  userId: ObjectId,
  role: Role,
  { session, now }: { session: ClientSession; now: Date },
): Promise<Role> {
  const membership = await collections
    .memberships()
    .findOneAndUpdate(
      { workspaceId, userId },
      { $setOnInsert: { _id: new ObjectId(), role, joinedAt: now } },
      { upsert: true, returnDocument: "after", session },
    );
  return membership?.role ?? role;
}
