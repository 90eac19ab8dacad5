import type { ObjectId } from "mongodb";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import {
  type ByKey,
  type BySession,
  type Caller,
  type Identity,
  isReadOnly,
  type Membership,
  type UserCaller,
  type Via,
} from "./caller";
import { isAtLeast, type Role } from "./roles";

/**
 * A route's requirements on its caller.
 * - `open`: none; the handler decides. `keys: "refused"` marks routes that only people use (login).
 * - `user`: a signed-in user or, if `keys` allows it, a key.
 * - `key`: a key only, not a session: for protocols whose clients have nothing else.
 * - `workspace`: a role in the workspace that the path names.
 */
type Rule = OpenRule | UserRule | KeyRule | WorkspaceRule;
type OpenRule = { scope: "open"; keys: "ignored" | "refused" };
type UserRule = { scope: "user"; keys: boolean };
type KeyRule = { scope: "key" };
type WorkspaceRule = { scope: "workspace"; role: Role; keys: "as-creator" | "always" | "never" };

/**
 * Admits a caller with the required rights.
 * @param workspaceId that of the path; null if the path has none
 * @throws AppError `unauthenticated`, `forbidden`
 */
type Authorize<C> = (identity: Identity | null, workspaceId: ObjectId | null) => C;

/** A rule and its admitted callers: the type of a handler's caller follows from the access that its route declares. */
export type Access<C = unknown> = Rule & { authorize: Authorize<C> };
export type WorkspaceAccess<V extends Via = Via> = WorkspaceRule & { authorize: Authorize<Caller<V>> };

/** Admits everyone. */
export const open: Access<null> = { scope: "open", keys: "ignored", authorize: () => null };

/** Admits everyone without an API key: people's sign-in and sign-out. */
export const signIn: Access<null> = {
  scope: "open",
  keys: "refused",
  authorize(identity) {
    if (identity?.via.kind === "key") throw keyRefused();
    return null;
  },
};

/** Requires a signed-in user; API keys are refused (docs/develop/api.md, Common rules). */
export const account: Access<UserCaller<BySession>> = {
  scope: "user",
  keys: false,
  authorize: (identity) => inPerson(signedIn(identity)),
};

/** Requires a signed-in user or an API key. */
export const anyCredential: Access<UserCaller> = {
  scope: "user",
  keys: true,
  authorize(identity) {
    const { user, via } = signedIn(identity);
    return { user, via };
  },
};

/**
 * Requires an API key or a connected app's access token. A session's cookie alone is anonymous here
 * (docs/develop/api.md, Agent).
 */
export const keyOnly: Access<UserCaller<ByKey>> = {
  scope: "key",
  authorize: (identity) => withKey(identity),
};

export const member = atLeast("member");
export const admin = atLeast("admin");
export const owner = atLeast("owner");

function atLeast(role: Role): WorkspaceAccess {
  return {
    scope: "workspace",
    role,
    keys: "as-creator",
    authorize: (identity, workspaceId) => requireRole(role, enteredBy(identity, workspaceId)),
  };
}

/** Returns the same access, for people only: members, invites, API keys, deleting a workspace. */
export function peopleOnly({ role }: WorkspaceAccess): WorkspaceAccess<BySession> {
  return {
    scope: "workspace",
    role,
    keys: "never",
    authorize(identity, workspaceId) {
      const caller = enteredBy(identity, workspaceId);
      return requireRole(role, { ...caller, ...inPerson(caller) });
    },
  };
}

/**
 * Returns the same access, but every key of the workspace is admitted, regardless of its creator's current role
 * (notification rules).
 */
export function orAnyKey({ role }: WorkspaceAccess): WorkspaceAccess {
  return {
    scope: "workspace",
    role,
    keys: "always",
    authorize(identity, workspaceId) {
      const caller = enteredBy(identity, workspaceId);
      return caller.via.kind === "key" ? caller : requireRole(role, caller);
    },
  };
}

/** Rejects an anonymous caller on any route that is not open. @throws AppError `unauthenticated` */
export function requireCredential({ scope }: Access, identity: Identity | null): void {
  if (scope === "key") withKey(identity);
  else if (scope !== "open") signedIn(identity);
}

/** The resource for which access tokens are issued, and the address of its metadata (RFC 9728). */
export function protectedResource(): { resource: string; metadata: string } {
  const { publicUrl } = env();
  const path = "/api/mcp";
  return { resource: `${publicUrl}${path}`, metadata: `${publicUrl}/.well-known/oauth-protected-resource${path}` };
}

/**
 * Returns the header of a 401 or 403 that names the authentication scheme (RFC 9110, 11.6.1).
 * @param options.takesTokens whether access tokens are accepted: the header then says where to get one
 * @param options.error code of RFC 6750, 3.1, with the scope that is missing, if any
 */
export function bearerChallenge({
  takesTokens,
  ...more
}: {
  takesTokens: boolean;
  error?: "invalid_token" | "insufficient_scope";
  scope?: string;
}): { "WWW-Authenticate": string } {
  const values = { ...more, ...(takesTokens && { resource_metadata: protectedResource().metadata }) };
  const parameters = Object.entries(values).map(([name, value]) => `${name}="${value}"`);
  return { "WWW-Authenticate": ["Bearer", parameters.join(", ")].filter(Boolean).join(" ") };
}

/** Rejects a read-only key for a change. @throws AppError `forbidden` */
export function refuseReadKey(identity: Identity | null): void {
  if (identity && isReadOnly(identity)) {
    throw new AppError("forbidden", "This API key is read-only. Use a key with full access.");
  }
}

/**
 * Returns the caller in the workspace of their membership.
 * @param membership null for none
 * @throws AppError `forbidden`, with the same body whether the workspace exists or not
 */
export function enter({ user, via }: UserCaller, membership: Membership | null, workspaceId: ObjectId): Caller {
  if (!membership?.workspaceId.equals(workspaceId)) throw new AppError("forbidden", NOT_YOURS);
  return { workspaceId, user, role: membership.role, via };
}

/** The same message for another user's workspace and for a missing one. */
const NOT_YOURS = "You don't have access to this workspace. Ask an admin to invite you.";

function enteredBy(identity: Identity | null, workspaceId: ObjectId | null): Caller {
  const known = signedIn(identity);
  if (!workspaceId) throw new Error("A workspace route needs a workspaceId in its path.");
  return enter(known, known.membership, workspaceId);
}

function signedIn(identity: Identity | null): Identity {
  if (identity) return identity;
  throw new AppError("unauthenticated", "Sign in, or send an API key in the Authorization header.");
}

function withKey(identity: Identity | null): UserCaller<ByKey> {
  if (identity?.via.kind === "key") return { user: identity.user, via: identity.via };
  throw new AppError(
    "unauthenticated",
    "Sign in with your MCP client, or send an API key in the Authorization header.",
    {
      headers: bearerChallenge({ takesTokens: true }),
    },
  );
}

function inPerson({ user, via }: UserCaller): UserCaller<BySession> {
  if (via.kind !== "session") throw keyRefused();
  return { user, via };
}

function requireRole<C extends Caller>(needed: Role, caller: C): C {
  if (isAtLeast(caller.role, needed)) return caller;
  const who = needed === "owner" ? "Only owners" : "Only owners and admins";
  throw new AppError("forbidden", `${who} can do this.`);
}

function keyRefused(): AppError {
  return new AppError("forbidden", "API keys are not accepted here. Sign in instead.");
}
