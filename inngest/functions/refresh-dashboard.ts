import { inngest } from "@/inngest/client";
import { carryOutRefresh, REFRESH_QUEUED_EVENT } from "@/lib/features/dashboards/refresh";
import type { RunQueued } from "@/lib/features/runs/wake";

export const refreshDashboard = inngest.createFunction(
  // A dataset that fails is in the refresh's log. What is tried again is a store that was away before it was begun.
  { id: "refresh-dashboard", retries: 2, triggers: [{ event: REFRESH_QUEUED_EVENT }] },
  ({ event }) => carryOutRefresh(event.data as RunQueued),
);
