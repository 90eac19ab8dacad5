import "server-only";
import type { ObjectId } from "mongodb";
import type { BySession, UserCaller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { toSession } from "./model";
import type { Session } from "./schema";

/** Lists the caller's unexpired sessions, newest first. */
export async function listSessions(
  { user, via }: UserCaller<BySession>,
  page: PageRequest,
  now = new Date(),
): Promise<Page<Session>> {
  const unexpired = { userId: user._id, expires: { $gt: now } };
  return findPage(collections.sessions(), unexpired, page, { order: "newest" }, (doc) => toSession(doc, via.sessionId));
}

/**
 * Ends one of the caller's sessions; the current one is allowed.
 * @throws AppError `not_found`, the same for an unknown id and for another user's session
 */
export async function endSession({ user }: UserCaller, sessionId: ObjectId): Promise<void> {
  const { deletedCount } = await collections.sessions().deleteOne({ _id: sessionId, userId: user._id });
  if (deletedCount === 0) throw new AppError("not_found", "This session has already ended.");
}

/** Ends all of the caller's sessions except the current one. @returns the number of ended sessions */
export async function endOtherSessions({ user, via }: UserCaller<BySession>): Promise<number> {
  const others = { userId: user._id, _id: { $ne: via.sessionId } };
  const { deletedCount } = await collections.sessions().deleteMany(others);
  return deletedCount;
}

/** Ends all sessions of an account. Takes no caller: a request with a reset link is not signed in. */
export async function endSessionsOf(userId: ObjectId): Promise<void> {
  await collections.sessions().deleteMany({ userId });
}
