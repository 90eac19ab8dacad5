import type { ObjectId } from "mongodb";

export type ExecutionStatus = "queued" | "running" | "success" | "failure" | "cancelled" | "timeout";

/** A console, dashboard or app at the time of a query. `isPrivate`: only its owner could see it then. */
export type RunItem = { id: ObjectId; isPrivate: boolean };

/** Kinds of origins that other people can see. */
export const SHAREABLE_ORIGINS = ["console", "dashboard", "app"] as const;
export type ShareableOrigin = (typeof SHAREABLE_ORIGINS)[number];

/**
 * The object from which a query ran. Its text is visible to the person who ran it, and to admins who can see the origin.
 * Origins of the second form belong to one person: nobody else reads their text.
 */
export type QueryOrigin =
  | ({
      kind: ShareableOrigin;
      /** The console whose text a dashboard or an app ran. It has to be visible too. */
      console?: RunItem;
    } & RunItem)
  | {
      /** `draft`: a dashboard or an app that somebody edits. `preview`: a flow before it is saved. `rows`: a table's rows. */
      kind: "chat" | "draft" | "preview" | "rows" | "adhoc" | "mcp";
      id: ObjectId | null;
    };
export const ORIGIN_KINDS = [...SHAREABLE_ORIGINS, "chat", "draft", "preview", "rows", "adhoc", "mcp"] as const;

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
  /** Absent from records of earlier versions: their text is visible to the person who ran it alone. */
  origin?: QueryOrigin;
  /** The run in the background that it was a part of; absent where somebody waited for it. */
  runId?: ObjectId;
  /** The first 10,000 characters of the query. */
  queryText: string;
  status: ExecutionStatus;
  startedAt: Date;
  completedAt: Date | null;
  durationMs: number | null;
  rowCount: number | null;
  /** Rows that the statement changed. Absent from records of earlier versions. */
  affectedRows?: number | null;
  error: string | null;
  format: string;
  cancelRequested?: boolean;
};
