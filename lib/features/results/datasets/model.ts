import type { ObjectId } from "mongodb";
import type { Field } from "@/lib/base/values/fields";

/**
 * Whose datasets: each kind of owner is a word of its domain. A draft's are those of the person who edits; an app has those
 * that are published, and those that somebody tries out.
 */
export type DatasetOwner = {
  workspaceId: ObjectId;
  kind: "dashboard" | "draft" | "app" | "app_work";
  id: ObjectId;
};
/** One of an owner's datasets, by the owner's own name for it. */
export type DatasetPlace = { owner: DatasetOwner; name: string };

/** How a dataset stands. Its rows are with lib/features/results. */
export type DatasetDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  kind: DatasetOwner["kind"];
  ownerId: ObjectId;
  name: string;
  kept?: {
    /** Of what was read, and as whom: rows of another source are none of this dataset any more. */
    sourceKey: string;
    resultId: ObjectId;
    fields: Field[];
    rowCount: number;
    bytes: number;
    truncated: boolean;
    /** When its query began, by the store's clock: the rows are no older. */
    at: Date;
    durationMs: number;
    /** When its rows go, unless somebody asks for them before; absent of those that older versions have read. */
    until?: Date;
  };
  /** Why the last refresh did not come to an end; absent once one does. */
  failure?: { sourceKey: string; message: string; at: Date };
  /** Who reads it now; anybody may once `until` is over, by the store's clock. */
  refresh?: { sourceKey: string; holder: ObjectId; since: Date; until: Date };
};
