import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { oneAtATime } from "@/lib/platform/http/one-at-a-time";
import type { Cabinet } from "./cabinet";
import { carryOut } from "./carry-out";
import { Changes } from "./changes";
import { tellChange } from "./tell";

/** A server carries its own change out within some ten milliseconds. Who waits this long for one takes it over. */
const TAKE_OVER_AFTER_MS = 2_000;
/** The longest pause between two looks at another server's change; drawn at random, so that servers do not march in step. */
const LOOK_AGAIN_MS = 10;

/**
 * Makes one change to what a workspace has filed, and to its folders: `work` reads and decides, and when this returns, the
 * documents and git have it. The changes of a workspace go on one after another, on however many servers: what `work`
 * has read is still true when its change counts, else it is asked again. So it must do nothing but read.
 * @throws whatever `work` throws, and then nothing is changed; AppError too_large, storage_full, unavailable
 */
export async function changeFiled<T>(
  caller: Caller,
  cabinet: Cabinet,
  work: (changes: Changes) => Promise<T>,
): Promise<T> {
  const { workspaceId } = caller;
  return oneAtATime(`filed:${cabinet.root}:${workspaceId.toHexString()}`, async () => {
    for (;;) {
      const seq = await settle(cabinet, workspaceId);
      const changes = new Changes(caller, cabinet);
      let result: T;
      try {
        result = await work(changes);
      } catch (error) {
        // What was read while another server wrote may be half of its change: only a refusal on one state counts.
        if (await isAt(cabinet, workspaceId, seq)) throw error;
        continue;
      }
      const intent = await changes.toIntent();
      // Here it counts: of all that were decided on one state, the first one is written.
      const { modifiedCount } = await cabinet
        .journals()
        .updateOne({ workspaceId, seq, isOpen: false }, { $set: { seq: seq + 1, isOpen: true, intent } });
      if (modifiedCount === 0) continue;
      await carryOut(cabinet, workspaceId, seq + 1);
      await tellChange(cabinet, workspaceId, intent);
      return result;
    }
  });
}

/**
 * Waits until no change of what the workspace has filed is under way, and carries out one that its server has left behind.
 * @returns the number of the last change
 */
export async function settle(cabinet: Cabinet, workspaceId: ObjectId): Promise<number> {
  let watched = -1;
  let since = 0;
  for (;;) {
    const journal = await cabinet.journals().findOne({ workspaceId }, { projection: { _id: 0, seq: 1, isOpen: 1 } });
    if (!journal) {
      await beginJournal(cabinet, workspaceId);
      continue;
    }
    const { seq, isOpen } = journal;
    if (!isOpen) return seq;
    if (seq !== watched) {
      watched = seq;
      since = performance.now();
    }
    // By this server's own clock: those of two servers differ (F9).
    if (performance.now() - since > TAKE_OVER_AFTER_MS) await carryOut(cabinet, workspaceId, seq);
    else await sleep(1 + Math.random() * LOOK_AGAIN_MS);
  }
}

async function isAt(cabinet: Cabinet, workspaceId: ObjectId, seq: number): Promise<boolean> {
  return (await cabinet.journals().countDocuments({ workspaceId, seq, isOpen: false }, { limit: 1 })) === 1;
}

async function beginJournal(cabinet: Cabinet, workspaceId: ObjectId): Promise<void> {
  try {
    await cabinet.journals().updateOne({ workspaceId }, { $setOnInsert: { seq: 0, isOpen: false } }, { upsert: true });
  } catch (error) {
    // Another server began it at the same moment.
    if (!isDuplicateKey(error)) throw error;
  }
}
