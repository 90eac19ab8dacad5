import "server-only";
import type { ObjectId } from "mongodb";
import { requireMembership } from "@/lib/access/rules";
import { COLLECTION_NAMES, collections } from "@/lib/db/collections";
import { AppError } from "@/lib/http/errors";
import type { MembershipDoc } from "@/lib/workspaces/model";
import type { Role } from "@/lib/workspaces/schema";
import type { ApiKeyDoc, SessionDoc, UserDoc } from "./model";
import { renewedExpiry, renewSession, sessionTokenOf } from "./session";
import { API_KEY_PREFIX, hashToken } from "./tokens";

/** How often "last used" of a key is written, at the most (contract, section 3). */
const LAST_USED_EVERY_MS = 60_000;

type Common = {
  user: UserDoc;
  /** The caller's role in the workspace that the identity was asked for; null when there is none. */
  role: Role | null;
};
/** Who sends a request. A key acts as its creator, inside its one workspace. */
export type Principal =
  | (Common & { via: "session"; sessionId: ObjectId; setCookie: string | null })
  | (Common & { via: "key"; keyId: ObjectId; workspaceId: ObjectId });

/**
 * The principal with its role in a workspace that the body names, for routes whose path names none.
 * @throws AppError `forbidden`, with one body whether the workspace exists or not
 */
export async function enterWorkspace(principal: Principal, workspaceId: ObjectId): Promise<Principal & { role: Role }> {
  if (principal.via === "key") return { ...principal, role: requireMembership(principal, workspaceId) };
  const membership = await collections.memberships().findOne({ workspaceId, userId: principal.user._id });
  const entered = { ...principal, role: membership?.role ?? null };
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

type Joined = { user: [UserDoc?]; membership: [MembershipDoc?] };

async function identifySession(token: string, workspaceId: ObjectId | null, now: Date): Promise<Principal | null> {
  const found = await collections
    .sessions()
    .aggregate<SessionDoc & Joined>([
      { $match: { sessionToken: hashToken(token) } },
      { $lookup: { from: COLLECTION_NAMES.users, localField: "userId", foreignField: "_id", as: "user" } },
      {
        $lookup: {
          from: COLLECTION_NAMES.memberships,
          localField: "userId",
          foreignField: "userId",
          pipeline: [{ $match: { workspaceId } }],
          as: "membership",
        },
      },
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
    .aggregate<ApiKeyDoc & Joined>([
      { $match: { hash: hashToken(key) } },
      { $lookup: { from: COLLECTION_NAMES.users, localField: "createdBy", foreignField: "_id", as: "user" } },
      {
        $lookup: {
          from: COLLECTION_NAMES.memberships,
          let: { workspaceId: "$workspaceId" },
          localField: "createdBy",
          foreignField: "userId",
          pipeline: [{ $match: { $expr: { $eq: ["$workspaceId", "$$workspaceId"] } } }],
          as: "membership",
        },
      },
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
