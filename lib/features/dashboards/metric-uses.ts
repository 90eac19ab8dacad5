import "server-only";
import { visibleTo } from "@/lib/features/folders/model";
import type { MetricSummary } from "@/lib/features/metrics/schema";
import type { Caller } from "@/lib/platform/access/caller";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";

/** Not the content: those of a page of dashboards could be 200 MiB. */
const SHOWN = { title: 1, metrics: 1, metricWidgets: 1 } as const;

/** Adds the dashboards and widgets that show the metrics of each file, of those that the caller can see. */
export async function withMetricUses<T extends MetricSummary>(caller: Caller, files: readonly T[]): Promise<T[]> {
  const namesOf = ({ name, metrics }: T) => metrics.flatMap((metric) => [metric, `${name}.${metric}`]);
  const dashboards = await collections
    .dashboards()
    .find({ ...visibleTo(caller), metrics: { $in: files.flatMap(namesOf) } }, { projection: SHOWN })
    .sort({ _id: 1 })
    .limit(LIST_LIMIT_MAX)
    .toArray();
  return files.map((file) => {
    const names = new Set(namesOf(file));
    const shows = ({ metrics = [] }: { metrics?: string[] }) => metrics.some((name) => names.has(name));
    const usedBy = dashboards.filter(shows).flatMap(({ _id, title, metricWidgets = [] }) => {
      const id = _id.toHexString();
      const ofWidgets = metricWidgets.filter(shows).map((widget) => ({
        kind: "widget",
        id: `${id}/${widget.id}`,
        name: `${widget.title || "Untitled widget"} in ${title}`,
      }));
      return [{ kind: "dashboard", id, name: title }, ...ofWidgets];
    });
    return { ...file, usedBy };
  });
}

/** Adds the uses to one file. */
export async function withUsesOfMetric<T extends MetricSummary>(caller: Caller, file: T): Promise<T> {
  return (await withMetricUses(caller, [file]))[0] ?? file;
}
