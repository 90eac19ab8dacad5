import "server-only";
import type { ObjectId } from "mongodb";
import { type Change, commitChanges, findBranch, readFile } from "@/lib/features/repository/service";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { collections } from "./collections";
import type { ItemKind } from "./item-kind";
import { type CommitPart, type Intent, WORKSPACE_SPACE } from "./model";

/** Maximum number of attempts. More foreign commits between two reads of one file do not happen. */
const REALIGN_TRIES = 10;
/** Transient failures. */
const PASSING: ReadonlySet<string> = new Set(["storage_full", "unavailable"]);

/**
 * Commits one repository's part of a change, on the base decided for it.
 * @param isStillOpen whether the change is still open
 * @returns whether this call made a commit
 */
export async function commitPart(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  seq: number,
  { author, message, at }: Intent,
  part: CommitPart,
  isStillOpen: () => Promise<boolean>,
): Promise<boolean> {
  const { repositoryId, changes, base } = part;
  try {
    // With a fixed base, a second attempt meets the files of the first one and is a conflict.
    const expectedHead = base ?? undefined;
    const { isNew } = await commitChanges({
      repositoryId,
      author,
      message,
      changes,
      expectedHead,
      now: at,
      change: seq,
    });
    return isNew;
  } catch (error) {
    if (!(error instanceof AppError) || PASSING.has(error.kind)) throw error;
    if ((await isStillOpen()) && !(await hasLanded(part))) {
      log.warn({ err: error, workspaceId: workspaceId.toHexString() }, "git has other files than the documents");
      await realign(itemKind, workspaceId, { author, message, at }, part);
    }
    return false;
  }
}

/**
 * Makes git's files at the paths of a change equal to the documents, which are the source of truth. Needed after
 * foreign writes to these files, and after a late commit.
 */
export async function realign(
  itemKind: ItemKind,
  workspaceId: ObjectId,
  { author, message, at }: Pick<Intent, "author" | "message" | "at">,
  { repositoryId, changes }: CommitPart,
): Promise<void> {
  const space = await spaceOfRepository(workspaceId, repositoryId);
  const files = new Set(
    changes.flatMap((change) => (change.kind === "move" ? [change.from, change.to] : [change.path])),
  );
  for (let tries = 0; tries < REALIGN_TRIES; tries++) {
    const expectedHead = (await findBranch(repositoryId, "main")) ?? undefined;
    const missing: Change[] = [];
    for (const path of files) {
      const doc = await itemKind.items().findOne({ workspaceId, space, file: path });
      const text = await textAt(repositoryId, path);
      if (doc && doc.content !== text) {
        missing.push({ kind: "put", path, content: doc.content, fileId: doc._id.toHexString() });
      } else if (!doc && text !== null) missing.push({ kind: "delete", path });
    }
    if (missing.length === 0) return;
    try {
      await commitChanges({ repositoryId, author, message, changes: missing, expectedHead, now: at });
      return;
    } catch (error) {
      if (!(error instanceof AppError) || PASSING.has(error.kind)) throw error;
      log.warn({ err: error, workspaceId: workspaceId.toHexString() }, "files could not be committed");
    }
  }
  // The next save of these files repairs it: their texts are safe in the documents.
  log.error({ workspaceId: workspaceId.toHexString(), files: [...files] }, "git lacks saves of files");
}

async function hasLanded({ repositoryId, changes }: CommitPart): Promise<boolean> {
  for (const change of changes) {
    if (change.kind !== "put") {
      const source = await textAt(repositoryId, change.kind === "move" ? change.from : change.path);
      if (source !== null) return false;
    }
    if (change.kind === "delete") continue;
    const target = await textAt(repositoryId, change.kind === "move" ? change.to : change.path);
    if (target === null || (change.content !== undefined && target !== change.content)) return false;
  }
  return true;
}

async function spaceOfRepository(workspaceId: ObjectId, repositoryId: ObjectId): Promise<string> {
  const owned = await collections.privateRepositories().findOne({ _id: repositoryId, workspaceId });
  return owned ? owned.ownerId.toHexString() : WORKSPACE_SPACE;
}

/** Returns the file's text on the main branch; null without one. */
async function textAt(repositoryId: ObjectId, path: string): Promise<string | null> {
  try {
    return (await readFile({ repositoryId, path })).content.toString("utf8");
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}
