import { inngest } from "@/inngest/client";
import { CONSOLE_RUN_QUEUED_EVENT, executeConsoleRun } from "@/lib/features/consoles/schedule";
import type { RunQueued } from "@/lib/features/runs/enqueue";

export const runConsole = inngest.createFunction(
  // A failed query ends the run. Retries are for a database that was unreachable before the run started.
  { id: "run-console", retries: 2, triggers: [{ event: CONSOLE_RUN_QUEUED_EVENT }] },
  ({ event }) => executeConsoleRun(event.data as RunQueued),
);
