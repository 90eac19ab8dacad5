import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import { KEEP_MS } from "./limits";
import type { EventDoc, RunDoc, SlotDoc, StepDoc, TaskDoc, WorkerDoc } from "./model";

const claim = { key: { state: 1, at: 1 }, serves: "claims in order of due time" };

/** Collections of the embedded executor. No other part of the product reads them; it asks the functions' domains. */
export const collections = {
  jobEvents: declareCollection<EventDoc>("job_events", {
    isOfWorkspace: false,
    indexes: [
      claim,
      {
        key: { createdAt: 1 },
        expireAfterSeconds: KEEP_MS / 1000,
        partialFilterExpression: { state: "done" },
        serves: "expiry of processed events",
      },
    ],
  }),
  jobRuns: declareCollection<RunDoc>("job_runs", {
    isOfWorkspace: false,
    indexes: [
      claim,
      {
        key: { key: 1 },
        unique: true,
        partialFilterExpression: { key: { $type: "string" } },
        serves: "one run per event and function",
      },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of finished runs" },
    ],
  }),
  jobTasks: declareCollection<TaskDoc>("job_tasks", {
    isOfWorkspace: false,
    indexes: [claim, { key: { runId: 1 }, serves: "tasks of a run" }],
  }),
  jobSteps: declareCollection<StepDoc>("job_steps", {
    isOfWorkspace: false,
    indexes: [{ key: { runId: 1 }, serves: "the large results of a run" }],
  }),
  jobSlots: declareCollection<SlotDoc>("job_slots", { isOfWorkspace: false, indexes: [] }),
  jobWorkers: declareCollection<WorkerDoc>("job_workers", { isOfWorkspace: false, indexes: [] }),
};
