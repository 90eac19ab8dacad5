import "server-only";
import { type ClientSession, type Document, ObjectId } from "mongodb";
import type { Role } from "@/lib/access/roles";
import { collections } from "./collections";
import type { MembershipDoc } from "./model";

/** What the stages below add to a document: the person's membership, or none. */
export type WithMembership = { membership: [MembershipDoc?] };

/**
 * The stage of a pipeline that puts a person's membership of one workspace in `membership`.
 * @param userField the field with the person's id
 * @param workspaceId null finds none
 */
export function lookUpMembership(userField: string, workspaceId: ObjectId | null): Document {
  return joined(userField, { pipeline: [{ $match: { workspaceId } }] });
}

/** The same for documents of a workspace, which name it in `workspaceId`. */
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

/** The person's role in the workspace; null for who is no member. */
export async function findRole(workspaceId: ObjectId, userId: ObjectId, session?: ClientSession): Promise<Role | null> {
  return (await collections.memberships().findOne({ workspaceId, userId }, { session }))?.role ?? null;
}

/**
 * Makes somebody a member. Who is one already keeps the role they have.
 * @returns the role that holds
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
