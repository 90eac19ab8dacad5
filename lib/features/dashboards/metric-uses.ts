import "server-only";
import { visibleTo } from "@/lib/features/folders/model";
import type { MetricSummary } from "@/lib/features/metrics/schema";
import type { Caller } from "@/lib/platform/access/caller";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { readText } from "./content";

/** Adds the dashboards and widgets that show the metrics of each file, of those that the caller can see. */
export async function withMetricUses<T extends MetricSummary>(caller: Caller, files: readonly T[]): Promise<T[]> {
  const namesOf = ({ name, metrics }: T) => metrics.flatMap((metric) => [metric, `${name}.${metric}`]);
  const docs = await collections
    .dashboards()
    .find({ ...visibleTo(caller), metrics: { $in: files.flatMap(namesOf) } }, { projection: { title: 1, content: 1 } })
    .sort({ _id: 1 })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  const dashboards = docs.map(({ _id, title, content }) => ({ id: _id.toHexString(), title, file: readText(content) }));
  return files.map((each) => {
    const names = new Set(namesOf(each));
    const usedBy = dashboards.flatMap(({ id, title, file: { datasets, widgets } }) => {
      const shows = (source: object | null) =>
        source !== null && "metrics" in source && (source.metrics as string[]).some((name) => names.has(name));
      const shared = new Set(datasets.filter(({ source }) => shows(source)).map((dataset) => dataset.id));
      const used = widgets.filter(
        ({ source }) => shows(source) || (source && "datasetId" in source && shared.has(source.datasetId)),
      );
      if (used.length === 0 && shared.size === 0) return [];
      const ofWidgets = used.map((widget) => ({
        kind: "widget",
        id: `${id}/${widget.id}`,
        name: `${widget.title || "Untitled widget"} in ${title}`,
      }));
      return [{ kind: "dashboard", id, name: title }, ...ofWidgets];
    });
    return { ...each, usedBy };
  });
}

/** Adds the uses to one file. */
export async function withUsesOfMetric<T extends MetricSummary>(caller: Caller, file: T): Promise<T> {
  return (await withMetricUses(caller, [file]))[0] ?? file;
}
