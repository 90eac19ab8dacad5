import type { Binary, ObjectId } from "mongodb";
import { accessOf, type FiledDoc } from "@/lib/features/folders/model";
import { readText } from "./content";
import type { Dashboard, DashboardSummary } from "./schema";

/** `content` is the dashboard's file; the fields beside it are what lists and look-ups need of it. */
export type DashboardDoc = FiledDoc & {
  title: string;
  description: string;
  /** The connections and consoles that it reads. */
  connectionIds: ObjectId[];
  consoleIds: ObjectId[];
};

/** What all widgets show before anybody has filtered, by the clock of one zone. */
export type FirstPageDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  dashboardId: ObjectId;
  zone: string;
  /** Names what it was computed of: another text, other rows or another day have another one. */
  key: string;
  /** The widgets as JSON in gzip. */
  page: Binary;
  at: Date;
};

/** Without its schedule and refreshes, which `standing` looks up. */
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
