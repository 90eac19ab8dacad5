import type { ObjectId } from "mongodb";
import type { Role } from "./roles";

/** A person, as far as what is done for them has to know. */
export type Person = { _id: ObjectId; email: string; name: string; createdAt: Date };

/** What somebody is in one workspace. */
export type Membership = { workspaceId: ObjectId; role: Role };

/** Signed in, in a browser. */
export type BySession = { kind: "session"; sessionId: ObjectId };
/** What a key may do of what its creator may: all of it, or only look. */
export const KEY_ACCESS = ["full", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];
/** With an API key. It acts as its creator, inside its one workspace: `membership` is the creator's there. */
export type ByKey = { kind: "key"; keyId: ObjectId; membership: Membership; access: KeyAccess };
/** By something that they have set up and that goes on without them: a schedule or a flow. */
export type ByJob = { kind: "job"; runId: ObjectId };
/** By what it is known who acts. */
export type Via = BySession | ByKey | ByJob;

/** Who asks for something of their own account, in no workspace. */
export type UserCaller<V extends Via = Via> = { user: Person; via: V };

/** Whether they may change nothing, whatever their role: queries of theirs only read. */
export function isReadOnly({ via }: { via: Via }): boolean {
  return via.kind === "key" && via.access !== "full";
}

/** Returns a key's access as stored. Anything but "full" only reads: a newer version may have kinds of its own. */
export function toKeyAccess(stored: unknown): KeyAccess {
  return stored === "full" ? "full" : "read";
}

/** Who acts in a workspace, and as what. The first argument of every function that does something for somebody. */
export type Caller<V extends Via = Via> = UserCaller<V> & Membership;

/**
 * Who sends a request, before it is judged whether they may: what a route's access makes a caller of. `membership` is
 * a key's own, or a person's in the workspace that the path names; null for who is no member of it.
 */
export type Identity = UserCaller & { membership: Membership | null };
