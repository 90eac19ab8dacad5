import type { Binary, ObjectId } from "mongodb";

/** Number of times that a user has opened an app. */
export type AppViewDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  userId: ObjectId;
  count: number;
  lastAt: Date;
};

export type AppFavoriteDoc = { _id: ObjectId; workspaceId: ObjectId; appId: ObjectId; userId: ObjectId; at: Date };

/** Order of all apps for one viewer, frozen at the first request; 12 bytes per app. */
export type FeedSnapshotDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  popular: ObjectId[];
  fresh: ObjectId[];
  order: Binary;
  /** Time from which newer apps are looked up. */
  at: Date;
  expiresAt: Date;
};
