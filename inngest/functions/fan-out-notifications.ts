import { inngest } from "@/inngest/client";
import { fanOut } from "@/lib/features/notifications/fan-out";
import { RUN_ENDED_EVENT, type RunEnded } from "@/lib/features/runs/ends";

/** Number of retries of a fan-out (docs/develop/notifications.md). */
const RETRIES = 3;

export const fanOutNotifications = inngest.createFunction(
  { id: "fan-out-notifications", retries: RETRIES, triggers: [{ event: RUN_ENDED_EVENT }] },
  ({ event, step }) => step.run("queue deliveries", () => fanOut(event.data as RunEnded)),
);
