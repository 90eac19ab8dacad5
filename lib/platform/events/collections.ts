import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { EventDoc, EventHeadDoc } from "./model";

/** Retention of events: a browser that was away longer reloads everything. */
const KEPT_SECONDS = 60 * 60;

export const collections = {
  events: declareCollection<EventDoc>("events", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, position: 1 }, unique: true, serves: "the events of a workspace after a position" },
      { key: { at: 1 }, expireAfterSeconds: KEPT_SECONDS, serves: "expiry of events" },
    ],
  }),
  eventHeads: declareCollection<EventHeadDoc>("eventHeads", {
    isOfWorkspace: true,
    indexes: [{ key: { workspaceId: 1 }, serves: "deletion of a workspace" }],
  }),
};
