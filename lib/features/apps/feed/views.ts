import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import { heatOfView } from "./weights";

/** Opening an app again within this time is no new view: a page requests a new token every 15 min. */
const AGAIN_MS = 60 * 60_000;

/** Counts a user's view of an app, at most one per hour. Each user has one document per app. */
export async function countView(
  { workspaceId, user }: Caller,
  { _id: appId }: AppDoc,
  now = new Date(),
): Promise<void> {
  const place = { workspaceId, appId, userId: user._id };
  try {
    const { modifiedCount, upsertedCount } = await collections
      .appViews()
      .updateOne(
        { ...place, lastAt: { $lt: new Date(now.getTime() - AGAIN_MS) } },
        { $set: { lastAt: now }, $inc: { count: 1 }, $setOnInsert: { _id: new ObjectId() } },
        { upsert: true },
      );
    if (modifiedCount + upsertedCount === 0) return;
  } catch (error) {
    // A more recent view exists.
    if (isDuplicateKey(error)) return;
    throw error;
  }
  await collections.apps().updateOne({ _id: appId, workspaceId }, { $inc: { views: 1, heat: heatOfView(now) } });
}

/** Adds an app to the caller's favourites. Safe to repeat. */
export async function keepFavorite({ workspaceId, user }: Caller, { _id: appId }: AppDoc): Promise<void> {
  const place = { workspaceId, userId: user._id, appId };
  await collections
    .appFavorites()
    .updateOne(place, { $setOnInsert: { _id: new ObjectId(), at: new Date() } }, { upsert: true })
    .catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
}

export async function dropFavorite({ workspaceId, user }: Caller, { _id: appId }: AppDoc): Promise<void> {
  await collections.appFavorites().deleteOne({ workspaceId, userId: user._id, appId });
}

/** Deletes the views and favourites of an app that was deleted. */
export async function dropViews({ _id: appId, workspaceId }: Pick<AppDoc, "_id" | "workspaceId">): Promise<void> {
  await collections.appViews().deleteMany({ workspaceId, appId });
  await collections.appFavorites().deleteMany({ workspaceId, appId });
}
