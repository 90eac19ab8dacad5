import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import { workIndex } from "@/lib/platform/work/model";
import type { RunDoc, RunLogDoc } from "./model";

/** Days that runs are kept, so that a monthly schedule shows its last three. */
const RUN_DAYS = 90;
/** Days that logs are kept: they are long, and rarely read later. */
const LOG_DAYS = 30;

export const collections = {
  runs: declareCollection<RunDoc>("runs", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { key: 1 },
        unique: true,
        sparse: true,
        serves: "one run per tick across servers",
      },
      {
        key: { resourceId: 1, resourceType: 1, workspaceId: 1 },
        unique: true,
        partialFilterExpression: { isUnfinished: true },
        serves: "one running run per resource",
      },
      {
        key: { workspaceId: 1, resourceType: 1, resourceId: 1, _id: -1 },
        serves: "the runs of a resource, newest first",
      },
      {
        key: { workspaceId: 1, resourceType: 1, resourceId: 1 },
        partialFilterExpression: { isNewest: true },
        serves: "the last run of each of many resources",
      },
      { key: { workspaceId: 1, _id: -1 }, serves: "all runs of a workspace, newest first" },
      {
        key: { workspaceId: 1, resourceType: 1, status: 1, _id: -1 },
        serves: "the runs of a workspace with a status or of a type, newest first",
      },
      {
        key: { workspaceId: 1, isUnfinished: 1, _id: -1 },
        partialFilterExpression: { isUnfinished: true },
        serves: "the activity of a workspace",
      },
      workIndex("unfinished runs of dead servers"),
      { key: { endPendingSince: 1 }, sparse: true, serves: "run ends whose event is pending" },
      {
        key: { completedAt: 1 },
        expireAfterSeconds: RUN_DAYS * DAY_SECONDS,
        serves: "expiry of runs",
      },
    ],
  }),
  runLogs: declareCollection<RunLogDoc>("run_logs", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, runId: 1, seq: 1 }, serves: "the log of a run, line by line" },
      { key: { at: 1 }, expireAfterSeconds: LOG_DAYS * DAY_SECONDS, serves: "expiry of log lines" },
    ],
  }),
};
