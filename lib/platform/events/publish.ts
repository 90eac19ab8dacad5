import "server-only";
import { ObjectId } from "mongodb";
import { inTransaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { sharedState } from "@/lib/platform/process/shared-state";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import { wakeTellers } from "./doorbell";
import type { EventDoc } from "./model";
import type { EventKind } from "./schema";

/** Events of this long go into the store together: a flow that tells its progress makes one write of many. */
const GATHER_MS = 50;
/** One write: at 16 KiB an event it stays far below the largest message of the store. */
const GROUP_MAX = 500;
/** Events that wait while the store is away; browsers read everything anew when they come back, so older ones go first. */
const WAITING_MAX = 5000;
/** The largest event; what is larger tells that something changed, and is read by whoever wants it. */
const DATA_BYTES_MAX = 16 * 1024;

export type NewEvent = {
  workspaceId: ObjectId;
  kind: EventKind;
  /** What changed, in the words of the API. */
  resourceType: string;
  resourceId: ObjectId | string;
  /** The only one who is told, for what is private; every member is told without it. */
  onlyFor?: ObjectId;
  /** More that a reader needs to know, in the API's form; never a secret. */
  data?: Record<string, unknown>;
};

type Waiting = Omit<EventDoc, "_id" | "position">;
type Shared = {
  waiting: Waiting[];
  writing: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  isAtShutdown: boolean;
};

/**
 * Tells everybody who looks at the workspace that something has changed. It never fails and never waits: an event is a
 * hint to read, and what it tells of is in the store already. Call it behind the write that it tells of.
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
  if (state.waiting.length > WAITING_MAX) state.waiting.splice(0, state.waiting.length - WAITING_MAX);
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(writeNow);
  }
  // Not what keeps a process alive: the server's end writes by itself.
  state.timer ??= setTimeout(() => {
    state.timer = null;
    void writeNow();
  }, GATHER_MS).unref();
}

/** Resolves when what was published before the call is in the store, or is given up. */
export async function writeNow(): Promise<void> {
  const state = shared();
  while (state.writing) await state.writing;
  if (state.waiting.length === 0) return;
  state.writing = writeAll(state.waiting.splice(0)).finally(() => {
    state.writing = null;
  });
  await state.writing;
}

async function writeAll(waiting: readonly Waiting[]): Promise<void> {
  const byWorkspace = Map.groupBy(waiting, ({ workspaceId }) => workspaceId.toHexString());
  for (const events of byWorkspace.values()) {
    for (let start = 0; start < events.length; start += GROUP_MAX) {
      try {
        await writeGroup(events.slice(start, start + GROUP_MAX));
      } catch (error) {
        log.warn({ err: error, events: events.length - start }, "changes could not be told to those who look on");
        break;
      }
    }
  }
  wakeTellers();
}

/**
 * The counter is changed first and both become visible at once, so that whoever reads position 7 finds 1 to 6 there:
 * two servers that write at the same time follow each other.
 */
async function writeGroup(events: readonly Waiting[]): Promise<void> {
  const [first] = events;
  if (!first) return;
  const { workspaceId } = first;
  await inTransaction(async (session) => {
    const head = await collections
      .eventHeads()
      .findOneAndUpdate(
        { _id: workspaceId, workspaceId },
        { $inc: { position: events.length } },
        { upsert: true, returnDocument: "after", session },
      );
    const before = (head?.position ?? events.length) - events.length;
    const docs = events.map((event, index) => ({ _id: new ObjectId(), ...event, position: before + index + 1 }));
    await collections.events().insertMany(docs, { session });
  });
}

function shared(): Shared {
  return sharedState("events-to-write", () => ({ waiting: [], writing: null, timer: null, isAtShutdown: false }));
}
