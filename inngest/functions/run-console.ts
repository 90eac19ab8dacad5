import { inngest } from "@/inngest/client";
import { CONSOLE_RUN_QUEUED_EVENT, carryOutConsoleRun } from "@/lib/features/consoles/schedule";
import type { RunQueued } from "@/lib/features/runs/wake";

export const runConsole = inngest.createFunction(
  // A query that fails is the run's end. What is tried again is a store that was away before the run was begun.
  { id: "run-console", retries: 2, triggers: [{ event: CONSOLE_RUN_QUEUED_EVENT }] },
  ({ event }) => carryOutConsoleRun(event.data as RunQueued),
);
