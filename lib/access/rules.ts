import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/http/errors";
import type { Principal } from "./caller";
import { isAtLeast, type Role } from "./roles";

/**
 * What a route asks of its caller.
 * - `open`: nothing; the route judges by itself. `keys: "refused"` marks those that only people use (login).
 * - `user`: a signed-in person or, where `keys` says so, a key.
 * - `workspace`: a role in the workspace that the path names.
 */
export type Access =
  | { scope: "open"; keys: "ignored" | "refused" }
  | { scope: "user"; keys: boolean }
  | { scope: "workspace"; role: Role; keys: "as-creator" | "always" | "never" };

/** Anybody. */
export const open: Access = { scope: "open", keys: "ignored" };
/** Anybody who comes without an API key: the way in and out for people. */
export const signIn: Access = { scope: "open", keys: "refused" };
/** A signed-in person; API keys are refused (docs/api.md, Common rules). */
export const account: Access = { scope: "user", keys: false };
/** A signed-in person or an API key. */
export const anyCredential: Access = { scope: "user", keys: true };
export const member: Access = { scope: "workspace", role: "member", keys: "as-creator" };
export const admin: Access = { scope: "workspace", role: "admin", keys: "as-creator" };
export const owner: Access = { scope: "workspace", role: "owner", keys: "as-creator" };

/** The same, for people only: members, invites, API keys, the end of a workspace. */
export function peopleOnly(access: Access): Access {
  return access.scope === "workspace" ? { ...access, keys: "never" } : account;
}

/** The same, but every key of the workspace may, whatever its creator's role is now (notification rules). */
export function orAnyKey(access: Access): Access {
  return access.scope === "workspace" ? { ...access, keys: "always" } : access;
}

const KEY_REFUSED = "An API key cannot do this. Sign in to do it.";
/** One sentence for a workspace that is not yours and for one that does not exist. */
const NOT_YOURS = "You cannot open this workspace. Ask one of its admins to invite you.";

/**
 * Decides whether the caller may. `workspaceId` is that of the path, null when the path names none.
 * @throws AppError `unauthenticated`, `forbidden`
 */
export function requireCredential(access: Access, principal: Principal | null): asserts principal is Principal {
  if (access.scope !== "open" && !principal) {
    throw new AppError("unauthenticated", "Sign in first, or send an API key in the Authorization header.");
  }
}

export function requireAccess(access: Access, principal: Principal | null, workspaceId: ObjectId | null): void {
  if (access.scope === "open") {
    if (principal?.via === "key" && access.keys === "refused") throw new AppError("forbidden", KEY_REFUSED);
    return;
  }
  requireCredential(access, principal);
  if (access.scope === "user") {
    if (principal.via === "key" && !access.keys) throw new AppError("forbidden", KEY_REFUSED);
    return;
  }
  if (!workspaceId) throw new Error("A workspace route needs a workspaceId in its path.");
  const role = requireMembership(principal, workspaceId);
  if (principal.via === "key" && access.keys === "never") throw new AppError("forbidden", KEY_REFUSED);
  if (principal.via === "key" && access.keys === "always") return;
  if (!isAtLeast(role, access.role)) {
    const needed = access.role === "owner" ? "Only an owner" : "Only an owner or admin";
    throw new AppError("forbidden", `${needed} of the workspace can do this.`);
  }
}

/**
 * The caller's role in this workspace. For a session, the principal must have been identified for this workspace.
 * @throws AppError `forbidden`, with one body whether the workspace exists or not
 */
export function requireMembership(principal: Principal, workspaceId: ObjectId): Role {
  const isElsewhere = principal.via === "key" && !principal.workspaceId.equals(workspaceId);
  if (isElsewhere || !principal.role) throw new AppError("forbidden", NOT_YOURS);
  return principal.role;
}
