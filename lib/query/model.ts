import type { ObjectId } from "mongodb";

export type ExecutionStatus = "queued" | "running" | "success" | "failure" | "cancelled" | "timeout";

/** One query that was run, for history and for cancelling it from any server. Never holds results. */
export type ExecutionDoc = {
  _id: ObjectId;
  executionId: string;
  workspaceId: ObjectId;
  connectionId: ObjectId;
  userId: ObjectId;
  /** The first 10,000 characters of the query. */
  queryText: string;
  status: ExecutionStatus;
  startedAt: Date;
  completedAt: Date | null;
  durationMs: number | null;
  rowCount: number | null;
  error: string | null;
  format: string;
  cancelRequested?: boolean;
};
