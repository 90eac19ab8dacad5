import "server-only";
import type { ObjectId } from "mongodb";
import { removeDraft, type SeenAt, writeDraft } from "@/lib/features/folders/drafts";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import { publishEditingEvent } from "./events";
import { toDraft } from "./model";
import type { ConsoleDraft, PutDraftBody } from "./schema";
import { getConsoleDocOrThrow } from "./service";

/** Returns the caller's unsaved draft; null without one. @throws AppError not_found for the console */
export async function findDraft(caller: Caller, consoleId: ObjectId): Promise<ConsoleDraft | null> {
  const { _id } = await getConsoleDocOrThrow(caller, consoleId);
  const doc = await collections.consoleDrafts().findOne(keyOf(caller, _id));
  return doc && toDraft(doc);
}

/**
 * Stores the caller's draft, one per console and user. Makes no commit.
 * @throws AppError not_found; conflict if another draft than the one of `updatedAt` is stored
 */
export async function putDraft(caller: Caller, consoleId: ObjectId, body: PutDraftBody): Promise<ConsoleDraft> {
  const console = await getConsoleDocOrThrow(caller, consoleId);
  const { _id, version } = console;
  const change = { content: body.content, version: body.version ?? version };
  const draft = await writeDraft(collections.consoleDrafts, keyOf(caller, _id), change, body.updatedAt, toDraft);
  publishEditingEvent(console, caller.user._id);
  return draft;
}

/**
 * Deletes the caller's draft, if any.
 * @throws AppError not_found for the console; conflict if another draft than the one of `seenAt` is stored
 */
export async function deleteDraft(caller: Caller, consoleId: ObjectId, seenAt: SeenAt): Promise<void> {
  const { _id } = await getConsoleDocOrThrow(caller, consoleId);
  await removeDraft(collections.consoleDrafts, keyOf(caller, _id), seenAt, toDraft);
}

function keyOf({ workspaceId, user }: Caller, consoleId: ObjectId) {
  return { workspaceId, consoleId, userId: user._id };
}
