import "server-only";
import { ObjectId } from "mongodb";
import { findRoles } from "@/lib/features/workspaces/memberships";
import type { Identity, Membership } from "@/lib/platform/access/caller";
import type { HeldRight } from "@/lib/platform/access/held-right";
import type { Access } from "@/lib/platform/access/rules";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";
import { collections as appCollections } from "./connected-apps/collections";

/**
 * Interval at which a server checks the rights behind its open answers, in ms: all of them in three reads. Including
 * the reads, an answer ends within a second of the change, whichever server made it.
 */
const LOOK_EVERY_MS = 350;
/** Age below which a request is not checked, in ms: most have ended by then. */
const SETTLED_MS = 200;

type Need = { access: Pick<Access, "authorize">; workspaceId: ObjectId | null };
type Entry = { identity: Identity; needs: Need[]; since: number; stop: AbortController };
export type HeldRights = { entries: Set<Entry>; timer: NodeJS.Timeout | null; isLooking: boolean };

/**
 * Watches a right until it is released: the session or key, the membership and the role (docs/develop/security.md, Open
 * answers).
 * @param identity as it was admitted
 */
export function holdRight(identity: Identity, access: Need["access"], workspaceId: ObjectId | null): HeldRight {
  const state = shared();
  const stop = new AbortController();
  const entry: Entry = { identity, needs: [{ access, workspaceId }], since: performance.now(), stop };
  state.entries.add(entry);
  state.timer ??= setInterval(() => void look(state), LOOK_EVERY_MS).unref();
  const release = () => state.entries.delete(entry);
  return {
    signal: stop.signal,
    needs: (more, id) => entry.needs.push({ access: more, workspaceId: new ObjectId(id) }),
    end(reason) {
      release();
      stop.abort(reason);
    },
    release,
  };
}

async function look(state: HeldRights): Promise<void> {
  if (state.entries.size === 0 && state.timer) {
    clearInterval(state.timer);
    state.timer = null;
    return;
  }
  if (state.isLooking) return;
  state.isLooking = true;
  try {
    const latest = performance.now() - SETTLED_MS;
    const settled = [...state.entries].filter(({ since }) => since <= latest);
    if (settled.length > 0) await endLost(state, settled);
  } catch (error) {
    // An unreachable database ends no answer; the next check asks again.
    log.debug({ err: error }, "failed to check access rights");
  } finally {
    state.isLooking = false;
  }
}

async function endLost(state: HeldRights, entries: readonly Entry[], now = new Date()): Promise<void> {
  const sessionIds: ObjectId[] = [];
  const keyIds: ObjectId[] = [];
  const pairs: Pick<Membership & { userId: ObjectId }, "workspaceId" | "userId">[] = [];
  for (const { identity, needs } of entries) {
    const { user, via } = identity;
    if (via.kind === "session") sessionIds.push(via.sessionId);
    if (via.kind === "key") {
      keyIds.push(via.keyId);
      pairs.push({ workspaceId: via.membership.workspaceId, userId: user._id });
    }
    for (const { workspaceId } of needs) if (workspaceId) pairs.push({ workspaceId, userId: user._id });
  }
  const [sessions, keys, tokens, roles] = await Promise.all([
    sessionIds.length === 0
      ? []
      : collections
          .sessions()
          .find({ _id: { $in: sessionIds } }, { projection: { expires: 1 } })
          .toArray(),
    keyIds.length === 0
      ? []
      : collections
          .apiKeys()
          .find(
            { _id: { $in: keyIds }, workspaceId: { $in: pairs.map(({ workspaceId }) => workspaceId) } },
            { projection: { expiresAt: 1 } },
          )
          .toArray(),
    keyIds.length === 0
      ? []
      : appCollections
          .oauthTokens()
          .find(
            { _id: { $in: keyIds }, workspaceId: { $in: pairs.map(({ workspaceId }) => workspaceId) } },
            { projection: { expiresAt: 1 } },
          )
          .toArray(),
    findRoles(pairs),
  ]);
  const alive = new Set([
    ...sessions.flatMap(({ _id, expires }) => (expires > now ? [_id.toHexString()] : [])),
    ...[...keys, ...tokens].flatMap(({ _id, expiresAt }) => (!expiresAt || expiresAt > now ? [_id.toHexString()] : [])),
  ]);
  for (const entry of entries) {
    if (!state.entries.has(entry) || stillHolds(entry, alive, roles)) continue;
    state.entries.delete(entry);
    entry.stop.abort(new AppError("unauthenticated", "Your access has ended. Sign in again."));
  }
}

function stillHolds(
  { identity: { user, via }, needs }: Entry,
  alive: ReadonlySet<string>,
  roles: Awaited<ReturnType<typeof findRoles>>,
): boolean {
  if (via.kind === "session" && !alive.has(via.sessionId.toHexString())) return false;
  if (via.kind === "key" && !alive.has(via.keyId.toHexString())) return false;
  const membershipOf = (workspaceId: ObjectId | null): Membership | null => {
    const role = workspaceId && roles(workspaceId, user._id);
    return workspaceId && role ? { workspaceId, role } : null;
  };
  const own = via.kind === "key" ? membershipOf(via.membership.workspaceId) : null;
  if (via.kind === "key" && !own) return false;
  try {
    for (const { access, workspaceId } of needs) {
      const now = via.kind === "key" && own ? { ...via, membership: own } : via;
      access.authorize({ user, via: now, membership: own ?? membershipOf(workspaceId) }, workspaceId);
    }
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

const shared = serverMember("heldRights", () => ({ entries: new Set(), timer: null, isLooking: false }));
