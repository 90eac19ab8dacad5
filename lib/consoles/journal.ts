import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { isDuplicateKey } from "@/lib/db/duplicate-key";
import { AppError } from "@/lib/http/errors";
import { QueueFullError, Semaphore } from "@/lib/process/semaphore";
import { sharedState } from "@/lib/process/shared-state";
import { carryOut } from "./carry-out";
import { Changes } from "./changes";
import { collections } from "./collections";
import { tellChange } from "./tell";

/** A server carries its own change out within some ten milliseconds. Who waits this long for one takes it over. */
const TAKE_OVER_AFTER_MS = 2_000;
/** The longest pause between two looks at another server's change; drawn at random, so that servers do not march in step. */
const LOOK_AGAIN_MS = 10;
/** Of one workspace and server; far above any burst of saves. */
const QUEUE_MAX = 10_000;

/**
 * Makes one change to a workspace's consoles and folders: `work` reads and decides, and when this returns, the
 * documents and git have it. The changes of a workspace go on one after another, on however many servers: what `work`
 * has read is still true when its change counts, else it is asked again. So it must do nothing but read.
 * @throws whatever `work` throws, and then nothing is changed; AppError too_large, storage_full, unavailable
 */
export async function changeConsoles<T>(caller: Caller, work: (changes: Changes) => Promise<T>): Promise<T> {
  const { workspaceId } = caller;
  return inTurn(workspaceId, async () => {
    for (;;) {
      const seq = await settle(workspaceId);
      const changes = new Changes(caller);
      let result: T;
      try {
        result = await work(changes);
      } catch (error) {
        // What was read while another server wrote may be half of its change: only a refusal on one state counts.
        if (await isAt(workspaceId, seq)) throw error;
        continue;
      }
      const intent = await changes.toIntent();
      // Here it counts: of all that were decided on one state, the first one is written.
      const { modifiedCount } = await collections
        .consoleJournals()
        .updateOne({ workspaceId, seq, isOpen: false }, { $set: { seq: seq + 1, isOpen: true, intent } });
      if (modifiedCount === 0) continue;
      await carryOut(workspaceId, seq + 1);
      await tellChange(workspaceId, intent);
      return result;
    }
  });
}

/**
 * Waits until no change of the workspace's consoles is under way, and carries out one that its server has left behind.
 * @returns the number of the last change
 */
export async function settle(workspaceId: ObjectId): Promise<number> {
  let watched = -1;
  let since = 0;
  for (;;) {
    const journal = await collections
      .consoleJournals()
      .findOne({ workspaceId }, { projection: { _id: 0, seq: 1, isOpen: 1 } });
    if (!journal) {
      await beginJournal(workspaceId);
      continue;
    }
    const { seq, isOpen } = journal;
    if (!isOpen) return seq;
    if (seq !== watched) {
      watched = seq;
      since = performance.now();
    }
    // By this server's own clock: those of two servers differ (F9).
    if (performance.now() - since > TAKE_OVER_AFTER_MS) await carryOut(workspaceId, seq);
    else await sleep(1 + Math.random() * LOOK_AGAIN_MS);
  }
}

async function isAt(workspaceId: ObjectId, seq: number): Promise<boolean> {
  return (await collections.consoleJournals().countDocuments({ workspaceId, seq, isOpen: false }, { limit: 1 })) === 1;
}

async function beginJournal(workspaceId: ObjectId): Promise<void> {
  try {
    await collections
      .consoleJournals()
      .updateOne({ workspaceId }, { $setOnInsert: { seq: 0, isOpen: false } }, { upsert: true });
  } catch (error) {
    // Another server began it at the same moment.
    if (!isDuplicateKey(error)) throw error;
  }
}

/**
 * Changes of one workspace that come to this server wait for each other here, where waiting is cheap. Those of other
 * servers meet them in the store.
 */
async function inTurn<T>(workspaceId: ObjectId, work: () => Promise<T>): Promise<T> {
  const turns = sharedState("consoles.turns", () => new Map<string, Semaphore>());
  const key = workspaceId.toHexString();
  const turn = turns.get(key) ?? new Semaphore(1, QUEUE_MAX);
  turns.set(key, turn);
  const leave = await turn.acquire().catch((error: unknown) => {
    if (!(error instanceof QueueFullError)) throw error;
    throw new AppError("unavailable", "Too many saves at once. Try again in a moment.", { retryAfterSeconds: 1 });
  });
  try {
    return await work();
  } finally {
    leave();
    if (turn.isIdle) turns.delete(key);
  }
}
