import { inngest } from "@/inngest/client";
import { executeSync, SYNC_EVENT, type SyncDue, sweepLinks } from "@/lib/features/linked-repositories/enqueue";

export const syncLinkedRepository = inngest.createFunction(
  {
    id: "sync-linked-repository",
    // A failed sync is retried by a sweep. The link shows the error.
    retries: 0,
    concurrency: { limit: 1, key: "event.data.workspaceId" },
    triggers: [{ event: SYNC_EVENT }],
  },
  ({ event }) => executeSync(event.data as SyncDue),
);

export const lookAtLinkedRepositories = inngest.createFunction(
  { id: "look-at-linked-repositories", retries: 0, triggers: [{ cron: "*/10 * * * *" }] },
  () => sweepLinks(),
);
