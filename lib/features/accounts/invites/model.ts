import type { ObjectId } from "mongodb";
import type { Role } from "@/lib/platform/access/roles";
import type { Invite } from "./schema";

/** `tokenHash` is the SHA-256 of the link's token, in hex. One open invitation per address and workspace. */
export type InviteDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  email: string;
  role: Role;
  invitedBy: ObjectId;
  tokenHash: string;
  createdAt: Date;
  expiresAt: Date;
};

export function toInvite(doc: InviteDoc): Invite {
  return {
    id: doc._id.toHexString(),
    email: doc.email,
    role: doc.role,
    invitedBy: doc.invitedBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    expiresAt: doc.expiresAt.toISOString(),
  };
}
