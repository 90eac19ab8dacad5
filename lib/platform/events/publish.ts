import "server-only";
import { ObjectId } from "mongodb";
import { inTransaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import { wakeTellers } from "./doorbell";
import type { EventDoc } from "./model";
import type { EventKind } from "./schema";

/** Time for which events are gathered into one write, in ms: a flow's progress would otherwise cause many. */
const GATHER_MS = 50;
/** Maximum number of events in one write: at 16 KiB each, far below the store's largest message. */
const GROUP_MAX = 500;
/** Maximum number of queued events. Older ones are dropped first, and readers load everything again. */
const WAITING_MAX = 5000;
/** Pause before readers are told of events that could not be written, in ms. */
const RETRY_MS = 1000;
/** Maximum size of an event's data. A larger event only says that something changed, and readers load the rest. */
const DATA_BYTES_MAX = 16 * 1024;

export type NewEvent = {
  workspaceId: ObjectId;
  kind: EventKind;
  /** Type of the changed resource, as the API names it. */
  resourceType: string;
  resourceId: ObjectId | string;
  /** The only recipient, for private data; every member gets it otherwise. */
  onlyFor?: ObjectId;
  /** Further facts for readers, in the API's form; never a secret. */
  data?: Record<string, unknown>;
};

type Waiting = Omit<EventDoc, "_id" | "position">;
export type EventBuffer = {
  waiting: Waiting[];
  /** Workspaces of which events were dropped, by their ids, until readers can know. */
  lossy: Map<string, ObjectId>;
  writing: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  isAtShutdown: boolean;
};

/**
 * Notifies everyone who watches the workspace of a change. It never fails and never waits: an event is a hint to read,
 * and the change is already stored. Call it after the write.
 */
export function publish({ workspaceId, kind, resourceType, resourceId, onlyFor, data }: NewEvent): void {
  const state = shared();
  const at = new Date();
  const facts = { resourceType, resourceId: String(resourceId), at: at.toISOString() };
  const isLarge = data !== undefined && Buffer.byteLength(JSON.stringify(data)) > DATA_BYTES_MAX;
  state.waiting.push({
    workspaceId,
    kind,
    userId: onlyFor ?? null,
    data: isLarge ? facts : { ...data, ...facts },
    at,
  });
  if (state.waiting.length > WAITING_MAX) markLossy(state.waiting.splice(0, state.waiting.length - WAITING_MAX));
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(writeNow);
  }
  writeAfter(GATHER_MS);
}

function writeAfter(pauseMs: number): void {
  const state = shared();
  // Must not keep the process alive: shutting down writes the queue itself.
  state.timer ??= setTimeout(() => {
    state.timer = null;
    void writeNow();
  }, pauseMs).unref();
}

function markLossy(events: readonly Waiting[]): void {
  for (const { workspaceId } of events) shared().lossy.set(workspaceId.toHexString(), workspaceId);
}

/** Resolves when all events published before the call are stored, or dropped. */
export async function writeNow(): Promise<void> {
  const state = shared();
  while (state.writing) await state.writing;
  if (state.waiting.length === 0 && state.lossy.size === 0) return;
  state.writing = writeAll(state.waiting.splice(0)).finally(() => {
    state.writing = null;
  });
  await state.writing;
}

async function writeAll(waiting: readonly Waiting[]): Promise<void> {
  const { lossy } = shared();
  const byWorkspace = Map.groupBy(waiting, ({ workspaceId }) => workspaceId.toHexString());
  const ids = new Map(lossy);
  for (const { workspaceId } of waiting) ids.set(workspaceId.toHexString(), workspaceId);
  for (const [key, workspaceId] of ids) {
    const events = byWorkspace.get(key) ?? [];
    let written = 0;
    try {
      do {
        const group = events.slice(written, written + GROUP_MAX);
        // Further events may be dropped during the write.
        await writeGroup(workspaceId, group, lossy.delete(key) ? 1 : 0);
        written += group.length;
      } while (written < events.length);
    } catch (error) {
      log.warn({ err: error, events: events.length - written }, "failed to send workspace events");
      lossy.set(key, workspaceId);
      writeAfter(RETRY_MS);
    }
  }
  wakeTellers();
}

/**
 * Changes the counter first; both writes become visible at once. A reader of position 7 therefore finds 1 to 6, and two
 * servers that write at the same time follow each other.
 * @param skipped number of positions without an event, which tell readers of lost ones
 */
async function writeGroup(workspaceId: ObjectId, events: readonly Waiting[], skipped: number): Promise<void> {
  await inTransaction(async (session) => {
    const added = events.length + skipped;
    const head = await collections
      .eventHeads()
      .findOneAndUpdate(
        { _id: workspaceId, workspaceId },
        { $inc: { position: added } },
        { upsert: true, returnDocument: "after", session },
      );
    const before = (head?.position ?? added) - events.length;
    const docs = events.map((event, index) => ({ _id: new ObjectId(), ...event, position: before + index + 1 }));
    if (docs.length > 0) await collections.events().insertMany(docs, { session });
  });
}

const shared = serverMember("eventBuffer", () => ({
  waiting: [],
  lossy: new Map(),
  writing: null,
  timer: null,
  isAtShutdown: false,
}));
