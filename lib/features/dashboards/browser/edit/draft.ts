import { parseDashboardJson } from "@/lib/base/values/exact-sources";
import { isSameJson } from "@/lib/base/values/same-json";
import { tabsOf, widgetsOfTab } from "@/lib/features/dashboards/browser/tabs";
import { readsData, traitsOf } from "@/lib/features/dashboards/kinds/traits";
import type { Dashboard, Dataset, Filter, UpdateDashboardBody, Widget } from "@/lib/features/dashboards/schema";
import { changesBetween } from "@/lib/features/dashboards/words";
import { newId } from "@/lib/platform/browser/new-id";
import { firstGap, settleTab } from "./layout";

/** The editable content of a dashboard. */
export type Draft = Pick<Dashboard, "title" | "description" | "access" | "datasets" | "widgets" | "filters">;
export type FilterKind = Filter["kind"];

export function toDraft({ title, description, access, datasets, widgets, filters }: Draft): Draft {
  return { title, description, access, datasets, widgets, filters };
}

/** Serialises a draft for storage in the browser. */
export function toText(draft: Draft): string {
  return JSON.stringify(toDraft(draft));
}

/** Parses a text from `toText`; null for any other text. */
export function fromText(text: string): Draft | null {
  try {
    const value = parseDashboardJson(text) as Partial<Draft> | null;
    const isDraft =
      typeof value?.title === "string" &&
      typeof value.description === "string" &&
      (value.access === "private" || value.access === "workspace") &&
      [value.datasets, value.widgets, value.filters].every(Array.isArray);
    return isDraft ? toDraft(value as Draft) : null;
  } catch {
    return null;
  }
}

/** Lists the changes between two drafts in words; empty for equivalent ones. */
export function listChanges(before: Draft, after: Draft): string[] {
  const access =
    before.access === after.access ? [] : [after.access === "private" ? "Made private" : "Shared with the workspace"];
  return [...changesBetween(before, after), ...access];
}

/** Returns the reason why a draft cannot be saved yet; null when it can. */
export function findDraftProblem({ title, widgets, datasets, filters }: Draft): string | null {
  if (title.trim() === "") return "Enter a dashboard title.";
  const blank = widgets.find((widget) => readsData(widget) && !isChosen(widget.source));
  if (blank) return `Select a query for ${toWidgetName(blank)}, or remove it.`;
  const unnamed = datasets.find(({ name, source }) => name.trim() === "" || !isChosen(source));
  if (unnamed) return `Enter a name and a query for dataset ${unnamed.name || "(unnamed)"}, or remove it.`;
  return filters.some(({ field }) => field.trim() === "") ? "Select a field for each filter, or remove it." : null;
}

function isChosen(source: Widget["source"]): boolean {
  return source !== null && (!("query" in source) || String(source.query).trim() !== "");
}

/** Returns the request that saves a draft: only the changes since its base version. */
export function toUpdateBody(draft: Draft, base: Draft, version: number): UpdateDashboardBody {
  const names = ["title", "description", "access", "datasets", "widgets", "filters"] as const;
  const changed = names.filter((name) => !isSameJson(draft[name], base[name]));
  return { version, ...Object.fromEntries(changed.map((name) => [name, draft[name]])) };
}

export type NewWidget = Pick<Widget, "kind" | "title" | "source" | "spec" | "tab"> & { layout?: Widget["layout"] };

/**
 * Adds a widget where it was dropped, else in the first gap that it fits into. @returns the draft, and the widget's id
 */
export function addWidget(draft: Draft, { layout, ...given }: NewWidget): [Draft, string] {
  const id = toLocalId();
  const tab = given.tab ?? null;
  const place = layout ?? firstGap(widgetsOfTab(draft.widgets, tab), traitsOf(given.kind).size);
  const widget: Widget = { ...given, id, layout: place };
  return [{ ...draft, widgets: settleTab([...draft.widgets, widget], tab) }, id];
}

/**
 * Returns the name of a new tab, which has no widgets yet. The widgets of a draft without tabs become its first tab.
 * @param tabs the present tabs, those without widgets included
 */
export function startTab(draft: Draft, tabs: readonly string[]): [Draft, string] {
  const isFirst = tabs.length === 0 && draft.widgets.length > 0;
  const first = toTabName(1);
  const names = isFirst ? [first] : tabs;
  let count = names.length + 1;
  while (names.includes(toTabName(count))) count += 1;
  const widgets = isFirst ? draft.widgets.map((widget) => ({ ...widget, tab: first })) : draft.widgets;
  return [{ ...draft, widgets }, toTabName(count)];
}

function toTabName(position: number): string {
  return `Tab ${position}`;
}

/** Renames a tab. The name of another tab joins both. */
export function renameTab(draft: Draft, tab: string, name: string): Draft {
  return { ...draft, widgets: draft.widgets.map((each) => (each.tab === tab ? { ...each, tab: name } : each)) };
}

/** Moves a tab to an earlier or later position. */
export function moveTab(draft: Draft, tab: string, step: -1 | 1): Draft {
  const tabs = tabsOf(draft.widgets);
  const from = tabs.indexOf(tab);
  const other = tabs[from + step];
  if (from < 0 || other === undefined) return draft;
  const order = tabs.with(from, other).with(from + step, tab);
  const rankOf = (widget: Widget) => (widget.tab === undefined ? -1 : order.indexOf(widget.tab));
  return { ...draft, widgets: draft.widgets.toSorted((a, b) => rankOf(a) - rankOf(b)) };
}

/** Duplicates a widget below the original. */
export function duplicateWidget(draft: Draft, id: string): [Draft, string] | null {
  const widget = draft.widgets.find((each) => each.id === id);
  if (!widget) return null;
  const { x, y, w, h } = widget.layout;
  // A deep clone of `source` would lose the class of exact numbers; drafts are never changed in place.
  const copy: Widget = {
    ...widget,
    spec: structuredClone(widget.spec),
    id: toLocalId(),
    layout: { x, y: y + h, w, h },
  };
  const filters = draft.filters.map((filter) =>
    filter.exclude.includes(id) ? { ...filter, exclude: [...filter.exclude, copy.id] } : filter,
  );
  // Of two widgets that start in one row, the first in the list stays above.
  const widgets = draft.widgets.flatMap((each) => (each === widget ? [each, copy] : [each]));
  return [{ ...draft, widgets: settleTab(widgets, gridOf(draft, widget)), filters }, copy.id];
}

/** Returns a tab that shows a widget, which is a grid; null without tabs. */
function gridOf({ widgets }: Draft, { tab }: Widget): string | null {
  return tab ?? tabsOf(widgets)[0] ?? null;
}

/** Removes a widget, also from the exclusions of filters. */
export function removeWidget(draft: Draft, id: string): Draft {
  const removed = draft.widgets.find((each) => each.id === id);
  if (!removed) return draft;
  const left = draft.widgets.filter((each) => each !== removed);
  return withKnownColumns({
    ...draft,
    widgets: settleTab(left, gridOf(draft, removed)),
    filters: draft.filters.map((filter) => without(filter, "exclude", id)),
  });
}

/**
 * Drops the columns and variables that filters name for datasets, and widgets with their own source, that the draft does
 * not have, or that read no console.
 */
export function withKnownColumns(draft: Draft): Draft {
  const parts = partsOf(draft);
  const known = new Set(parts.map(({ id }) => id));
  const consoles = new Set(parts.flatMap(({ id, consoleId }) => (consoleId === null ? [] : id)));
  const filters = draft.filters.map((filter): Filter => {
    const { columns, variables, ...rest } = filter;
    const left = { columns: onlyOf(columns, known), variables: onlyOf(variables, consoles) };
    if (left.columns === columns && left.variables === variables) return filter;
    return {
      ...rest,
      ...(left.columns && { columns: left.columns }),
      ...(left.variables && { variables: left.variables }),
    };
  });
  return { ...draft, filters };
}

/** Returns the datasets, and the widgets with their own source, with the console that each reads. */
export function partsOf({ datasets, widgets }: Pick<Draft, "datasets" | "widgets">) {
  const own = widgets.filter(({ source }) => source && !("datasetId" in source));
  return [
    ...datasets.map(({ id, name, source }) => ({
      id,
      name,
      consoleId: "consoleId" in source ? source.consoleId : null,
    })),
    ...own.map((widget) => {
      const { id, source } = widget;
      const consoleId = source && "consoleId" in source ? source.consoleId : null;
      return { id, name: toWidgetName(widget), consoleId };
    }),
  ];
}

function onlyOf<T>(of: Record<string, T> | undefined, known: ReadonlySet<string>): Record<string, T> | undefined {
  if (of === undefined || Object.keys(of).every((id) => known.has(id))) return of;
  const left = Object.entries(of).filter(([id]) => known.has(id));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

export function changeWidget(draft: Draft, id: string, change: Partial<Omit<Widget, "id">>): Draft {
  const next = { ...draft, widgets: changed(draft.widgets, id, change) };
  return change.source === undefined ? next : withKnownColumns(next);
}

export function addDataset(draft: Draft, given: Omit<Dataset, "id">): [Draft, string] {
  const id = toLocalId();
  return [{ ...draft, datasets: [...draft.datasets, { ...given, id }] }, id];
}

export function changeDataset(draft: Draft, id: string, change: Partial<Omit<Dataset, "id">>): Draft {
  const next = { ...draft, datasets: changed(draft.datasets, id, change) };
  return change.source === undefined ? next : withKnownColumns(next);
}

/** Removes a dataset unless widgets read it. */
export function removeDataset(draft: Draft, id: string): Draft {
  if (readersOf(draft, id).length > 0) return draft;
  return withKnownColumns({
    ...draft,
    datasets: draft.datasets.filter((each) => each.id !== id),
    filters: draft.filters.map((filter) =>
      filter.datasets === "all" ? filter : { ...filter, datasets: filter.datasets.filter((each) => each !== id) },
    ),
  });
}

/** Returns the widgets that read a dataset. */
export function readersOf(draft: Draft, datasetId: string): Widget[] {
  return draft.widgets.filter(({ source }) => source && "datasetId" in source && source.datasetId === datasetId);
}

export function addFilter(draft: Draft, given: Omit<Filter, "id">): [Draft, string] {
  const id = toLocalId();
  return [{ ...draft, filters: [...draft.filters, { ...given, id } as Filter] }, id];
}

/** Changes a filter. Another kind clears the default and the variables: its value has another type. */
export function changeFilter(draft: Draft, id: string, change: Partial<Omit<Filter, "id">>): Draft {
  const before = draft.filters.find((each) => each.id === id);
  const isOther = change.kind !== undefined && change.kind !== before?.kind;
  return {
    ...draft,
    filters: changed(draft.filters, id, isOther ? { ...change, default: null, variables: undefined } : change),
  };
}

export function removeFilter(draft: Draft, id: string): Draft {
  return { ...draft, filters: draft.filters.filter((each) => each.id !== id) };
}

/** Moves a filter to an earlier or later position in the page's bar. */
export function moveFilter(draft: Draft, id: string, step: -1 | 1): Draft {
  const from = draft.filters.findIndex((each) => each.id === id);
  const to = from + step;
  const [filter, other] = [draft.filters[from], draft.filters[to]];
  if (!filter || !other) return draft;
  return { ...draft, filters: draft.filters.with(from, other).with(to, filter) };
}

/** Returns the name of a widget's dataset, by which a preview identifies its source. */
export function toPartName({ id, source }: Pick<Widget, "id" | "source">): string {
  return source && "datasetId" in source ? `dataset:${source.datasetId}` : `widget:${id}`;
}

/** Returns the name of a widget for messages. */
export function toWidgetName({ title, kind }: Pick<Widget, "title" | "kind">): string {
  return title === "" ? traitsOf(kind).reference : title;
}

function changed<T extends { id: string }>(parts: T[], id: string, change: Partial<Omit<T, "id">>): T[] {
  const isNews = parts.some(
    (part) =>
      part.id === id && Object.entries(change).some(([name, value]) => !isSameJson(part[name as keyof T], value)),
  );
  return isNews ? parts.map((part) => (part.id === id ? { ...part, ...change } : part)) : parts;
}

function without(filter: Filter, name: "exclude", id: string): Filter {
  return filter[name].includes(id) ? { ...filter, [name]: filter[name].filter((each) => each !== id) } : filter;
}

/** Generates a short id, since it appears in addresses and in the dashboard's file. */
function toLocalId(): string {
  return newId().replaceAll("-", "").slice(0, 12);
}
