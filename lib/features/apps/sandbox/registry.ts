import "server-only";
import type { ObjectId } from "mongodb";
import { Coalescer } from "@/lib/base/async/coalescer";
import { holdRight } from "@/lib/features/accounts/held-rights";
import type { Caller } from "@/lib/platform/access/caller";
import type { HeldRight } from "@/lib/platform/access/held-right";
import { member } from "@/lib/platform/access/rules";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { onShutdown } from "@/lib/platform/process/shutdown";
import { getSandbox } from ".";
import { SESSION_IDLE_MS, SESSIONS_MAX } from "./limits";
import type { AppFiles, Session } from "./sandbox";

/** Interval of the check for idle sessions. */
const LOOK_MS = 30_000;

export type Whose = { workspaceId: ObjectId; appId: ObjectId; userId: ObjectId };
/** `watchers` is the number of open pages; `rights` are those of the sessions and keys that started it. */
export type Running = Whose & {
  session: Session;
  lastUsedAt: number;
  watchers: number;
  rights: Map<string, HeldRight>;
};
export type Previews = { running: Map<string, Running>; starting: Coalescer<Running> };

/**
 * Returns a user's dev server for an app and starts it if needed. Concurrent calls share one start. If all slots are
 * taken, the session that has gone longest without an open page is ended.
 * @param files read only for a new session
 * @throws AppError sandbox_unavailable; conflict when this server is at its limit
 */
export async function openSession(whose: Whose, files: () => Promise<AppFiles>): Promise<Running> {
  const { starting, running } = registry();
  const known = findSession(whose);
  if (known) return known;
  const key = keyOf(whose);
  const underWay = starting.running(key);
  if (underWay) return underWay;
  if (running.size + starting.size >= SESSIONS_MAX) {
    await endUnwatched();
    const meanwhile = findSession(whose) ?? starting.running(key);
    if (meanwhile) return meanwhile;
  }
  if (running.size + starting.size >= SESSIONS_MAX) {
    throw new AppError("conflict", `All ${SESSIONS_MAX} previews are in use. Stop one of yours, or try again later.`);
  }
  return starting.join(key, () => begin(whose, files));
}

/** Returns the running session; null without one. Starts none, and does not prolong it. */
export function findSession(whose: Whose): Running | null {
  const found = registry().running.get(keyOf(whose));
  return found?.session.isAlive ? found : null;
}

/** Returns the session below this address, and marks it as used. */
export function touchSessionAt(base: string): Running | null {
  for (const each of registry().running.values()) {
    if (each.session.base !== base || !each.session.isAlive) continue;
    each.lastUsedAt = Date.now();
    return each;
  }
  return null;
}

/** Adds the caller's session or key to the rights of a dev server, which stops when the last of them ends. */
export function endWithRight(running: Running, caller: Caller): void {
  const { user, via, workspaceId, role } = caller;
  if (via.kind === "job") return;
  const key = (via.kind === "session" ? via.sessionId : via.keyId).toHexString();
  const { rights, session } = running;
  if (rights.has(key)) return;
  const right = holdRight({ user, via, membership: { workspaceId, role } }, member, workspaceId);
  rights.set(key, right);
  right.signal.addEventListener("abort", () => {
    rights.delete(key);
    if (rights.size === 0) void session.stop();
  });
  void session.ended.then(right.release);
}

/** Counts an open page of a session until its connection ends. */
export function watch(running: Running, signal: AbortSignal): void {
  if (signal.aborted) return;
  running.watchers += 1;
  const leave = () => {
    running.watchers -= 1;
    running.lastUsedAt = Date.now();
  };
  signal.addEventListener("abort", leave, { once: true });
}

async function endUnwatched(): Promise<void> {
  const [oldest] = [...registry().running.values()]
    .filter(({ watchers }) => watchers === 0)
    .sort((a, b) => a.lastUsedAt - b.lastUsedAt);
  await oldest?.session.stop();
  if (oldest) registry().running.delete(keyOf(oldest));
}

/** Stops a user's dev server for an app, or all of an app. Does nothing without one. */
export async function stopSessions(whose: Pick<Whose, "workspaceId" | "appId"> & Partial<Whose>): Promise<void> {
  const found = [...registry().running.values()].filter(
    ({ workspaceId, appId, userId }) =>
      workspaceId.equals(whose.workspaceId) &&
      appId.equals(whose.appId) &&
      (whose.userId === undefined || userId.equals(whose.userId)),
  );
  await Promise.all(found.map(({ session }) => session.stop()));
}

/** Stops sessions without a request for 15 min. */
export async function stopIdleSessions(now = Date.now()): Promise<void> {
  const idle = [...registry().running.values()].filter(({ lastUsedAt }) => now - lastUsedAt >= SESSION_IDLE_MS);
  await Promise.all(idle.map(({ session }) => session.stop()));
}

async function begin(whose: Whose, files: () => Promise<AppFiles>): Promise<Running> {
  const session = await getSandbox().start({ ...whose, files: await files() });
  const { workspaceId, appId, userId } = whose;
  const started: Running = {
    workspaceId,
    appId,
    userId,
    session,
    lastUsedAt: Date.now(),
    watchers: 0,
    rights: new Map(),
  };
  const { running } = registry();
  running.set(keyOf(whose), started);
  void session.ended.then(() => {
    if (running.get(keyOf(whose)) === started) running.delete(keyOf(whose));
  });
  return started;
}

function keyOf({ appId, userId }: Whose): string {
  return `${appId.toHexString()} ${userId.toHexString()}`;
}

const registry = serverMember("appPreviews", () => {
  const made: Previews = { running: new Map(), starting: new Coalescer() };
  const look = setInterval(() => {
    stopIdleSessions().catch((error: unknown) => log.error({ err: error }, "idle previews could not be stopped"));
  }, LOOK_MS);
  // Does not keep the process alive.
  look.unref();
  onShutdown(async () => {
    await Promise.all([...made.running.values()].map(({ session }) => session.stop()));
  });
  return made;
});
