import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import { toDraft } from "./model";
import type { ConsoleDraft, PutDraftBody } from "./schema";
import { getConsoleDocOrThrow } from "./service";
import { tellEditing } from "./tell";

/** What the caller has typed and not saved; null when there is nothing. @throws AppError not_found for the console */
export async function findDraft(caller: Caller, consoleId: ObjectId): Promise<ConsoleDraft | null> {
  const { _id } = await getConsoleDocOrThrow(caller, consoleId);
  const doc = await collections.consoleDrafts().findOne(keyOf(caller, _id));
  return doc && toDraft(doc);
}

/** Keeps what the caller has typed, one draft a console and person. No commit. @throws AppError not_found */
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
    // Two first drafts at once, of two windows: the other one made it, so this one changes it.
    if (isDuplicateKey(error)) return write();
    throw error;
  });
  if (!doc) throw new Error("An upsert has to answer with its document.");
  tellEditing(console, caller.user._id);
  return toDraft(doc);
}

/** Forgets the caller's draft; there need not be one. @throws AppError not_found for the console */
export async function deleteDraft(caller: Caller, consoleId: ObjectId): Promise<void> {
  const { _id } = await getConsoleDocOrThrow(caller, consoleId);
  await collections.consoleDrafts().deleteOne(keyOf(caller, _id));
}

function keyOf({ workspaceId, user }: Caller, consoleId: ObjectId) {
  return { workspaceId, consoleId, userId: user._id };
}
