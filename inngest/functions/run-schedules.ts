import { inngest } from "@/inngest/client";
import { runDueSchedules } from "@/lib/features/instance/ticks";

/** Schedules are data, so one function handles all of them. Cron's shortest interval is a minute. */
export const runSchedules = inngest.createFunction(
  // Not retried: the next sweep continues.
  { id: "run-schedules", retries: 0, triggers: [{ cron: "* * * * *" }] },
  () => runDueSchedules(),
);
