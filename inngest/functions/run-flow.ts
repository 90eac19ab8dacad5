import { inngest } from "@/inngest/client";
import { carryOutFlowRun } from "@/lib/features/flows/carry-out";
import { FLOW_RUN_QUEUED_EVENT } from "@/lib/features/flows/runs";
import type { RunQueued } from "@/lib/features/runs/wake";

export const runFlow = inngest.createFunction(
  // A source or destination that fails is the run's end. What is tried again is a store that was away before it began.
  { id: "run-flow", retries: 2, triggers: [{ event: FLOW_RUN_QUEUED_EVENT }] },
  ({ event }) => carryOutFlowRun(event.data as RunQueued),
);
