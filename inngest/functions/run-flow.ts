import { inngest } from "@/inngest/client";
import { executeFlowRun } from "@/lib/features/flows/execute";
import { FLOW_RUN_QUEUED_EVENT } from "@/lib/features/flows/runs";
import type { RunQueued } from "@/lib/features/runs/enqueue";

export const runFlow = inngest.createFunction(
  // A failed source or destination ends the run. Retries are for a database that was unreachable before the run
  // started.
  { id: "run-flow", retries: 2, triggers: [{ event: FLOW_RUN_QUEUED_EVENT }] },
  ({ event }) => executeFlowRun(event.data as RunQueued),
);
