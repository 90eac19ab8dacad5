import "server-only";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { SharedResource } from "@/lib/platform/process/shared-resource";
import { openConfig } from "./config";
import type { DataSource } from "./data-source";
import { driverOf } from "./drivers/registry";
import { type ConnectionDoc, mayOnlyRead } from "./model";

/** Maximum open sources of one server. Above it the least recently used source is closed; one in use never is. */
const OPEN_SOURCES_MAX = 100;
/** Idle time after which a source is closed, in ms: its engine or its sockets cost memory. */
const IDLE_CLOSE_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 60_000;

/** A lease on a connection's open source, to be released in a `finally`. */
export type DataSourceLease = {
  /** Rejects with errors of the driver's `open`. */
  readonly source: Promise<DataSource>;
  release(): void;
};

type Slot = { shared: SharedResource<Promise<DataSource>>; version: number; usedAt: number };
type Limits = { openMax: number; idleCloseMs: number };

/** The open sources of one server, by connection. */
export class DataSourcePool {
  readonly limits: Limits = { openMax: OPEN_SOURCES_MAX, idleCloseMs: IDLE_CLOSE_MS };
  /** In the order of their last use. */
  readonly #slots = new Map<string, Slot>();
  /** Those of `#slots`, and retired ones that a lease keeps open. */
  readonly #open = new Set<SharedResource<Promise<DataSource>>>();

  readonly #sweeps = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();

  lease(doc: ConnectionDoc): DataSourceLease {
    const key = doc._id.toHexString();
    const version = doc.updatedAt.getTime();
    const known = this.#slots.get(key);
    if (known && known.version !== version) this.#retire(key, known);
    const slot = this.#slots.get(key) ?? this.#openSlot(key, doc, version);
    this.#touch(key, slot);
    const { resource, release } = slot.shared.lease();
    this.#evict();
    return { source: resource, release: () => void release().catch(() => {}) };
  }

  retire(connectionId: string): void {
    const slot = this.#slots.get(connectionId);
    if (slot) this.#retire(connectionId, slot);
  }

  /** Closes every source once it is unused, and waits for that. */
  async close(): Promise<void> {
    clearInterval(this.#sweeps);
    this.#slots.clear();
    await Promise.all([...this.#open].map((shared) => shared.retire().catch(() => {})));
  }

  sweep(now = Date.now()): void {
    for (const [key, slot] of this.#slots) {
      if (isFree(slot) && slot.usedAt < now - this.limits.idleCloseMs) this.#retire(key, slot);
    }
  }

  counts(): { open: number; leases: number } {
    return { open: this.#open.size, leases: [...this.#open].reduce((sum, { leaseCount }) => sum + leaseCount, 0) };
  }

  #openSlot(key: string, doc: ConnectionDoc, version: number): Slot {
    const source = open(doc, key);
    const shared = new SharedResource(source, {
      close: async (opening) => {
        try {
          // A source that failed to open has nothing to close.
          const opened = await opening.catch(() => null);
          await opened?.close();
        } catch (error) {
          log.warn({ err: error, connectionId: key }, "a data source did not close");
        } finally {
          this.#open.delete(shared);
        }
      },
      onRelease: () => {
        if (this.#slots.get(key) !== slot) return;
        this.#touch(key, slot);
        this.#evict();
      },
    });
    const slot: Slot = { shared, version, usedAt: Date.now() };
    this.#open.add(shared);
    this.#slots.set(key, slot);
    source.catch(() => {
      if (this.#slots.get(key) === slot) this.#retire(key, slot);
    });
    return slot;
  }

  #touch(key: string, slot: Slot): void {
    slot.usedAt = Date.now();
    this.#slots.delete(key);
    this.#slots.set(key, slot);
  }

  #evict(): void {
    let surplus = this.#slots.size - this.limits.openMax;
    if (surplus <= 0) return;
    for (const [key, slot] of this.#slots) {
      if (surplus <= 0) return;
      if (!isFree(slot)) continue;
      this.#retire(key, slot);
      surplus -= 1;
    }
  }

  #retire(key: string, slot: Slot): void {
    this.#slots.delete(key);
    void slot.shared.retire().catch(() => {});
  }
}

/**
 * Takes a lease on the open source of a connection, which is opened on first use and shared. A changed record opens a
 * new source. The old one, or one that was deleted or exceeds the limit, closes when its last lease is released.
 */
export function leaseDataSource(doc: ConnectionDoc): DataSourceLease {
  return dataSourcePool().lease(doc);
}

/**
 * Runs work with the open source of a connection and holds a lease on it until the work ends.
 * @throws errors of the driver's `open` and of the work
 */
export async function withDataSource<T>(doc: ConnectionDoc, work: (source: DataSource) => Promise<T>): Promise<T> {
  const lease = leaseDataSource(doc);
  try {
    return await work(await lease.source);
  } finally {
    lease.release();
  }
}

/** Closes the source of a deleted connection, once it is unused. */
export function retireDataSource(connectionId: string): void {
  dataSourcePool().retire(connectionId);
}

/** Returns the sources of this server. Tests read its counts and set its limits. */
export const dataSourcePool = serverMember("dataSources", () => new DataSourcePool(), {
  phase: "clients",
  close: (pool) => pool.close(),
});

async function open(doc: ConnectionDoc, connectionId: string): Promise<DataSource> {
  return driverOf(doc.type).open({
    workspaceId: doc.workspaceId.toHexString(),
    connectionId,
    config: openConfig(doc),
    readOnly: mayOnlyRead(doc),
  });
}

function isFree({ shared }: Slot): boolean {
  return shared.leaseCount === 0;
}
