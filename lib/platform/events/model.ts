import type { ObjectId } from "mongodb";
import type { EventKind } from "./schema";

/** One change, as it is kept for the servers that tell it and for browsers that come back. */
export type EventDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** Counts the events of the workspace from 1 without a gap; a reader goes on behind the last one it has seen. */
  position: number;
  kind: EventKind;
  /** The only one who is told; null tells every member. */
  userId: ObjectId | null;
  data: Record<string, unknown>;
  at: Date;
};

/** How many events a workspace has had. */
export type EventHeadDoc = {
  /** The workspace's id. */
  _id: ObjectId;
  workspaceId: ObjectId;
  position: number;
};
