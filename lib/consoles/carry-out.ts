import "server-only";
import type { ObjectId } from "mongodb";
import { findBranch } from "@/lib/repository/service";
import { applyWrites, withdrawLateInserts } from "./apply-writes";
import { collections } from "./collections";
import { commitPart, realign } from "./commit-part";
import type { CommitPart, ConsoleJournalDoc } from "./model";

type OpenJournal = ConsoleJournalDoc & { intent: NonNullable<ConsoleJournalDoc["intent"]> };

/**
 * Does what a change intends: the documents, then git, then it is over. Any number of servers may do so at once and
 * stop anywhere: each step done twice is done once.
 * @throws AppError storage_full or unavailable: the change stays open, and whoever comes next goes on with it
 */
export async function carryOut(workspaceId: ObjectId, seq: number): Promise<void> {
  const journal = await findOpen(workspaceId, seq);
  if (!journal) return;
  const { intent } = journal;
  await applyWrites(workspaceId, seq, intent);
  let isNew = false;
  for (const index of intent.parts.keys()) {
    const part = await withBase(journal, index);
    if (!part) break;
    const isStillOpen = async () => (await findOpen(workspaceId, seq)) !== null;
    isNew = (await commitPart(workspaceId, seq, intent, part, isStillOpen)) || isNew;
  }
  const { modifiedCount } = await collections
    .consoleJournals()
    .updateOne({ workspaceId, seq, isOpen: true }, { $set: { isOpen: false }, $unset: { intent: true } });
  if (modifiedCount === 1) return;
  // Another server has ended this change meanwhile, so what was done here may stand on top of later ones.
  await withdrawLateInserts(workspaceId, seq, intent);
  if (isNew) for (const part of intent.parts) await realign(workspaceId, intent, part);
}

async function findOpen(workspaceId: ObjectId, seq: number): Promise<OpenJournal | null> {
  const journal = await collections.consoleJournals().findOne({ workspaceId, seq, isOpen: true });
  return journal?.intent ? { ...journal, intent: journal.intent } : null;
}

/** The part with the head that it builds on: the first to come decides on one for all. Null when the change is over. */
async function withBase({ workspaceId, seq, intent }: OpenJournal, index: number): Promise<CommitPart | null> {
  const part = intent.parts[index];
  if (!part || part.base !== undefined) return part ?? null;
  const field = `intent.parts.${index}.base`;
  const base = await findBranch(part.repositoryId, "main");
  const { modifiedCount } = await collections
    .consoleJournals()
    .updateOne({ workspaceId, seq, isOpen: true, [field]: { $exists: false } }, { $set: { [field]: base } });
  if (modifiedCount === 1) return { ...part, base };
  return (await findOpen(workspaceId, seq))?.intent.parts[index] ?? null;
}
