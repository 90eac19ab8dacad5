import "server-only";
import { log } from "@/lib/log";
import { sharedState } from "@/lib/process/shared-state";
import { openConfig } from "./config";
import type { DataSource } from "./data-source";
import { driverOf } from "./drivers/registry";
import type { ConnectionDoc } from "./model";

/** Open sources of one server; the least recently used one is closed for a new one. */
const OPEN_SOURCES_MAX = 100;
/** A source that nobody asked for this long is closed: its engine or its sockets cost memory. */
const IDLE_CLOSE_MS = 10 * 60_000;
const SWEEP_EVERY_MS = 60_000;

type Slot = { source: Promise<DataSource>; usedAt: number; version: number };

/**
 * The open source of a connection, opened on first use and shared by everybody. A record that was changed since is
 * opened anew. Closing waits for what runs, so a source that was handed out can be used to the end.
 * @throws what the driver's `open` throws; a failure is not kept
 */
export function openDataSource(doc: ConnectionDoc): Promise<DataSource> {
  const slots = pool();
  const key = doc._id.toHexString();
  const version = doc.updatedAt.getTime();
  const slot = slots.get(key);
  if (slot && slot.version === version) {
    touch(slots, key, slot);
    return slot.source;
  }
  if (slot) closeSlot(slots, key, slot);
  const source = driverOf(doc.type).open({
    workspaceId: doc.workspaceId.toHexString(),
    connectionId: key,
    config: openConfig(doc),
    readOnly: doc.readOnly,
  });
  const opened: Slot = { source, usedAt: Date.now(), version };
  slots.set(key, opened);
  source.catch(() => {
    if (slots.get(key) === opened) slots.delete(key);
  });
  for (const [oldKey, old] of slots) {
    if (slots.size <= OPEN_SOURCES_MAX) break;
    closeSlot(slots, oldKey, old);
  }
  return source;
}

/** Closes the source of a connection that was changed or deleted. */
export function closeDataSource(connectionId: string): void {
  const slots = pool();
  const slot = slots.get(connectionId);
  if (slot) closeSlot(slots, connectionId, slot);
}

/** Closes everything and waits for it; for the server's end and for tests. */
export async function closeDataSources(): Promise<void> {
  const slots = [...pool().values()];
  pool().clear();
  await Promise.all(slots.map((slot) => slot.source.then((source) => source.close()).catch(() => {})));
}

function pool(): Map<string, Slot> {
  return sharedState("data-sources", () => {
    const slots = new Map<string, Slot>();
    setInterval(() => sweep(slots), SWEEP_EVERY_MS).unref();
    return slots;
  });
}

function sweep(slots: Map<string, Slot>): void {
  const oldest = Date.now() - IDLE_CLOSE_MS;
  for (const [key, slot] of slots) if (slot.usedAt < oldest) closeSlot(slots, key, slot);
}

/** A Map keeps the order of insertion, so the one that was used last goes to the end. */
function touch(slots: Map<string, Slot>, key: string, slot: Slot): void {
  slot.usedAt = Date.now();
  slots.delete(key);
  slots.set(key, slot);
}

function closeSlot(slots: Map<string, Slot>, key: string, slot: Slot): void {
  slots.delete(key);
  slot.source
    .then((source) => source.close())
    .catch((error: unknown) => log.warn({ err: error, connectionId: key }, "a data source did not close"));
}
