import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { ExecutionDoc } from "./model";

/** Days that query history is kept. */
const EXECUTION_DAYS = 30;

export const collections = {
  executions: declareCollection<ExecutionDoc>("executions", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, _id: -1 }, serves: "query history, newest first" },
      { key: { claim: 1 }, unique: true, sparse: true, serves: "uniqueness of executionId" },
      { key: { workspaceId: 1, userId: 1, _id: -1 }, serves: "a member's query history, newest first" },
      { key: { workspaceId: 1, executionId: 1 }, serves: "one query by its id; cancelling it from any server" },
      { key: { startedAt: 1 }, expireAfterSeconds: EXECUTION_DAYS * DAY_SECONDS, serves: "expiry of query history" },
    ],
  }),
};
