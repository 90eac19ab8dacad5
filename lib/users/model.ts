import type { ObjectId } from "mongodb";
import type { User } from "./schema";

/** An account. The password lies apart (CredentialDoc), so that reading a user can never carry its hash along. */
export type UserDoc = {
  _id: ObjectId;
  email: string;
  name: string;
  emailVerified: Date | null;
  image?: string | null;
  createdAt: Date;
};

export function toUser(doc: Pick<UserDoc, "_id" | "email" | "name" | "createdAt">): User {
  return { id: doc._id.toHexString(), email: doc.email, name: doc.name, createdAt: doc.createdAt.toISOString() };
}
