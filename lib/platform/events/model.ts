import type { ObjectId } from "mongodb";
import type { EventKind } from "./schema";

/** One change, stored for the servers that deliver it and for browsers that reconnect. */
export type EventDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** Number of the event in its workspace, from 1; a gap stands for lost events. A reader resumes after the last one. */
  position: number;
  kind: EventKind;
  /** The only recipient; null for every member. */
  userId: ObjectId | null;
  data: Record<string, unknown>;
  at: Date;
};

/** Number of events that a workspace has had. */
export type EventHeadDoc = {
  /** The workspace's id. */
  _id: ObjectId;
  workspaceId: ObjectId;
  position: number;
};
