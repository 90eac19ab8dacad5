import "server-only";
import type { ObjectId } from "mongodb";
import { findBranch } from "@/lib/features/repository/service";
import { applyWrites, withdrawLateInserts } from "./apply-writes";
import { commitPart, realign } from "./commit-part";
import type { ItemKind } from "./item-kind";
import type { CommitPart, JournalDoc } from "./model";

type OpenJournal = JournalDoc & { intent: NonNullable<JournalDoc["intent"]> };

/**
 * Applies a change: first the documents, then git, then it is closed. Any number of servers may do so at once and stop
 * at any point: each step is idempotent.
 * @throws AppError storage_full or unavailable: the change stays open, and the next caller continues it
 */
export async function applyIntents(itemKind: ItemKind, workspaceId: ObjectId, seq: number): Promise<void> {
  const journal = await findOpen(itemKind, workspaceId, seq);
  if (!journal) return;
  const { intent } = journal;
  await applyWrites(itemKind, workspaceId, seq, intent);
  let isNew = false;
  for (const index of intent.parts.keys()) {
    const part = await withBase(itemKind, journal, index);
    if (!part) break;
    const isStillOpen = async () => (await findOpen(itemKind, workspaceId, seq)) !== null;
    isNew = (await commitPart(itemKind, workspaceId, seq, intent, part, isStillOpen)) || isNew;
  }
  const { modifiedCount } = await itemKind
    .journals()
    .updateOne({ workspaceId, seq, isOpen: true }, { $set: { isOpen: false }, $unset: { intent: true } });
  if (modifiedCount === 1) return;
  // Another server has closed this change, so these writes may have overwritten later ones.
  await withdrawLateInserts(itemKind, workspaceId, seq, intent);
  if (isNew) for (const part of intent.parts) await realign(itemKind, workspaceId, intent, part);
}

async function findOpen(itemKind: ItemKind, workspaceId: ObjectId, seq: number): Promise<OpenJournal | null> {
  const journal = await itemKind.journals().findOne({ workspaceId, seq, isOpen: true });
  return journal?.intent ? { ...journal, intent: journal.intent } : null;
}

/** Returns the part with its base commit, which the first server decides for all. Null when the change is closed. */
async function withBase(
  itemKind: ItemKind,
  { workspaceId, seq, intent }: OpenJournal,
  index: number,
): Promise<CommitPart | null> {
  const part = intent.parts[index];
  if (!part || part.base !== undefined) return part ?? null;
  const field = `intent.parts.${index}.base`;
  const base = await findBranch(part.repositoryId, "main");
  const { modifiedCount } = await itemKind
    .journals()
    .updateOne({ workspaceId, seq, isOpen: true, [field]: { $exists: false } }, { $set: { [field]: base } });
  if (modifiedCount === 1) return { ...part, base };
  return (await findOpen(itemKind, workspaceId, seq))?.intent.parts[index] ?? null;
}
