import type { ObjectId } from "mongodb";
import type { Role } from "@/lib/platform/access/roles";
import type { Workspace } from "./schema";

export type WorkspaceDoc = {
  _id: ObjectId;
  name: string;
  slug: string;
  createdAt: Date;
  updatedAt: Date;
  /** Set while what belongs to it is being removed; nobody is a member by then. */
  deletedAt?: Date;
};

/** Who belongs to a workspace, and as what. */
export type MembershipDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  role: Role;
  joinedAt: Date;
  /** When the person last did something in the workspace, to a few minutes (`noteSeen`); absent before the first time. */
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
