import type { ObjectId } from "mongodb";
import type { Field } from "@/lib/base/values/fields";
import type { Work } from "@/lib/platform/work/model";

/**
 * Owner of datasets; each kind belongs to its domain. A draft's datasets belong to the user who edits. An app has
 * published datasets, and those of users who try it out. A `dashboard_view` has rows for filters that fill variables.
 */
export type DatasetOwner = {
  workspaceId: ObjectId;
  kind: "dashboard" | "dashboard_view" | "draft" | "app" | "app_work";
  id: ObjectId;
};
/** One of an owner's datasets, by the name that the owner gives it. */
export type DatasetPlace = { owner: DatasetOwner; name: string };

/** State of a dataset. Its rows are in lib/features/results. */
export type DatasetDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  kind: DatasetOwner["kind"];
  ownerId: ObjectId;
  name: string;
  kept?: {
    /** Key of the source and of the user who read it: rows of another source do not belong to this dataset. */
    sourceKey: string;
    resultId: ObjectId;
    fields: Field[];
    rowCount: number;
    bytes: number;
    truncated: boolean;
    /** Start of its query, by the store's clock: the rows are at least this fresh. */
    at: Date;
    durationMs: number;
    /** Expiry of its rows, extended by use; absent for rows read by older versions. */
    until?: Date;
  };
  /** Reason why the last refresh failed; removed once one succeeds. */
  failure?: { sourceKey: string; message: string; at: Date };
  /** The current refresh, or one whose server has died; `work` holds its lease. */
  refresh?: { sourceKey: string; since: Date };
  work?: Work;
};
