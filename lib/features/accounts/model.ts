import type { ObjectId } from "mongodb";
import type { KeyAccess } from "@/lib/platform/access/caller";
import type { Session } from "./schema";

/** Same _id as its user. Absent for a user who only signs in through a provider. */
export type CredentialDoc = { _id: ObjectId; passwordHash: string; changedAt: Date };

/** `sessionToken` is the SHA-256 of the cookie's value, in hex (T10). */
export type SessionDoc = {
  _id: ObjectId;
  sessionToken: string;
  userId: ObjectId;
  expires: Date;
  createdAt: Date;
  userAgent: string | null;
  address: string | null;
};

/** `hash` is the SHA-256 of the complete key, in hex (T16); `prefix` lets people recognise it. */
export type ApiKeyDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  createdBy: ObjectId;
  name: string;
  prefix: string;
  hash: string;
  /** Access as stored; see `toKeyAccess`. */
  access: KeyAccess;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
};

/** A one-time link; `tokenHash` is the SHA-256 of its token, in hex. */
export type PasswordResetDoc = { _id: ObjectId; userId: ObjectId; tokenHash: string; expiresAt: Date };

/** Single document about this installation. `adminId` is the first account, which may not exist yet. */
export type InstanceDoc = { _id: "instance"; adminId: ObjectId; claimedAt: Date };

export function toSession(doc: SessionDoc, currentId: ObjectId): Session {
  return {
    id: doc._id.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    expiresAt: doc.expires.toISOString(),
    userAgent: doc.userAgent,
    address: doc.address,
    isCurrent: doc._id.equals(currentId),
  };
}
