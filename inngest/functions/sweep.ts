import { inngest } from "@/inngest/client";
import { sweep } from "@/lib/features/instance/sweep";

/** For platforms without a process that lives on; elsewhere every server sweeps by itself, and more often. */
export const sweepUndone = inngest.createFunction(
  { id: "sweep-undone", retries: 0, triggers: [{ cron: "* * * * *" }] },
  () => sweep(),
);
