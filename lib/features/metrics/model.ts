import type { ItemDoc } from "@/lib/features/folders/model";

/** A metric file. Its fields follow from its content, so that lists need not parse it. */
export type MetricDoc = ItemDoc & {
  title: string;
  description: string;
  /** Names of its metrics. */
  metrics: string[];
  datasets: string[];
  /** `dataset.field` of each field. */
  dimensions: string[];
  /** Connections by name, or by ID if several have the name. */
  connections: string[];
  /** The first problem of the content; null for a valid one. */
  error: string | null;
};
