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
  // One page per workspace is rendered at a time: no one waits for it.
  {
    id: "take-snapshot",
    retries: RETRIES,
    concurrency: { limit: 1, key: "event.data.workspaceId" },
    triggers: [{ event: SNAPSHOT_DUE_EVENT }],
    // The job runner gave up, which the log of deliveries must show.
    onFailure: ({ event }) => failSnapshot(event.data.event.data as SnapshotDue),
  },
  // After the last attempt, a failure is recorded as a failed delivery.
  ({ event, attempt }) => takeSnapshot(event.data as SnapshotDue, attempt >= RETRIES),
);
