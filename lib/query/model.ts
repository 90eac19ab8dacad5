import type { ObjectId } from "mongodb";

export type ExecutionStatus = "queued" | "running" | "success" | "failure" | "cancelled" | "timeout";

export type RunConsole = { id: ObjectId; isPrivate: boolean };

/** One query that was run, for history and for cancelling it from any server. Never holds results. */
export type ExecutionDoc = {
  _id: ObjectId;
  executionId: string;
  /**
   * Workspace and execution id, unique: whoever writes it has the id for good. Absent from records of before, and where
   * a client has claimed the id of a query that was already running.
   */
  claim?: string;
  workspaceId: ObjectId;
  connectionId: ObjectId;
  userId: ObjectId;
  /**
   * The console whose text was run, and whether nobody but its owner saw it then. Null for a query of no console;
   * absent where nobody has said, which hides the text as a private console does.
   */
  console?: RunConsole | null;
  /** The run in the background that it was a part of; absent where somebody waited for it. */
  runId?: ObjectId;
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
