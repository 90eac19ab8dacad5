import type { ObjectId } from "mongodb";
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
 * What a route asks of its caller.
 * - `open`: nothing; the route judges by itself. `keys: "refused"` marks those that only people use (login).
 * - `user`: a signed-in person or, where `keys` says so, a key.
 * - `key`: a key, and nobody in person: protocols whose clients have nothing else.
 * - `workspace`: a role in the workspace that the path names.
 */
type Rule = OpenRule | UserRule | KeyRule | WorkspaceRule;
type OpenRule = { scope: "open"; keys: "ignored" | "refused" };
type UserRule = { scope: "user"; keys: boolean };
type KeyRule = { scope: "key" };
type WorkspaceRule = { scope: "workspace"; role: Role; keys: "as-creator" | "always" | "never" };

/**
 * Lets in who may.
 * @param workspaceId that of the path; null when the path names none
 * @throws AppError `unauthenticated`, `forbidden`
 */
type Authorize<C> = (identity: Identity | null, workspaceId: ObjectId | null) => C;

/** A rule, and whom it lets in: what a handler knows of its caller follows from the access that its route declares. */
export type Access<C = unknown> = Rule & { authorize: Authorize<C> };
export type WorkspaceAccess<V extends Via = Via> = WorkspaceRule & { authorize: Authorize<Caller<V>> };

/** Anybody. */
export const open: Access<null> = { scope: "open", keys: "ignored", authorize: () => null };

/** Anybody who comes without an API key: the way in and out for people. */
export const signIn: Access<null> = {
  scope: "open",
  keys: "refused",
  authorize(identity) {
    if (identity?.via.kind === "key") throw keyRefused();
    return null;
  },
};

/** A signed-in person; API keys are refused (docs/develop/api.md, Common rules). */
export const account: Access<UserCaller<BySession>> = {
  scope: "user",
  keys: false,
  authorize: (identity) => inPerson(signedIn(identity)),
};

/** A signed-in person or an API key. */
export const anyCredential: Access<UserCaller> = {
  scope: "user",
  keys: true,
  authorize(identity) {
    const { user, via } = signedIn(identity);
    return { user, via };
  },
};

/** An API key. A session's cookie alone is nobody here (docs/develop/api.md, Agent). */
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

/** The same, for people only: members, invites, API keys, the end of a workspace. */
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

/** The same, but every key of the workspace may, whatever its creator's role is now (notification rules). */
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

/** Whoever is not known goes no further than an open route. @throws AppError `unauthenticated` */
export function requireCredential({ scope }: Access, identity: Identity | null): void {
  if (scope === "key") withKey(identity);
  else if (scope !== "open") signedIn(identity);
}

/** What a 401 says of how to be somebody (RFC 9110, 11.6.1). */
export const BEARER_NEEDED = { "WWW-Authenticate": "Bearer" } as const;

/** A key that may only look is refused where something is changed. @throws AppError `forbidden` */
export function refuseReadKey(identity: Identity | null): void {
  if (identity && isReadOnly(identity)) {
    throw new AppError("forbidden", "This API key may only read. Use one with full access.");
  }
}

/**
 * The caller in the one workspace that their membership is of.
 * @param membership null for none
 * @throws AppError `forbidden`, with one body whether the workspace exists or not
 */
export function enter({ user, via }: UserCaller, membership: Membership | null, workspaceId: ObjectId): Caller {
  if (!membership?.workspaceId.equals(workspaceId)) throw new AppError("forbidden", NOT_YOURS);
  return { workspaceId, user, role: membership.role, via };
}

/** One sentence for a workspace that is not yours and for one that does not exist. */
const NOT_YOURS = "You cannot open this workspace. Ask one of its admins to invite you.";

function enteredBy(identity: Identity | null, workspaceId: ObjectId | null): Caller {
  const known = signedIn(identity);
  if (!workspaceId) throw new Error("A workspace route needs a workspaceId in its path.");
  return enter(known, known.membership, workspaceId);
}

function signedIn(identity: Identity | null): Identity {
  if (identity) return identity;
  throw new AppError("unauthenticated", "Sign in first, or send an API key in the Authorization header.");
}

function withKey(identity: Identity | null): UserCaller<ByKey> {
  if (identity?.via.kind === "key") return { user: identity.user, via: identity.via };
  throw new AppError("unauthenticated", "Send an API key in the Authorization header.", { headers: BEARER_NEEDED });
}

function inPerson({ user, via }: UserCaller): UserCaller<BySession> {
  if (via.kind !== "session") throw keyRefused();
  return { user, via };
}

function requireRole<C extends Caller>(needed: Role, caller: C): C {
  if (isAtLeast(caller.role, needed)) return caller;
  const who = needed === "owner" ? "Only an owner" : "Only an owner or admin";
  throw new AppError("forbidden", `${who} of the workspace can do this.`);
}

function keyRefused(): AppError {
  return new AppError("forbidden", "An API key cannot do this. Sign in to do it.");
}
