import "server-only";
import type { Document, ObjectId } from "mongodb";
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
import { BEARER_NEEDED, enter, type WorkspaceAccess } from "@/lib/platform/access/rules";
import { changesOf } from "@/lib/platform/db/changes";
import { database } from "@/lib/platform/db/client";
import type { CollectionDeclaration } from "@/lib/platform/db/collection";
import { AppError } from "@/lib/platform/http/errors";
import { sharedState } from "@/lib/platform/process/shared-state";
import { collections } from "./collections";
import { JoinedLookUps } from "./joined-look-ups";
import type { ApiKeyDoc, SessionDoc } from "./model";
import { RecentLookUps } from "./recent-look-ups";
import { renewedExpiry, renewSession, sessionTokenOf } from "./session";
import { API_KEY_PREFIX, hashToken } from "./tokens";

/** How often "last used" of a key is written, at the most (docs/develop/api.md, Workspaces). */
const LAST_USED_EVERY_MS = 60_000;

/**
 * How old may be what a query is let in by, where another server has changed it: a fourth of what a logout may take to
 * hold on all servers (T11). What this server changes holds at once. A query after the other takes a millisecond.
 */
const RECENT_MS = 250;
/** Of callers and connections: far more than can ask within that time. */
const RECENT_MAX = 1_000;

/**
 * The caller in the workspace that the body names, for routes whose path names none.
 * @throws AppError `forbidden`, with one body whether the workspace exists or not
 */
export async function enterWorkspace(caller: UserCaller, workspaceId: ObjectId): Promise<Caller> {
  const { user, via } = caller;
  if (via.kind === "key") return enter(caller, via.membership, workspaceId);
  const membership = await findMembership(workspaceId, user._id);
  if (membership) void noteSeen(membership, new Date());
  return enter(caller, membership, workspaceId);
}

/**
 * Whoever has set up what a job carries out, with the rights that they have now.
 * @returns null for who is no member any more
 */
export async function callerOfJob(workspaceId: ObjectId, userId: ObjectId, runId: ObjectId): Promise<Caller | null> {
  const [user, role] = await Promise.all([findUser(userId), findRole(workspaceId, userId)]);
  return user && role ? { workspaceId, role, user, via: { kind: "job", runId } } : null;
}

/** Whether whoever sent these headers may still do it: for what goes on long after a request was let in. */
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

/** What the path of a request names, and what is read in the same look-up as who sends it. */
export type Named = {
  workspaceId: ObjectId | null;
  connectionId?: ObjectId | null;
  /** Asked by what goes on by itself, so that it says nothing of whether the person is there. */
  isUnattended?: boolean;
  /** What was found within the last `RECENT_MS` will do. */
  mayBeRecent?: boolean;
};

/**
 * Who sends this request, with the role in the given workspace and the connection in it, in one look-up. Null means
 * nobody. An Authorization header decides alone: with a bad key the cookie is not looked at (T21).
 * @throws AppError `unauthenticated` for a bad or ended key
 */
export async function identify(headers: Headers, named: Named, now = new Date()): Promise<Identified | null> {
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const identity = await identifyKey(authorization, named, now);
    if (!identity)
      throw new AppError("unauthenticated", "This API key is unknown or has ended. Make a new one in settings.", {
        headers: BEARER_NEEDED,
      });
    return identity;
  }
  const token = sessionTokenOf(headers.get("cookie"));
  return token ? identifySession(token, named, now) : null;
}

/** Who it is, and what was found along with it. */
export type Identified = Identity & {
  /** The connection that was asked for; null when it is not in that workspace. */
  connection: ConnectionDoc | null;
  /** The cookie that tells the browser of a session's new end; null while it has none. */
  setCookie: string | null;
};

type Joined = WithUser & WithMembership & WithConnection;

async function identifySession(token: string, named: Named, now: Date): Promise<Identified | null> {
  const found = await lookUp<SessionDoc & Joined>(collections.sessions, { sessionToken: hashToken(token) }, named, [
    lookUpUser("userId"),
    lookUpMembership("userId", named.workspaceId),
  ]);
  const user = found?.user[0];
  // The TTL index sweeps late, so the end is judged here (T12).
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

function toMembership({ membership: [found] }: WithMembership): Membership | null {
  return found && isKnownRole(found.role) ? { workspaceId: found.workspaceId, role: found.role } : null;
}

/**
 * The one record of a credential with what `joins` add, and the connection that is named. A command rather than a
 * cursor: it is on every request, and half of a cursor's cost is its being one.
 */
async function lookUp<T extends Document>(
  from: CollectionDeclaration,
  match: { [field: string]: string },
  { workspaceId, connectionId, mayBeRecent }: Named,
  joins: Document[],
): Promise<T | undefined> {
  const db = database();
  const [hash] = Object.values(match);
  const joined = sharedState("identity-look-ups", () => new JoinedLookUps<Document[]>());
  const recent = sharedState("recent-identities", () => new RecentLookUps<Document>(RECENT_MS, RECENT_MAX));
  const ids = [workspaceId?.toHexString(), connectionId?.toHexString()];
  const key = [db.databaseName, from.collectionName, hash, ...ids].join(" ");
  const connections = workspaceId && connectionId ? [lookUpConnection(workspaceId, connectionId)] : [];
  const stages = [...joins, ...connections];
  const ask = async () => {
    const [found] = await joined.ask(key, async () => {
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
  const found = await (mayBeRecent ? recent.ask(key, () => changesOf(readFrom), ask) : ask());
  return found as T | undefined;
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
