import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
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

/** Stores the caller's draft, one per console and user. Makes no commit. @throws AppError not_found */
export async function putDraft(caller: Caller, consoleId: ObjectId, body: PutDraftBody): Promise<ConsoleDraft> {
  const console = await getConsoleDocOrThrow(caller, consoleId);
  const { _id, version } = console;
  const change = { content: body.content, version: body.version ?? version, updatedAt: new Date() };
  const write = () =>
    collections
      .consoleDrafts()
      .findOneAndUpdate(
        keyOf(caller, _id),
        { $set: change, $setOnInsert: { _id: new ObjectId() } },
        { upsert: true, returnDocument: "after" },
      );
  const doc = await write().catch((error: unknown) => {
    // Two windows sent their first draft at once: the other one was inserted, so this one updates it.
    if (isDuplicateKey(error)) return write();
    throw error;
  });
  if (!doc) throw new Error("The store returned no document.");
  publishEditingEvent(console, caller.user._id);
  return toDraft(doc);
}

/** Deletes the caller's draft, if any. @throws AppError not_found for the console */
export async function deleteDraft(caller: Caller, consoleId: ObjectId): Promise<void> {
  const { _id } = await getConsoleDocOrThrow(caller, consoleId);
  await collections.consoleDrafts().deleteOne(keyOf(caller, _id));
}

function keyOf({ workspaceId, user }: Caller, consoleId: ObjectId) {
  return { workspaceId, consoleId, userId: user._id };
}
