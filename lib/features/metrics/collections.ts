import "server-only";
import { declareItemCollections } from "@/lib/features/folders/item-collections";
import type { MetricDoc } from "./model";

const filed = declareItemCollections<MetricDoc>("metric", [
  { key: { workspaceId: 1, metrics: 1 }, serves: "the files that define a metric" },
]);

export const collections = {
  metrics: filed.items,
  metricFolders: filed.folders,
  deletedMetrics: filed.deleted,
};
