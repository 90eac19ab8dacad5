import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { applyIntents } from "./apply";
import { Changes } from "./changes";
import { tellChange } from "./events";
import type { ItemKind } from "./item-kind";

/** A server completes its own change within some ten milliseconds. Another one takes it over after this wait. */
const TAKE_OVER_AFTER_MS = 2_000;
/** Longest pause between two checks of another server's change; random, so that servers do not synchronise. */
const LOOK_AGAIN_MS = 10;

/**
 * Makes one change to a workspace's items and folders. `work` reads and decides; after this returns, the documents and
 * git contain the result. The changes of a workspace are serialised across servers: the data that `work` has read is
 * still current when its change is written, else `work` runs again. So it must only read.
 * @throws errors of `work`, and then nothing is changed; AppError too_large, storage_full, unavailable
 */
export async function changeItems<T>(
  caller: Caller,
  itemKind: ItemKind,
  work: (changes: Changes) => Promise<T>,
): Promise<T> {
  const { workspaceId } = caller;
  return withKeyedLock(`filed:${itemKind.root}:${workspaceId.toHexString()}`, async () => {
    for (;;) {
      const seq = await settle(itemKind, workspaceId);
      const changes = new Changes(caller, itemKind);
      let result: T;
      try {
        result = await work(changes);
      } catch (error) {
        // Data read while another server wrote may be half of its change: only an error on a consistent state counts.
        if (await isAt(itemKind, workspaceId, seq)) throw error;
        continue;
      }
      const intent = await changes.toIntent();
      // This is the commit point: of all changes decided on one state, the first is written.
      const { modifiedCount } = await itemKind
        .journals()
        .updateOne({ workspaceId, seq, isOpen: false }, { $set: { seq: seq + 1, isOpen: true, intent } });
      if (modifiedCount === 0) continue;
      await applyIntents(itemKind, workspaceId, seq + 1);
      await tellChange(itemKind, workspaceId, intent);
      return result;
    }
  });
}

/**
 * Waits until no change of the workspace's items is open, and completes one that its server has abandoned.
 * @returns the number of the last change
 */
export async function settle(itemKind: ItemKind, workspaceId: ObjectId): Promise<number> {
  let watched = -1;
  let since = 0;
  for (;;) {
    const journal = await itemKind.journals().findOne({ workspaceId }, { projection: { _id: 0, seq: 1, isOpen: 1 } });
    if (!journal) {
      await beginJournal(itemKind, workspaceId);
      continue;
    }
    const { seq, isOpen } = journal;
    if (!isOpen) return seq;
    if (seq !== watched) {
      watched = seq;
      since = performance.now();
    }
    // Measured by this server's clock: those of two servers differ (F9).
    if (performance.now() - since > TAKE_OVER_AFTER_MS) await applyIntents(itemKind, workspaceId, seq);
    else await sleep(1 + Math.random() * LOOK_AGAIN_MS);
  }
}

async function isAt(itemKind: ItemKind, workspaceId: ObjectId, seq: number): Promise<boolean> {
  return (await itemKind.journals().countDocuments({ workspaceId, seq, isOpen: false }, { limit: 1 })) === 1;
}

async function beginJournal(itemKind: ItemKind, workspaceId: ObjectId): Promise<void> {
  try {
    await itemKind.journals().updateOne({ workspaceId }, { $setOnInsert: { seq: 0, isOpen: false } }, { upsert: true });
  } catch (error) {
    // Another server started it at the same moment.
    if (!isDuplicateKey(error)) throw error;
  }
}
