import type { MetricSummary } from "@/lib/features/metrics/schema";

/** Sections of the list of metrics. */
const SHOWS = ["all", "attention", "mine"] as const;
export type MetricShow = (typeof SHOWS)[number];

export function toShow(text: string | null): MetricShow {
  return SHOWS.find((each) => each === text) ?? "all";
}

export function isShown({ error, owner }: MetricSummary, show: MetricShow, userId: string): boolean {
  return show === "all" || (show === "attention" ? error !== null : owner.id === userId);
}

/** Returns whether a search finds a metric: by its name, its file, or a dataset. */
export function isFound({ name, title, datasets }: MetricSummary, metric: string, search: string): boolean {
  const words = search.trim().toLowerCase();
  const texts = [metric, metric.replaceAll("_", " "), name, title, ...datasets];
  return texts.some((text) => text.toLowerCase().includes(words));
}
