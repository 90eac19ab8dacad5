import { inngest } from "@/inngest/client";
import {
  failSnapshot,
  SNAPSHOT_DUE_EVENT,
  type SnapshotDue,
  takeSnapshot,
} from "@/lib/features/notifications/snapshots/take";

/** A source that is down for a minute is read when it is back. */
const RETRIES = 3;

export const takeDashboardSnapshot = inngest.createFunction(
  // One page of a workspace is drawn at a time: nobody waits for it.
  {
    id: "take-snapshot",
    retries: RETRIES,
    concurrency: { limit: 1, key: "event.data.workspaceId" },
    triggers: [{ event: SNAPSHOT_DUE_EVENT }],
    // The job runner gave it up, which the log of deliveries has to show.
    onFailure: ({ event }) => failSnapshot(event.data.event.data as SnapshotDue),
  },
  // What cannot be drawn in the end is written down as a delivery that has failed.
  ({ event, attempt }) => takeSnapshot(event.data as SnapshotDue, attempt >= RETRIES),
);
