import type { ObjectId } from "mongodb";
import type { Role } from "./roles";

/** The facts about a user that acting for them requires. */
export type Person = { _id: ObjectId; email: string; name: string; createdAt: Date };

/** A user's role in one workspace. */
export type Membership = { workspaceId: ObjectId; role: Role };

/** A browser session. */
export type BySession = { kind: "session"; sessionId: ObjectId };
/** Access of a key: all of its creator's rights, or reading only. */
export const KEY_ACCESS = ["full", "read"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];
/** Permissions that a person gives to a client of the Model Context Protocol, in the order of the consent page. */
export const SCOPES = ["read", "write", "build"] as const;
export type Scope = (typeof SCOPES)[number];
/**
 * Caller with an API key, or with a connected app's access token. It acts as its creator, inside its one workspace:
 * `membership` is the creator's there. `scopes` limits a token further; a key has none.
 */
export type ByKey = {
  kind: "key";
  keyId: ObjectId;
  membership: Membership;
  access: KeyAccess;
  scopes?: readonly Scope[];
  /** The connected app, for a token. */
  appId?: ObjectId;
};
/** Caller of a job that the user set up and that runs without them: a schedule or a flow. */
export type ByJob = { kind: "job"; runId: ObjectId };
/** Evidence of the caller's identity. */
export type Via = BySession | ByKey | ByJob;

/** A caller for account requests, outside of a workspace. */
export type UserCaller<V extends Via = Via> = { user: Person; via: V };

/** Returns whether the caller may only read, regardless of their role: their queries are read-only. */
export function isReadOnly({ via }: { via: Via }): boolean {
  return via.kind === "key" && via.access !== "full";
}

/** Returns whether the caller is a connected app, which has only the permissions that its person gave. */
export function isConnectedApp({ via }: { via: Via }): boolean {
  return via.kind === "key" && via.scopes !== undefined;
}

/**
 * Returns whether the caller may use what needs this permission; only tokens of connected apps lack some.
 * @param scope null for what no permission covers: a write that no connected app may do
 */
export function hasScope(caller: { via: Via }, scope: Scope | null): boolean {
  const { via } = caller;
  if (via.kind === "key" && via.scopes) return scope !== null && via.scopes.includes(scope);
  return scope === "read" || !isReadOnly(caller);
}

/** Returns a key's access as stored. Anything but "full" is read-only: a newer version may have other kinds. */
export function toKeyAccess(stored: unknown): KeyAccess {
  return stored === "full" ? "full" : "read";
}

/** A caller in a workspace, with their role. First argument of every function that acts for a user. */
export type Caller<V extends Via = Via> = UserCaller<V> & Membership;

/**
 * Sender of a request before authorisation; the route's access turns it into a caller. `membership` is a key's
 * membership, or a user's in the workspace that the path names; null for a user who is not a member of it.
 */
export type Identity = UserCaller & { membership: Membership | null };
