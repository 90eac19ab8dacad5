import "server-only";
import type { ObjectId } from "mongodb";
import type { Principal } from "@/lib/access/caller";
import type { Role } from "@/lib/access/roles";
import { requireMembership } from "@/lib/access/rules";
import { AppError } from "@/lib/http/errors";
import { lookUpUser, type WithUser } from "@/lib/users/service";
import { findRole, lookUpMembership, lookUpMembershipOf, type WithMembership } from "@/lib/workspaces/memberships";
import { collections } from "./collections";
import type { ApiKeyDoc, SessionDoc } from "./model";
import { renewedExpiry, renewSession, sessionTokenOf } from "./session";
import { API_KEY_PREFIX, hashToken } from "./tokens";

/** How often "last used" of a key is written, at the most (docs/api.md, Workspaces). */
const LAST_USED_EVERY_MS = 60_000;

/**
 * The principal with its role in a workspace that the body names, for routes whose path names none.
 * @throws AppError `forbidden`, with one body whether the workspace exists or not
 */
export async function enterWorkspace(principal: Principal, workspaceId: ObjectId): Promise<Principal & { role: Role }> {
  if (principal.via === "key") return { ...principal, role: requireMembership(principal, workspaceId) };
  const entered = { ...principal, role: await findRole(workspaceId, principal.user._id) };
  return { ...entered, role: requireMembership(entered, workspaceId) };
}

/** The session of a caller on a route that refuses keys. */
export function sessionIdOf(principal: Principal): ObjectId {
  if (principal.via !== "session") throw new Error("This route must refuse API keys.");
  return principal.sessionId;
}

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Who sends this request, with the role in the given workspace, in one look-up. Null means nobody.
 * An Authorization header decides alone: with a bad key the cookie is not looked at (T21).
 * @throws AppError `unauthenticated` for a bad or ended key
 */
export async function identify(
  headers: Headers,
  workspaceId: ObjectId | null,
  now = new Date(),
): Promise<Principal | null> {
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const principal = await identifyKey(authorization, now);
    if (!principal)
      throw new AppError("unauthenticated", "This API key is unknown or has ended. Make a new one in settings.");
    return principal;
  }
  const token = sessionTokenOf(headers.get("cookie"));
  return token ? identifySession(token, workspaceId, now) : null;
}

async function identifySession(token: string, workspaceId: ObjectId | null, now: Date): Promise<Principal | null> {
  const found = await collections
    .sessions()
    .aggregate<SessionDoc & WithUser & WithMembership>([
      { $match: { sessionToken: hashToken(token) } },
      lookUpUser("userId"),
      lookUpMembership("userId", workspaceId),
    ])
    .next();
  const user = found?.user[0];
  // The TTL index sweeps late, so the end is judged here (T12).
  if (!found || !user || found.expires <= now) return null;
  const renewed = renewedExpiry(found, now);
  const setCookie = renewed ? await renewSession(found._id, token, renewed, now) : null;
  return { via: "session", sessionId: found._id, user, role: found.membership[0]?.role ?? null, setCookie };
}

async function identifyKey(authorization: string, now: Date): Promise<Principal | null> {
  const key = BEARER.exec(authorization)?.[1];
  if (!key?.startsWith(API_KEY_PREFIX)) return null;
  const found = await collections
    .apiKeys()
    .aggregate<ApiKeyDoc & WithUser & WithMembership>([
      { $match: { hash: hashToken(key) } },
      lookUpUser("createdBy"),
      lookUpMembershipOf("createdBy"),
    ])
    .next();
  const user = found?.user[0];
  const membership = found?.membership[0];
  // A key ends with its creator's membership (T20).
  if (!found || !user || !membership || (found.expiresAt && found.expiresAt <= now)) return null;
  noteUse(found, now);
  return { via: "key", keyId: found._id, workspaceId: found.workspaceId, user, role: membership.role };
}

/** Not awaited: the request does not wait for a date that only people read. */
function noteUse(key: ApiKeyDoc, now: Date): void {
  const due = new Date(now.getTime() - LAST_USED_EVERY_MS);
  if (key.lastUsedAt && key.lastUsedAt > due) return;
  collections
    .apiKeys()
    .updateOne(
      { _id: key._id, workspaceId: key.workspaceId, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: due } }] },
      { $set: { lastUsedAt: now } },
    )
    .catch(() => undefined);
}
