import type { ObjectId } from "mongodb";
import type { SessionState } from "@/lib/features/connections/data-source";
import type { IsolationLevel } from "@/lib/features/connections/schema";

export type ExecutionStatus = "queued" | "running" | "success" | "failure" | "cancelled" | "timeout";

/** A console, dashboard or app at the time of a query. `isPrivate`: only its owner could see it then. */
export type RunItem = { id: ObjectId; isPrivate: boolean };

/** Kinds of origins that other users can see. */
export const SHAREABLE_ORIGINS = ["console", "dashboard", "app"] as const;
export type ShareableOrigin = (typeof SHAREABLE_ORIGINS)[number];

/**
 * The object from which a query ran. The text is visible to the user who ran it, and to admins who can see the origin.
 * Origins of the second form belong to one user: no one else reads their text.
 */
export type QueryOrigin =
  | ({
      kind: ShareableOrigin;
      /** The console whose text a dashboard or an app ran. It must be visible too. */
      console?: RunItem;
    } & RunItem)
  | {
      /**
       * `draft`: a dashboard or an app that a user edits. `preview`: a flow before it is saved. `rows`: a table's rows.
       */
      kind: "chat" | "draft" | "preview" | "rows" | "adhoc" | "mcp";
      id: ObjectId | null;
    };
export const ORIGIN_KINDS = [...SHAREABLE_ORIGINS, "chat", "draft", "preview", "rows", "adhoc", "mcp"] as const;

/** A query, for history and for cancelling it from any server. Never holds results. */
export type ExecutionDoc = {
  _id: ObjectId;
  executionId: string;
  /**
   * Workspace and execution id, unique: the first writer has the id for good. Absent from records of earlier versions,
   * and if a client has claimed the id of a query that was already running.
   */
  claim?: string;
  workspaceId: ObjectId;
  connectionId: ObjectId;
  userId: ObjectId;
  /** Absent from records of earlier versions: only the user who ran them sees their text. */
  origin?: QueryOrigin;
  /** The background run that it was a part of; absent if a user waited for it. */
  runId?: ObjectId;
  /** The first 10,000 characters of the query. */
  queryText: string;
  status: ExecutionStatus;
  startedAt: Date;
  completedAt: Date | null;
  durationMs: number | null;
  rowCount: number | null;
  /** Number of rows that the statement changed. Absent from records of earlier versions. */
  affectedRows?: number | null;
  error: string | null;
  format: string;
  cancelRequested?: boolean;
};

/** A session for manual transactions, which one server holds. */
export type ManualSessionDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  connectionId: ObjectId;
  userId: ObjectId;
  /** One of the person's places, and one of the connection's: no two documents have the same. */
  personSlot: string;
  connectionSlot: string;
  serverId: string;
  /** URL at which other servers reach that server. */
  serverUrl: string;
  isolation: IsolationLevel | null;
  state: SessionState;
  /** Start of the open transaction; without one, its end or the start of the session. */
  since: Date;
  /** Statements since then, without those that control the transaction. */
  statements: number;
  expiresAt: Date;
  /** Heartbeat of its server. */
  seenAt: Date;
  /** Another server was asked to close it. */
  isClosing?: true;
};
