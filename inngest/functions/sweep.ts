import { inngest } from "@/inngest/client";
import { sweep } from "@/lib/features/instance/sweep";

/** Sweeps on platforms without a long-lived process. Elsewhere each server sweeps, and more often. */
export const sweepUndone = inngest.createFunction(
  { id: "sweep-undone", retries: 0, triggers: [{ cron: "* * * * *" }] },
  () => sweep(),
);
