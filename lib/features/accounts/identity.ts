import "server-only";
import type { Document, ObjectId } from "mongodb";
import { Coalescer } from "@/lib/base/async/coalescer";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { lookUpConnection, type WithConnection } from "@/lib/features/connections/service";
import { findUser, lookUpUser, type WithUser } from "@/lib/features/users/service";
import {
  findMembership,
  findRole,
  lookUpMembership,
  lookUpMembershipOf,
  noteSeen,
  type WithMembership,
} from "@/lib/features/workspaces/memberships";
import {
  type Caller,
  type Identity,
  type Membership,
  toKeyAccess,
  type UserCaller,
} from "@/lib/platform/access/caller";
import { isKnownRole } from "@/lib/platform/access/roles";
import { bearerChallenge, enter, type WorkspaceAccess } from "@/lib/platform/access/rules";
import { changesOf } from "@/lib/platform/db/changes";
import { database } from "@/lib/platform/db/client";
import type { CollectionDeclaration } from "@/lib/platform/db/collection";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";
import { collections as appCollections } from "./connected-apps/collections";
import type { OAuthTokenDoc } from "./connected-apps/model";
import { noteAppUse } from "./connected-apps/uses";
import type { ApiKeyDoc, SessionDoc } from "./model";
import { RecentLookUps } from "./recent-look-ups";
import { renewedExpiry, renewSession, sessionTokenOf } from "./session";
import { ACCESS_TOKEN_PREFIX, API_KEY_PREFIX, hashToken } from "./tokens";

/** Minimum time between two writes of a key's "last used" (docs/develop/api.md, Workspaces). */
const LAST_USED_EVERY_MS = 60_000;

/**
 * Maximum age of a cached look-up that admits a query, in ms, if another server has changed it: a fourth of the time in
 * which a logout takes effect on all servers (T11). Changes by this server take effect at once. Queries in a row come a
 * millisecond apart.
 */
const RECENT_MS = 250;
/** Maximum number of cached callers and connections: far more than can send requests within that time. */
const RECENT_MAX = 1_000;

/**
 * Returns the caller in the workspace that the body names, for routes without one in the path.
 * @throws AppError `forbidden`, with the same body whether the workspace exists or not
 */
export async function enterWorkspace(caller: UserCaller, workspaceId: ObjectId): Promise<Caller> {
  const { user, via } = caller;
  if (via.kind === "key") return enter(caller, via.membership, workspaceId);
  const membership = await findMembership(workspaceId, user._id);
  if (membership) void noteSeen(membership, new Date());
  return enter(caller, membership, workspaceId);
}

/**
 * Returns the caller of a job: the user who set it up, with their current rights.
 * @returns null if the user is no longer a member
 */
export async function callerOfJob(workspaceId: ObjectId, userId: ObjectId, runId: ObjectId): Promise<Caller | null> {
  const [user, role] = await Promise.all([findUser(userId), findRole(workspaceId, userId)]);
  return user && role ? { workspaceId, role, user, via: { kind: "job", runId } } : null;
}

/**
 * Returns whether the sender of these headers still has access, for work that continues long after its request was
 * admitted.
 */
export async function mayStill(headers: Headers, access: WorkspaceAccess, workspaceId: ObjectId): Promise<boolean> {
  try {
    access.authorize(await identify(headers, { workspaceId, isUnattended: true }), workspaceId);
    return true;
  } catch (error) {
    if (error instanceof AppError && (error.kind === "unauthenticated" || error.kind === "forbidden")) return false;
    throw error;
  }
}

const BEARER = /^Bearer +(\S+)$/i;

/** Ids in the path of a request, which are looked up together with its caller. */
export type Named = {
  workspaceId: ObjectId | null;
  connectionId?: ObjectId | null;
  /** Sent by background polling, so that it does not count as activity of the user. */
  isUnattended?: boolean;
  /** Whether a result from the last `RECENT_MS` is recent enough. */
  mayBeRecent?: boolean;
  /** Whether access tokens of connected apps are accepted: they are issued for one resource (RFC 8707). */
  takesTokens?: boolean;
};

const INVALID_KEY = "Invalid or expired API key. Create a new one in Settings.";
const INVALID_TOKEN = "Invalid or expired token. Sign in again, or create a new API key in Settings.";

/**
 * Identifies the caller of a request, with the role in the given workspace and the connection in it, in one look-up.
 * Null means an anonymous caller. An Authorization header takes precedence: with an invalid key the cookie is ignored
 * (T21).
 * @throws AppError `unauthenticated` for an invalid or expired key
 */
export async function identify(headers: Headers, named: Named, now = new Date()): Promise<Identified | null> {
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const identity = await identifyKey(authorization, named, now);
    if (!identity)
      throw new AppError("unauthenticated", named.takesTokens ? INVALID_TOKEN : INVALID_KEY, {
        headers: bearerChallenge(
          named.takesTokens ? { takesTokens: true, error: "invalid_token" } : { takesTokens: false },
        ),
      });
    return identity;
  }
  const token = sessionTokenOf(headers.get("cookie"));
  return token ? identifySession(token, named, now) : null;
}

/** The identity, with the results of the same look-up. */
export type Identified = Identity & {
  /** The requested connection; null if it is not in that workspace. */
  connection: ConnectionDoc | null;
  /** Cookie with the session's renewed expiry; null if it is unchanged. */
  setCookie: string | null;
};

type Joined = WithUser & WithMembership & WithConnection;

async function identifySession(token: string, named: Named, now: Date): Promise<Identified | null> {
  const found = await lookUp<SessionDoc & Joined>(collections.sessions, { sessionToken: hashToken(token) }, named, [
    lookUpUser("userId"),
    lookUpMembership("userId", named.workspaceId),
  ]);
  const user = found?.user[0];
  // The TTL index removes expired sessions late, so the expiry is checked here (T12).
  if (!found || !user || found.expires <= now) return null;
  const renewed = renewedExpiry(found, now);
  const setCookie = renewed ? await renewSession(found._id, token, renewed, now) : null;
  const [membership] = found.membership;
  if (membership && !named.isUnattended) void noteSeen(membership, now);
  return {
    user,
    via: { kind: "session", sessionId: found._id },
    membership: toMembership(found),
    connection: found.connection?.[0] ?? null,
    setCookie,
  };
}

async function identifyKey(authorization: string, named: Named, now: Date): Promise<Identified | null> {
  const key = BEARER.exec(authorization)?.[1];
  if (named.takesTokens && key?.startsWith(ACCESS_TOKEN_PREFIX)) return identifyToken(key, named, now);
  if (!key?.startsWith(API_KEY_PREFIX)) return null;
  const found = await lookUp<ApiKeyDoc & Joined>(collections.apiKeys, { hash: hashToken(key) }, named, [
    lookUpUser("createdBy"),
    lookUpMembershipOf("createdBy"),
  ]);
  const user = found?.user[0];
  const membership = found && toMembership(found);
  // A key ends with its creator's membership (T20).
  if (!found || !user || !membership || (found.expiresAt && found.expiresAt <= now)) return null;
  noteUse(found, now);
  return {
    user,
    via: { kind: "key", keyId: found._id, membership, access: toKeyAccess(found.access) },
    membership,
    connection: found.connection?.[0] ?? null,
    setCookie: null,
  };
}

async function identifyToken(token: string, named: Named, now: Date): Promise<Identified | null> {
  const match = { hash: hashToken(token), kind: "access" };
  const found = await lookUp<OAuthTokenDoc & Joined>(appCollections.oauthTokens, match, named, [
    lookUpUser("userId"),
    lookUpMembershipOf("userId"),
  ]);
  const user = found?.user[0];
  const membership = found && toMembership(found);
  if (!found || !user || !membership || found.expiresAt <= now) return null;
  const { _id: keyId, scopes, workspaceId, appId } = found;
  noteAppUse({ _id: appId, workspaceId }, 0, now);
  const access = scopes.some((scope) => scope !== "read") ? "full" : "read";
  return {
    user,
    via: { kind: "key", keyId, membership, access, scopes, appId },
    membership,
    connection: null,
    setCookie: null,
  };
}

function toMembership({ membership: [found] }: WithMembership): Membership | null {
  return found && isKnownRole(found.role) ? { workspaceId: found.workspaceId, role: found.role } : null;
}

const joinedLookUps = serverMember("identityLookUps", () => new Coalescer());
const recentLookUps = serverMember("recentIdentities", () => new RecentLookUps(RECENT_MS, RECENT_MAX));

/**
 * Looks up the record of a credential with the data of `joins` and the named connection. A command rather than a
 * cursor: it runs on every request, and half of a cursor's cost is overhead.
 */
async function lookUp<T extends Document>(
  from: CollectionDeclaration,
  match: { [field: string]: string },
  { workspaceId, connectionId, mayBeRecent }: Named,
  joins: Document[],
): Promise<T | undefined> {
  const db = database();
  const [hash] = Object.values(match);
  const ids = [workspaceId?.toHexString(), connectionId?.toHexString()];
  const key = [db.databaseName, from.collectionName, hash, ...ids].join(" ");
  const connections = workspaceId && connectionId ? [lookUpConnection(workspaceId, connectionId)] : [];
  const stages = [...joins, ...connections];
  const ask = async () => {
    const [found] = await joinedLookUps().next(key, async () => {
      const { cursor } = await db.command({
        aggregate: from.collectionName,
        pipeline: [{ $match: match }, ...stages],
        cursor: {},
      });
      return cursor.firstBatch;
    });
    return found;
  };
  const readFrom = [from.collectionName, ...stages.map(({ $lookup }) => $lookup.from as string)];
  const found = await (mayBeRecent ? recentLookUps().ask(key, () => changesOf(readFrom), ask) : ask());
  return found as T | undefined;
}

/** Not awaited: a request does not wait for a date that is only displayed. */
function noteUse({ _id, workspaceId, lastUsedAt }: ApiKeyDoc, now: Date): void {
  const due = new Date(now.getTime() - LAST_USED_EVERY_MS);
  if (lastUsedAt && lastUsedAt > due) return;
  collections
    .apiKeys()
    .updateOne(
      { _id, workspaceId, $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: due } }] },
      { $set: { lastUsedAt: now } },
    )
    .catch(() => undefined);
}
