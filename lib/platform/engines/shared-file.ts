import "server-only";
import { createHash } from "node:crypto";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { SharedResource } from "@/lib/platform/process/shared-resource";
import { type EngineFile, type EngineLease, leaseEngine } from "./service";

/**
 * Maximum number of engines of one file that all workspaces read. Each takes about 100 MB, and up to a gibibyte for a
 * large query.
 */
export const SHARED_ENGINES_MAX = 4;
/** Time before an idle engine is stopped, in ms: it costs memory, and a start takes a fraction of a second. */
const IDLE_CLOSE_MS = 60_000;

export type EngineSlot = {
  index: number;
  lease: Promise<EngineLease> | null;
  /** Number of running requests by tenant. */
  running: Map<string, number>;
  lastTenant: string | null;
  idleTimer: NodeJS.Timeout | undefined;
};

/** A tenant's share in the engines of a read-only file. */
export type SharedEngines = {
  /** Resolves to the socket of an engine; give each one back. @throws AppError as `EngineLease.socket` */
  take(): Promise<string>;
  giveBack(socketPath: string): void;
  release(): Promise<void>;
};

const enginePools = serverMember("sharedEngines", () => new Map());

/**
 * Shares a few engines of one file among any number of tenants, so that a query that blocks its engine blocks as few
 * others as possible. A tenant keeps to one engine, and gets one without other tenants' requests if there is one.
 */
export function shareEngines(file: EngineFile, tenant: string): SharedEngines {
  const pools = enginePools();
  const pool = pools.get(file.path) ?? newPool(() => pools.delete(file.path));
  pools.set(file.path, pool);
  const { resource: slots, release } = pool.lease();
  const taken = new Map<string, EngineSlot>();
  return {
    async take() {
      const slot = pickSlot(slots, tenant);
      begin(slot, tenant);
      try {
        const socketPath = await (await leaseOf(slot, file)).socket();
        taken.set(socketPath, slot);
        return socketPath;
      } catch (error) {
        end(slot, tenant);
        throw error;
      }
    },
    giveBack(socketPath) {
      const slot = taken.get(socketPath);
      if (slot) end(slot, tenant);
    },
    release,
  };
}

/** Returns the slot's lease. A failed one is dropped: the next request creates another. */
function leaseOf(slot: EngineSlot, file: EngineFile): Promise<EngineLease> {
  if (slot.lease) return slot.lease;
  const lease = leaseEngine({ ...file, slot: slot.index });
  slot.lease = lease;
  lease.catch(() => {
    if (slot.lease === lease) slot.lease = null;
  });
  return lease;
}

/** @param forget called when the last tenant has released it, before its engines stop */
function newPool(forget: () => void): SharedResource<EngineSlot[]> {
  const slots: EngineSlot[] = Array.from({ length: SHARED_ENGINES_MAX }, (_, index) => ({
    index,
    lease: null,
    running: new Map(),
    lastTenant: null,
    idleTimer: undefined,
  }));
  return new SharedResource(slots, {
    closesWhenFree: true,
    close: async () => {
      forget();
      await Promise.all(slots.map(close));
    },
  });
}

/** Picks a slot. A tenant's preferred engine comes early, so that several servers agree on it. Exported for tests. */
export function pickSlot<T extends Pick<EngineSlot, "running" | "lastTenant" | "lease">>(
  slots: readonly T[],
  tenant: string,
): T {
  const own = slots[createHash("sha256").update(tenant).digest().readUInt32LE(0) % slots.length];
  const isFree = (slot: T | undefined): slot is T => slot !== undefined && slot.running.size === 0;
  const found =
    slots.find(({ running }) => running.has(tenant)) ??
    slots.find((slot) => isFree(slot) && slot.lastTenant === tenant) ??
    (isFree(own) ? own : undefined) ??
    slots.find((slot) => isFree(slot) && slot.lease !== null) ??
    slots.find(isFree) ??
    slots.toSorted((one, other) => requestsOf(one) - requestsOf(other))[0];
  if (!found) throw new Error("A pool without engines was asked for one.");
  return found;
}

function requestsOf({ running }: Pick<EngineSlot, "running">): number {
  return [...running.values()].reduce((sum, count) => sum + count, 0);
}

function begin(slot: EngineSlot, tenant: string): void {
  clearTimeout(slot.idleTimer);
  slot.running.set(tenant, (slot.running.get(tenant) ?? 0) + 1);
  slot.lastTenant = tenant;
}

function end(slot: EngineSlot, tenant: string): void {
  const left = (slot.running.get(tenant) ?? 0) - 1;
  if (left > 0) slot.running.set(tenant, left);
  else slot.running.delete(tenant);
  if (slot.running.size > 0) return;
  clearTimeout(slot.idleTimer);
  slot.idleTimer = setTimeout(() => {
    close(slot).catch((error: unknown) => log.warn({ err: error }, "an idle engine did not stop"));
  }, IDLE_CLOSE_MS).unref();
}

async function close(slot: EngineSlot): Promise<void> {
  clearTimeout(slot.idleTimer);
  const { lease } = slot;
  slot.lease = null;
  slot.lastTenant = null;
  // The caller that requested a failed lease has received its error.
  const held = await lease?.catch(() => null);
  await held?.release();
}
