import { inngest } from "@/inngest/client";
import { runDueSchedules } from "@/lib/features/instance/ticks";

/** Schedules are data, so one function looks after all of them: cron has nothing shorter than a minute. */
export const runSchedules = inngest.createFunction(
  // What one look has not done the next one does.
  { id: "run-schedules", retries: 0, triggers: [{ cron: "* * * * *" }] },
  () => runDueSchedules(),
);
