import type { ObjectId } from "mongodb";
import type { WorkspaceAccess } from "./rules";

/** A right that a long-running answer depends on. */
export type HeldRight = {
  /** Aborts with an AppError `unauthenticated` when the right is lost. */
  signal: AbortSignal;
  /** Adds a workspace that the request's path does not name. */
  needs(access: WorkspaceAccess, workspaceId: ObjectId | string): void;
  /** Aborts for another reason, such as a client that disconnected. */
  end(reason?: unknown): void;
  /** Stops watching. */
  release(): void;
};
