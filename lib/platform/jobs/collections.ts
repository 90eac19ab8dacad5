import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import { KEEP_MS } from "./limits";
import type { EventDoc, RunDoc, SlotDoc, StepDoc, TaskDoc, WorkerDoc } from "./model";

const claim = { key: { state: 1, at: 1 }, serves: "what is due first is claimed first" };

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
        serves: "events that have started what they start are kept a day",
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
        serves: "one event starts one run of a function, however often it comes",
      },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "ended runs are kept a day" },
    ],
  }),
  jobTasks: declareCollection<TaskDoc>("job_tasks", {
    isOfWorkspace: false,
    indexes: [claim, { key: { runId: 1 }, serves: "what ends with a run" }],
  }),
  jobSteps: declareCollection<StepDoc>("job_steps", {
    isOfWorkspace: false,
    indexes: [{ key: { runId: 1 }, serves: "the large results of a run" }],
  }),
  jobSlots: declareCollection<SlotDoc>("job_slots", { isOfWorkspace: false, indexes: [] }),
  jobWorkers: declareCollection<WorkerDoc>("job_workers", { isOfWorkspace: false, indexes: [] }),
};
