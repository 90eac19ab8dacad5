import type { ObjectId } from "mongodb";
import type { WorkspaceAccess } from "./rules";

/** A right on which something that takes long depends. */
export type HeldRight = {
  /** Aborts with an AppError `unauthenticated` once the right is lost. */
  signal: AbortSignal;
  /** Adds a workspace that the path of the request does not name. */
  needs(access: WorkspaceAccess, workspaceId: ObjectId | string): void;
  /** Aborts for another reason, such as a client that left. */
  end(reason?: unknown): void;
  /** Stops watching. */
  release(): void;
};
