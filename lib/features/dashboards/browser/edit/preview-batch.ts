import { readsData } from "@/lib/features/dashboards/kinds/traits";
import type { Dataset, Filter, Preview, Widget } from "@/lib/features/dashboards/schema";
import type { Draft } from "./draft";
import { toComputed } from "./looks";

/** The request for one widget: everything that its rows depend on, and nothing else. */
export type PreviewItem = {
  widget: Pick<Widget, "id" | "kind" | "source" | "spec">;
  dataset: Pick<Dataset, "id" | "source"> | null;
  filters: Pick<Filter, "id" | "field" | "columns" | "variables" | "kind" | "default">[];
};
type Parts = Pick<Draft, "datasets" | "widgets" | "filters">;
type Waiting = { item: PreviewItem; resolve: (preview: Preview) => void; reject: (error: unknown) => void };

const NOWHERE = { x: 0, y: 0, w: 1, h: 1 };

/** @returns null for a widget without data: a text, or one without a source */
export function toPreviewItem(draft: Draft, widget: Widget): PreviewItem | null {
  const { id, kind, source } = widget;
  if (!readsData(widget) || !source) return null;
  if ("query" in source && String(source.query).trim() === "") return null;
  const datasetId = "datasetId" in source ? source.datasetId : null;
  const dataset = draft.datasets.find((each) => each.id === datasetId);
  if (datasetId !== null && !dataset) return null;
  const partId = datasetId ?? id;
  const filters = draft.filters.filter(
    ({ datasets, exclude, columns, variables, default: value }) =>
      // An empty filter leaves an optional clause out.
      variables?.[partId] !== undefined ||
      (value !== null &&
        !exclude.includes(id) &&
        (datasets === "all" ||
          columns?.[partId] !== undefined ||
          (datasetId !== null && datasets.includes(datasetId)))),
  );
  return {
    widget: { id, kind, source, spec: toComputed(widget) },
    dataset: dataset ? { id: dataset.id, source: dataset.source } : null,
    filters: filters.map(({ id: filterId, field, columns, variables, kind: filterKind, default: value }) => ({
      id: filterId,
      field,
      ...(columns?.[partId] !== undefined && { columns: { [partId]: columns[partId] } }),
      ...(variables?.[partId] !== undefined && { variables: { [partId]: variables[partId] } }),
      kind: filterKind,
      default: value,
    })),
  };
}

/** Collects the previews of widgets drawn at the same time into one request. */
export class PreviewBatch {
  #waiting: Waiting[] = [];

  constructor(private readonly send: (parts: Parts) => Promise<Preview>) {}

  ask(item: PreviewItem): Promise<Preview> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) setTimeout(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const group of toGroups(waiting)) await this.#ask(group);
  }

  async #ask(group: Waiting[]): Promise<void> {
    try {
      const preview = await this.send(toParts(group.map(({ item }) => item)));
      for (const { resolve } of group) resolve(preview);
    } catch (error) {
      const [first, ...more] = group;
      if (more.length === 0) return first?.reject(error);
      // A rejected widget must not keep the others from being drawn.
      await Promise.all(group.map((each) => this.#ask([each])));
    }
  }
}

/** Groups requests so that none has two versions of a widget or dataset, as after a quick undo. */
function toGroups(waiting: readonly Waiting[]): Waiting[][] {
  const groups: { members: Waiting[]; said: Map<string, string> }[] = [];
  for (const each of waiting) {
    const { widget, dataset, filters } = each.item;
    const parts = [
      [`widget ${widget.id}`, JSON.stringify(widget)],
      ...(dataset ? [[`dataset ${dataset.id}`, JSON.stringify(dataset)]] : []),
      ...filters.map((filter) => [`filter ${filter.id}`, JSON.stringify(filter)]),
    ] as [string, string][];
    const fits = groups.find(({ said }) => parts.every(([name, text]) => (said.get(name) ?? text) === text));
    const group = fits ?? { members: [] as Waiting[], said: new Map<string, string>() };
    if (!fits) groups.push(group);
    group.members.push(each);
    for (const [name, text] of parts) group.said.set(name, text);
  }
  return groups.map(({ members }) => members);
}

function toParts(items: readonly PreviewItem[]): Parts {
  const widgets = new Map(items.map(({ widget }) => [widget.id, { ...widget, title: "", layout: NOWHERE }]));
  const datasets = new Map(
    items.flatMap(({ dataset }) =>
      dataset ? [[dataset.id, { ...dataset, name: dataset.id, maxAgeS: null }] as const] : [],
    ),
  );
  const filters = new Map<string, PreviewItem["filters"][number]>();
  for (const filter of items.flatMap((item) => item.filters)) {
    const before = filters.get(filter.id);
    const columns = { ...before?.columns, ...filter.columns };
    const variables = { ...before?.variables, ...filter.variables };
    filters.set(filter.id, {
      ...filter,
      ...(Object.keys(columns).length > 0 && { columns }),
      ...(Object.keys(variables).length > 0 && { variables }),
    });
  }
  return {
    widgets: [...widgets.values()],
    datasets: [...datasets.values()],
    filters: [...filters.values()].map((filter) => ({
      ...filter,
      title: null,
      datasets: "all" as const,
      // The widgets of a filter were determined for each request separately.
      exclude: items.filter((item) => !item.filters.some(({ id }) => id === filter.id)).map(({ widget }) => widget.id),
    })),
  };
}
