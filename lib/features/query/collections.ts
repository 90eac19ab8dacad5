import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/platform/db/collection";
import type { ExecutionDoc, ManualSessionDoc } from "./model";

/** Days that query history is kept. */
const EXECUTION_DAYS = 30;
/** Time after which the session of a dead server is deleted, in seconds. */
const DEAD_SESSION_SECONDS = 60;

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
  manualSessions: declareCollection<ManualSessionDoc>("manual_sessions", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, connectionId: 1, userId: 1 }, serves: "a person's sessions of a connection" },
      { key: { personSlot: 1 }, unique: true, serves: "the limit of sessions of a person" },
      { key: { connectionSlot: 1 }, unique: true, serves: "the limit of sessions of a connection" },
      { key: { serverId: 1 }, serves: "heartbeats of a server's sessions" },
      { key: { seenAt: 1 }, expireAfterSeconds: DEAD_SESSION_SECONDS, serves: "expiry of a dead server's sessions" },
    ],
  }),
};
