import "server-only";
import type { ObjectId } from "mongodb";
import { closeChange, indexQuietly, MAIN_BRANCH, moveHead, readMain } from "@/lib/features/repository/service";
import { applyWrites, withdrawLateInserts } from "./apply-writes";
import { type ItemKind, itemKinds } from "./item-kind";
import type { ItemChange, Write } from "./model";
import { writesOfFiles } from "./writes-of-files";

/** The documents that a change has written. */
export type Written = { itemKind: ItemKind; writes: Write[] };

/**
 * Writes an open change to the documents and to the private repositories, and closes it. Any number of servers may do so
 * at once and stop at any point: each step is idempotent.
 * @throws AppError storage_full or unavailable: the change stays open, and the next caller continues it
 */
export async function applyChange(workspaceId: ObjectId, seq: number, change: ItemChange): Promise<Written[]> {
  const written: Written[] = [];
  for (const itemKind of itemKinds()) {
    const { writes, files } = await writesOf(itemKind, workspaceId, seq, change);
    if (writes.length === 0) continue;
    await applyWrites(itemKind, workspaceId, seq, change, writes);
    written.push({ itemKind, writes });
    if (itemKind.follow && (await isOpen(workspaceId, seq))) {
      const { userId, isFromHost = false, isRestored = false } = change;
      for (const { id, file } of files) await itemKind.follow(file, { id, userId, isFromHost, isRestored });
    }
  }
  for (const { repositoryId, base, oid } of change.commits ?? []) {
    // False if an earlier attempt has moved it: no one else writes to a private repository.
    if (await moveHead(repositoryId, MAIN_BRANCH, base, oid)) await indexQuietly(repositoryId, oid);
  }
  if (await closeChange(workspaceId, seq)) return written;
  // Another server has closed this change, so documents inserted here may have been deleted since.
  for (const { itemKind, writes } of written) await withdrawLateInserts(itemKind, workspaceId, seq, writes);
  return written;
}

async function writesOf(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  change: ItemChange,
): Promise<Awaited<ReturnType<typeof writesOfFiles>>> {
  if (change.pushed) return writesOfFiles(itemKind, { workspaceId, seq, ...change, ...change.pushed });
  return { writes: change.root === itemKind.root ? (change.writes ?? []) : [], files: [] };
}

async function isOpen(workspaceId: ObjectId, seq: number): Promise<boolean> {
  const main = await readMain(workspaceId);
  return main.seq === seq && main.open !== null;
}
