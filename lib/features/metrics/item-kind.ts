import "server-only";
import { defineItemKind, type ItemKind, itemKindOf } from "@/lib/features/folders/item-kind";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { fieldsOfMetricFile, findProblems, sentenceOf } from "./content";
import type { MetricDoc } from "./model";

export const ENDING = ".yml";
/** Maximum number of metric files: a query reads those that define its metrics. */
const ITEMS_MAX = 2_000;

/** Metric files, as a kind of file in the repository. They have no folders, and everyone sees them. */
export const METRICS: ItemKind = defineItemKind({
  noun: "metric",
  root: "metrics",
  endings: [ENDING],
  itemsMax: ITEMS_MAX,
  ...itemKindOf<MetricDoc>({
    items: collections.metrics,
    folders: collections.metricFolders,
    deleted: collections.deletedMetrics,
  }),
  textsOf: async (_, docs) => new Map(docs.map(({ _id, content }) => [_id.toHexString(), content])),
  contentIn: (text) => text,
  toFields: async ({ text }): Promise<Partial<MetricDoc>> => ({ content: text, ...fieldsOfMetricFile(text) }),
  async checkFile(caller, { text, isKnown }) {
    if (isKnown) return;
    const [problem] = await findProblems(caller, text);
    if (problem) throw new AppError("invalid_request", sentenceOf(problem));
  },
});
