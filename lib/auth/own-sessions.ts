import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/http/paging";
import { collections } from "./collections";
import { toSession } from "./model";
import type { Session } from "./schema";

/** The user's sessions that have not ended, the newest first. */
export async function listSessions(
  userId: ObjectId,
  currentId: ObjectId,
  page: PageRequest,
  now = new Date(),
): Promise<Page<Session>> {
  const after = readCursor(page.cursor);
  const docs = await collections
    .sessions()
    .find({ userId, expires: { $gt: now }, ...(after && { _id: { $lt: after } }) })
    .sort({ _id: -1 })
    .limit(withExtra(page.limit))
    .toArray();
  return toPage(docs, page.limit, (doc) => toSession(doc, currentId));
}

/**
 * Ends one of the user's sessions, the current one too.
 * @throws AppError `not_found`, the same for an unknown id and for somebody else's session
 */
export async function endSession(userId: ObjectId, sessionId: ObjectId): Promise<void> {
  const { deletedCount } = await collections.sessions().deleteOne({ _id: sessionId, userId });
  if (deletedCount === 0) throw new AppError("not_found", "This session has ended already.");
}

/** Ends all of the user's sessions but `keepId` (null ends all). @returns how many ended */
export async function endOtherSessions(userId: ObjectId, keepId: ObjectId | null): Promise<number> {
  const { deletedCount } = await collections.sessions().deleteMany({ userId, ...(keepId && { _id: { $ne: keepId } }) });
  return deletedCount;
}
