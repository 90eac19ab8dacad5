import type { Binary, ObjectId } from "mongodb";
import type { DraftDoc } from "@/lib/features/folders/drafts";
import { accessOf, type ItemDoc } from "@/lib/features/folders/model";
import type { DatasetOwner } from "@/lib/features/results/datasets/model";
import { readText } from "./content";
import type { Dashboard, DashboardSummary } from "./schema";

/** `content` is the dashboard's file; the other fields serve lists and look-ups. */
export type DashboardDoc = ItemDoc & {
  title: string;
  description: string;
  /** Connections and consoles that it reads. */
  connectionIds: ObjectId[];
  consoleIds: ObjectId[];
  /** Names of the metrics that it shows, as `name` or `file.name`; absent in documents older than this field. */
  metrics?: string[];
  /** Widgets that show them, so that the uses of a metric are known without reading contents. */
  metricWidgets?: { id: string; title: string; metrics: string[] }[];
};

/** Both texts are the browser's. */
export type DashboardDraftDoc = DraftDoc & {
  dashboardId: ObjectId;
  /** The saved content that the draft changes. */
  base: string;
};

/** Returns the owner of a dashboard's rows for values of filters in variables. */
export function viewOwnerOf({ _id, workspaceId }: Pick<DashboardDoc, "_id" | "workspaceId">): DatasetOwner {
  return { workspaceId, kind: "dashboard_view", id: _id };
}

/** The unfiltered data of all widgets, in one time zone. */
export type FirstPageDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  dashboardId: ObjectId;
  zone: string;
  /** Key of its inputs: it changes with the text, the rows and the day. */
  key: string;
  /** The widgets as gzipped JSON. */
  page: Binary;
  at: Date;
};

/** Omits the schedule and refreshes, which `standing` looks up. */
export function toDashboard(doc: DashboardDoc): Dashboard {
  const { datasets, widgets, filters } = readText(doc.content);
  return { ...toDashboardSummary(doc), datasets, widgets, filters };
}

export function toDashboardSummary(doc: Omit<DashboardDoc, "content">): DashboardSummary {
  return {
    id: doc._id.toHexString(),
    path: doc.path,
    title: doc.title,
    description: doc.description,
    folderId: doc.folderId?.toHexString() ?? null,
    access: accessOf(doc.space),
    ownerId: doc.ownerId.toHexString(),
    version: doc.version,
    schedule: null,
    lastRun: null,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
