import { inngest } from "@/inngest/client";
import { executeRefresh, REFRESH_QUEUED_EVENT } from "@/lib/features/dashboards/refresh";
import type { RunQueued } from "@/lib/features/runs/enqueue";

export const refreshDashboard = inngest.createFunction(
  // A failed dataset is in the refresh's log. Retries are for a database that was unreachable before the refresh
  // started.
  { id: "refresh-dashboard", retries: 2, triggers: [{ event: REFRESH_QUEUED_EVENT }] },
  ({ event }) => executeRefresh(event.data as RunQueued),
);
