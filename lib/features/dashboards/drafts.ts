import "server-only";
import type { ObjectId } from "mongodb";
import { removeDraft, type SeenAt, writeDraft } from "@/lib/features/folders/drafts";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import type { DashboardDraftDoc } from "./model";
import type { DashboardDraft, PutDashboardDraftBody } from "./schema";
import { getDashboardDocOrThrow } from "./service";

/** Returns the caller's unsaved changes; null without any. @throws AppError not_found for the dashboard */
export async function findDraft(caller: Caller, dashboardId: ObjectId): Promise<DashboardDraft | null> {
  const { _id } = await getDashboardDocOrThrow(caller, dashboardId);
  const doc = await collections.dashboardDrafts().findOne(keyOf(caller, _id));
  return doc && toDraft(doc);
}

/**
 * Stores the caller's changes, one draft per dashboard and user. Makes no commit.
 * @throws AppError not_found; conflict if another draft than the one of `updatedAt` is stored
 */
export async function putDraft(
  caller: Caller,
  dashboardId: ObjectId,
  { updatedAt, ...change }: PutDashboardDraftBody,
): Promise<DashboardDraft> {
  const { _id } = await getDashboardDocOrThrow(caller, dashboardId);
  return writeDraft(collections.dashboardDrafts, keyOf(caller, _id), change, updatedAt, toDraft);
}

/**
 * Deletes the caller's draft, if any.
 * @throws AppError not_found for the dashboard; conflict if another draft than the one of `seenAt` is stored
 */
export async function deleteDraft(caller: Caller, dashboardId: ObjectId, seenAt: SeenAt): Promise<void> {
  const { _id } = await getDashboardDocOrThrow(caller, dashboardId);
  await removeDraft(collections.dashboardDrafts, keyOf(caller, _id), seenAt, toDraft);
}

function keyOf({ workspaceId, user }: Caller, dashboardId: ObjectId) {
  return { workspaceId, dashboardId, userId: user._id };
}

function toDraft({ content, base, version, updatedAt }: DashboardDraftDoc): DashboardDraft {
  return { content, base, version, updatedAt: updatedAt.toISOString() };
}
