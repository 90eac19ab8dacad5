import "server-only";
import type { ObjectId } from "mongodb";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import type { ConnectedAppDoc } from "./model";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days, in UTC, of which calls are counted, today included. */
export const CALL_DAYS = 30;
/** Slots of an app's counts, one a day in turn: one more than is counted, so that no counted day is overwritten. */
const SLOTS = CALL_DAYS + 1;
/** Interval of writes, in ms: each app in use costs a server one write per interval, however often it calls. */
const WRITE_EVERY_MS = 5_000;

/** Uses of connected apps that wait to be written together. */
export type AppUses = {
  /** By the app's id. */
  waiting: Map<string, AppUse>;
  timer: NodeJS.Timeout | null;
  isAtShutdown: boolean;
};
type AppUse = { _id: ObjectId; workspaceId: ObjectId; calls: number; at: Date };

const shared = serverMember("connectedAppUses", () => ({ waiting: new Map(), timer: null, isAtShutdown: false }));

/** Records a request of an app, within seconds. @param calls number of tool calls in it */
export function noteAppUse({ _id, workspaceId }: Pick<AppUse, "_id" | "workspaceId">, calls: number, at: Date): void {
  const state = shared();
  const id = _id.toHexString();
  const before = state.waiting.get(id)?.calls ?? 0;
  state.waiting.set(id, { _id, workspaceId, calls: before + calls, at });
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(writeAppUses);
  }
  // Does not keep the process alive: the shutdown writes the rest.
  state.timer ??= setTimeout(() => {
    state.timer = null;
    void writeAppUses();
  }, WRITE_EVERY_MS).unref();
}

/** Writes the uses that wait. If the store is unavailable, they are counted again with the next write. */
export async function writeAppUses(): Promise<void> {
  const { waiting } = shared();
  const uses = [...waiting.values()];
  waiting.clear();
  for (const use of uses) {
    try {
      await writeUse(use);
    } catch (error) {
      log.warn({ err: error }, "failed to write the calls of a connected app; it will be retried");
      noteAppUse(use, use.calls, use.at);
    }
  }
}

async function writeUse({ _id, workspaceId, calls, at }: AppUse): Promise<void> {
  const day = dayOf(at);
  const slot = `calls.${day % SLOTS}` as const;
  const apps = collections.connectedApps();
  // The first call of a day takes over the slot. A server that does the same at once finds the day there.
  await apps.updateOne({ _id, workspaceId, [`${slot}.day`]: { $ne: day } }, { $set: { [slot]: { day, count: 0 } } });
  await apps.updateOne({ _id, workspaceId }, { $inc: { [`${slot}.count`]: calls }, $max: { lastUsedAt: at } });
}

/** Returns the number of an app's tool calls in the last 30 days, today included. */
export function countCalls({ calls = {} }: Pick<ConnectedAppDoc, "calls">, now: Date): number {
  const first = dayOf(now) - CALL_DAYS + 1;
  return Object.values(calls).reduce((sum, { day, count }) => (day < first ? sum : sum + count), 0);
}

function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS);
}
