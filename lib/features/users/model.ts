import type { Person } from "@/lib/platform/access/caller";
import type { User } from "./schema";

/** An account. The password is stored separately (CredentialDoc), so that reading a user never includes its hash. */
export type UserDoc = Person & { emailVerified: Date | null; image?: string | null };

export function toUser(doc: Person): User {
  return { id: doc._id.toHexString(), email: doc.email, name: doc.name, createdAt: doc.createdAt.toISOString() };
}
