import type { ObjectId } from "mongodb";
import type { Role } from "@/lib/platform/access/roles";
import type { Workspace } from "./schema";

export type WorkspaceDoc = {
  _id: ObjectId;
  name: string;
  slug: string;
  createdAt: Date;
  updatedAt: Date;
  /** Set while its data is being deleted; it has no members then. */
  deletedAt?: Date;
};

/** A member of a workspace and their role. */
export type MembershipDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  role: Role;
  joinedAt: Date;
  /** Last activity of the user in the workspace, to a few minutes (`noteSeen`); absent before the first. */
  lastSeenAt?: Date;
};

export function toWorkspace(doc: WorkspaceDoc, role: Role): Workspace {
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    slug: doc.slug,
    role,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
