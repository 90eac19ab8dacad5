import type { Binary, ObjectId } from "mongodb";

/** How often somebody has opened an app. */
export type AppViewDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  userId: ObjectId;
  count: number;
  lastAt: Date;
};

export type AppFavoriteDoc = { _id: ObjectId; workspaceId: ObjectId; appId: ObjectId; userId: ObjectId; at: Date };

/** The order of all apps for one viewer, as it was when they first asked; 12 bytes an app. */
export type FeedSnapshotDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  popular: ObjectId[];
  fresh: ObjectId[];
  order: Binary;
  /** What has come since is looked for from here on. */
  at: Date;
  expiresAt: Date;
};
