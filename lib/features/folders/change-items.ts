import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { ObjectId } from "mongodb";
import { findOpenChanges, indexQuietly, type Main, openChange, readMain } from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isFullDisk } from "@/lib/platform/db/full-disk";
import { AppError } from "@/lib/platform/http/errors";
import { withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { applyChange } from "./apply-change";
import { Changes } from "./changes";
import { publishChange } from "./events";
import type { ItemKind } from "./item-kind";
import type { ItemChange } from "./model";

/** A server completes its own change within some ten milliseconds. Another one takes it over after this wait. */
const TAKE_OVER_AFTER_MS = 2_000;
/** Age of a change from which the sweep looks at it; servers' clocks may differ, and `settle` measures again. */
const ABANDONED_AFTER_MS = 5_000;
/** Changes completed by one sweep: one for each workspace in which the dead server was writing. */
const ABANDONED_AT_ONCE = 50;
/** Longest pause between two checks of another server's change; random, so that servers do not synchronise. */
const LOOK_AGAIN_MS = 10;

/**
 * Makes one change to a workspace's items and folders. `work` reads and decides; after this returns, git and the
 * documents contain the result. The changes of a workspace are serialised across servers: the data that `work` has read
 * is still current when main moves, else `work` runs again. So it must only read.
 * @throws errors of `work`, and then nothing is changed; AppError too_large, storage_full, unavailable
 */
export async function changeItems<T>(
  caller: Caller,
  itemKind: ItemKind,
  work: (changes: Changes) => Promise<T>,
): Promise<T> {
  const { workspaceId } = caller;
  return withChangesOf(workspaceId, async () => {
    for (;;) {
      const main = await settle(workspaceId);
      const changes = new Changes(caller, itemKind);
      let result: T;
      try {
        result = await work(changes);
      } catch (error) {
        // Data read while another server wrote may be half of its change: only an error on a consistent state counts.
        if (await isAt(workspaceId, main)) throw error;
        continue;
      }
      const { oid, change } = await changes.prepare(main);
      if (await makeChange(workspaceId, main, oid, change)) return result;
    }
  });
}

/** Runs a change after this server's earlier changes of the workspace: of two at once, one would be in vain. */
export function withChangesOf<T>(workspaceId: ObjectId, work: () => Promise<T>): Promise<T> {
  return withKeyedLock(`items:${workspaceId.toHexString()}`, work);
}

/**
 * Moves main, which is the point from which the change counts, and writes it to the documents.
 * @param oid main's new head; the old one if no file of it changes
 * @returns false when main has moved or another change was made; nothing was changed
 */
export async function makeChange(
  workspaceId: ObjectId,
  main: Main,
  oid: string | null,
  change: ItemChange,
): Promise<boolean> {
  if (!(await openChange(workspaceId, main, oid, change))) return false;
  if (oid !== null && oid !== main.oid) await indexQuietly(workspaceId, oid);
  try {
    await complete(workspaceId, main.seq + 1, change);
  } catch (error) {
    if (!isFullDisk(error)) throw error;
    // The change counts, since main has moved.
    const message = "The store is full. The change is saved in git and is shown as soon as there is free space.";
    throw new AppError("storage_full", message, { cause: error });
  }
  return true;
}

async function complete(workspaceId: ObjectId, seq: number, change: ItemChange): Promise<void> {
  await publishChange(workspaceId, change, await applyChange(workspaceId, seq, change));
}

/**
 * Waits until no change of the workspace's items is open, and completes one that its server has abandoned.
 * @returns main with the number of the last change
 */
export async function settle(workspaceId: ObjectId): Promise<Main> {
  let watched = -1;
  let since = 0;
  for (;;) {
    const main = await readMain(workspaceId);
    if (!main.open) return main;
    if (main.seq !== watched) {
      watched = main.seq;
      since = performance.now();
    }
    // Measured by this server's clock: those of two servers differ (F9).
    if (performance.now() - since > TAKE_OVER_AFTER_MS) {
      await complete(workspaceId, main.seq, main.open as unknown as ItemChange);
    } else await sleep(1 + Math.random() * LOOK_AGAIN_MS);
  }
}

/** Completes changes that dead servers have left open, without waiting for a visitor. */
export async function completeAbandoned(): Promise<void> {
  const openedBefore = new Date(Date.now() - ABANDONED_AFTER_MS);
  const workspaces = await findOpenChanges(openedBefore, ABANDONED_AT_ONCE);
  await Promise.all(workspaces.map((workspaceId) => withChangesOf(workspaceId, () => settle(workspaceId))));
}

async function isAt(workspaceId: ObjectId, { oid, seq }: Main): Promise<boolean> {
  const main = await readMain(workspaceId);
  return main.oid === oid && main.seq === seq && !main.open;
}
