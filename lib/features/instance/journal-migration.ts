import "server-only";
import { ObjectId } from "mongodb";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { applyWrites } from "@/lib/features/folders/apply-writes";
import type { Write } from "@/lib/features/folders/model";
import {
  type Change,
  findHead,
  MAIN_BRANCH,
  moveHead,
  prepareCommit,
  untilWon,
} from "@/lib/features/repository/service";
import { toRef } from "@/lib/features/repository/wire";
import { database } from "@/lib/platform/db/client";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";

/** A journal of schema version 3. */
type Journal = {
  _id: ObjectId;
  workspaceId: ObjectId;
  seq: number;
  isOpen: boolean;
  intent?: {
    userId: ObjectId;
    author: { name: string; email: string };
    message: string;
    at: Date;
    writes: Write[];
    parts: { repositoryId: ObjectId; changes: Change[] }[];
  };
};

/**
 * Moves the numbers of changes from the journals of schema version 3 to the main branches, and completes changes that a
 * server left open. Safe to repeat.
 */
export async function moveJournalsToMain(): Promise<void> {
  const kinds = [CONSOLES, DASHBOARDS];
  const journalsOf = ({ noun }: (typeof kinds)[number]) => database().collection<Journal>(`${noun}_journals`);
  for (const itemKind of kinds) {
    for await (const { workspaceId, seq, isOpen, intent } of journalsOf(itemKind).find()) {
      if (isOpen && intent) {
        await applyWrites(itemKind, workspaceId, seq, intent, intent.writes);
        for (const part of intent.parts) await complete(part, { ...intent, now: intent.at, change: seq });
      }
      if (seq === 0) continue;
      await collections
        .gitRefs()
        .updateOne(
          { workspaceId, ref: toRef(MAIN_BRANCH) },
          { $max: { seq }, $setOnInsert: { _id: new ObjectId(), oid: null, updatedAt: new Date() } },
          { upsert: true },
        );
    }
  }
  // Only now: both kinds count together from here on.
  for (const itemKind of kinds) await journalsOf(itemKind).drop();
}

async function complete(
  { repositoryId, changes }: { repositoryId: ObjectId; changes: Change[] },
  { author, message, now, change }: Pick<Parameters<typeof prepareCommit>[2], "author" | "message" | "now" | "change">,
): Promise<void> {
  try {
    await untilWon(async () => {
      const head = await findHead(repositoryId, MAIN_BRANCH);
      const oid = await prepareCommit(repositoryId, head, { author, message, now, change, changes });
      return oid === null || oid === head || (await moveHead(repositoryId, MAIN_BRANCH, head, oid)) ? true : null;
    });
  } catch (error) {
    // The commit exists already: a moved file is no longer at its old path.
    if (!(error instanceof AppError) || error.kind !== "not_found") throw error;
  }
}
